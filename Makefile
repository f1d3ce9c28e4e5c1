# Two commands from a fresh clone: `make demo` and `make test`. Each makes .venv and installs what it needs;
# nothing but a Python of 3.11 or later is taken from the system.

VENV   := .venv
BIN    := $(VENV)/bin
# The first Python that is new enough; name another with `make demo PYTHON=...`.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
# Versions of all packages, direct and indirect, of the demo and of the tests.
LOCK   := constraints/locked.txt
# An environment is good for exactly one pyproject.toml and lock: their checksum is part of the stamp's name.
HASH   := $(firstword $(shell cat pyproject.toml $(LOCK) | cksum))
RUN    := $(VENV)/.installed-run-$(HASH)
DEV    := $(VENV)/.installed-dev-$(HASH)
PIP    := -m pip --quiet --disable-pip-version-check

# Bytecode is kept, in folders that git ignores: every process of the tests starts in half the time.
unexport PYTHONDONTWRITEBYTECODE

# A recording compiles the world into its cache, where every later process finds it.
define COMPILE
@folder=$$(mktemp -d) || exit 1; trap 'rm -rf "$$folder"' EXIT; trap 'exit 130' INT TERM; \
	$(BIN)/rlhf record --data "$$folder/first" --episodes 1 --steps 60 --workers 1 2> "$$folder/said" \
	|| { cat "$$folder/said" >&2; exit 1; }
endef

.DEFAULT_GOAL := help
.PHONY: help demo test tests unit test-ray $(addprefix unit-,locked newest lowest) lock exchange lint format bench docs web compiled clean

help: ## say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' Makefile

demo: $(RUN) ## the whole loop, from recorded play to a report, on this machine
	$(BIN)/rlhf demo $(ARGS)

# End-to-end tests wait a third of their time, for browsers and games. Among two processes more than there are cores
# every core is busy, and the unit tests fill the time after the longest. Style and types are checked meanwhile.
PROCESSES = $$($(BIN)/python -c 'import os; print(os.cpu_count() + 2)')
test: $(DEV) ## style, types, documents and every test but those on Ray
ifdef ARGS
	@$(MAKE) --no-print-directory -j 3 lint docs compiled
	$(BIN)/python -m pytest $(ARGS)
else
	@$(MAKE) --no-print-directory -j 3 compiled lint docs tests
endif

tests: compiled
	$(BIN)/python -m pytest -n $(PROCESSES) --dist loadscope --no-loadscope-reorder --ignore tests/e2e/ray --durations 50

unit: $(DEV) ## the fast tests only, on all cores
	$(BIN)/python -m pytest -n auto --dist worksteal --ignore tests/e2e

test-ray: $(DEV) ## the tests that start Ray: runs, learners, a cluster with jobs
	$(BIN)/python -m pytest tests/e2e/ray

# Tests that call other packages, in environments of their own with one set of them each (CONTRIBUTING.md, "Packages").
PACKAGE_TESTS := $(addprefix tests/,contracts/test_world.py contracts/stores $(addprefix unit/,test_packages.py \
	agents/language_models $(addprefix agents/test_,card.py folder.py tokenizer.py vision_model.py) annotation/server \
	pipelines/cli pipelines/exchange pipelines/report rlhf/run rlhf/store \
	$(addprefix worlds/,foreign household playhouse/physics school spaces)))
SET_locked := --constraint $(LOCK) --editable '.[test]'
SET_newest := --upgrade --upgrade-strategy eager --editable '.[minari,rlds,test,video]'
SET_lowest := --constraint constraints/lowest.txt --editable '.[minari,rlds,test,video]'
# The demo installs no extras, and tests of exports, imports and films need some.
unit-locked: PACKAGE_TESTS := $(filter-out %/exchange,$(PACKAGE_TESTS)) --ignore tests/unit/pipelines/cli/test_render.py
unit-locked: ## tests that call other packages, with those that make demo installs
unit-newest: ## the same with the newest that pyproject.toml allows
unit-lowest: ## the same with the lowest that pyproject.toml declares
unit-locked unit-newest unit-lowest: unit-%: | $(BIN)/python
	@$(BIN)/python -m venv $(VENV)/sets/$*
	@$(VENV)/sets/$*/bin/python $(PIP) install $(SET_$*)
	$(VENV)/sets/$*/bin/python -m pytest -n auto --dist worksteal -m 'not slow' $(PACKAGE_TESTS) $(ARGS)

UV := $(VENV)/uv/bin/uv
RESOLVE = $(UV) pip compile pyproject.toml --quiet --no-header --no-annotate --universal --python-version 3.11 --upgrade
lock: | $(BIN)/python ## the newest versions that fit together, and the lowest, into constraints/
	@$(BIN)/python -m venv $(VENV)/uv && $(VENV)/uv/bin/python $(PIP) install --upgrade uv
	$(RESOLVE) --all-extras --fork-strategy fewest --output-file $(LOCK)
	$(RESOLVE) --extra minari --extra rlds --extra test --extra video --resolution lowest-direct \
		--fork-strategy fewest --output-file constraints/lowest.txt

# Each library whose format is exported and imported has an environment of its own, with the versions tried.
EXCHANGE := $(VENV)/exchange
EXCHANGE_minari := 'minari[arrow,create,hdf5]>=0.5.4,<0.6' minigrid pillow
EXCHANGE_rlds := 'tensorflow-cpu>=2.19,<3' 'tensorflow-datasets>=4.9,<5'
EXCHANGE_lerobot := 'lerobot[dataset]>=0.6,<0.7'
# LeRobot is for a later Python than this project; without one its tests are skipped.
EXCHANGE_PYTHON_lerobot := $(shell for p in $(BIN)/python python3 python3.13 python3.12; do \
	$$p -c 'import sys; sys.exit(not (3, 12) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && echo $$p && break; done)

exchange: $(DEV) $(patsubst %,$(EXCHANGE)/%/.installed,minari rlds $(if $(EXCHANGE_PYTHON_lerobot),lerobot)) ## the tests of export and import by the other libraries
	$(if $(EXCHANGE_PYTHON_lerobot),,@echo "no Python 3.12 or 3.13 found for LeRobot, whose tests are skipped; name one: make exchange EXCHANGE_PYTHON_lerobot=/path/to/python3.12")
	EXCHANGE_ENVIRONMENTS=$(EXCHANGE) $(BIN)/python -m pytest tests/exchange

$(EXCHANGE)/%/.installed: | $(DEV)
	@echo "installing $* into $(@D)"
	@$(or $(EXCHANGE_PYTHON_$*),$(BIN)/python) -m venv --clear $(@D)
	@$(@D)/bin/python $(PIP) install $(EXCHANGE_$*)
	@touch $@

lint: $(DEV) ## style, spelling and types only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/pyright

format: $(DEV) ## put the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(DEV) ## the benchmarks, each with this machine's description
	for file in $(filter-out $(addprefix benchmarks/,reward_examples.py teaching_hour.py wrong_words.py),$(wildcard benchmarks/*.py)); do \
		$(BIN)/python $$file || exit 1; done

docs: $(DEV) ## the documentation site, into build/site
	$(BIN)/python -m mkdocs build --strict --quiet

compiled: $(DEV)
	$(COMPILE)

# Users never need it: what it builds is in the repository. Node comes with the tools of development.
web: $(DEV) ## the front end of `rlhf serve`, from annotation/web into annotation/static
	cd annotation/web && PATH="$(abspath $(BIN)):$$PATH" && npm ci --no-audit --no-fund && npm run check && npm test && npm run build

clean: ## remove the environment and every cache; recordings and runs stay
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or later found; install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || $(PYTHON) -m virtualenv $(VENV) || { rm -rf $(VENV); \
		echo "$(PYTHON) cannot make an environment; name a complete Python: make PYTHON=/path/to/python3" >&2; exit 1; }

$(RUN): | $(BIN)/python
	@test -e $(DEV) || { echo "installing into $(VENV) (some minutes the first time)"; \
		$(BIN)/python $(PIP) install --constraint $(LOCK) --editable .; }
	@echo "compiling the world (once)"
	$(COMPILE)
	@rm -f $(VENV)/.installed-run-* && touch $@

$(DEV): | $(BIN)/python
	@echo "installing into $(VENV), with the tools of development (some minutes the first time)"
	@$(BIN)/python $(PIP) install --constraint $(LOCK) --editable '.[dev]'
	@rm -f $(VENV)/.installed-* && touch $@
