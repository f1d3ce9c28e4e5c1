"""Code and addresses that data names are used only where the user named or trusted them."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import py_compile
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import transformers.dynamic_module_utils as dynamic_module_utils

import agents.registry
from agents.language_models.address import RemoteModel
from agents.language_models.config import ModelSource
from agents.language_models.folder import LanguageModelAgent, save_language_model
from agents.language_models.local import LocalModel
from agents.language_models.model import Prompt
from agents.remote_code import refuse_remote_code
from agents.vision_model import untrained_model
from pipelines.cli.trust import TrustConfig, trust_things
from rlhf.distributed.config import RayConfig
from rlhf.distributed.connection import connect
from rlhf.run.tracking import Tracker
from tests.unit.agents.language_models.tiny_model import make_model
from worlds import registry
from worlds.errors import UserError
from worlds.foreign_code import trust
from worlds.foreign_code.trust import UntrustedError, permit

HOSTILE = "from pathlib import Path\nPath({canary!r}).write_text('ran')\n"


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A file that exists once hostile code has run."""
    return tmp_path / "canary"


@pytest.fixture
def hostile(tmp_path: Path, canary: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python file and an importable module of the same content, which someone else put beside their data."""
    monkeypatch.syspath_prepend(tmp_path / "made")
    monkeypatch.delitem(sys.modules, "hostile_module", raising=False)
    path = tmp_path / "made" / "hostile_module.py"
    path.parent.mkdir()
    path.write_text(HOSTILE.format(canary=str(canary)))
    return path


NAMES = ("{file}", "{file}:World", "gym:hostile_module:World-v0", "pettingzoo:hostile_module")


def look_up(name: str) -> None:
    """Look up a world; the hostile code, once it has run, registers none."""
    with contextlib.suppress(UserError):
        registry.get(name)


def refuses(look_up: Callable[[], Any], match: str = "") -> None:
    with pytest.raises(UntrustedError, match=match) as refused:
        look_up()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", NAMES)
def test_what_data_names_is_not_run_until_it_is_named_or_trusted(name: str, hostile: Path, canary: Path) -> None:
    name = name.format(file=hostile)
    refuses(lambda: registry.get(name), "rlhf trust")
    assert not canary.exists()
    permit(["record", f"--world.name={name}"])
    look_up(name)
    assert canary.exists()


def test_agents_of_a_file_have_the_same_gate(hostile: Path, canary: Path) -> None:
    refuses(lambda: agents.registry.get(str(hostile)))
    assert not canary.exists()


@pytest.mark.parametrize("name", NAMES[:2])
def test_trust_ends_when_the_file_changes(name: str, hostile: Path, canary: Path, tmp_path: Path) -> None:
    name, data = name.format(file=hostile), tmp_path / "data"
    data.mkdir()
    (data / "dataset.json").write_text(json.dumps({"deep": [{"world": name}]}))
    trust_things(TrustConfig((str(data),)))
    look_up(name)
    assert canary.exists()
    canary.unlink()
    hostile.write_text(hostile.read_text() + "# another one\n")
    registry._registry._files.clear()
    refuses(lambda: registry.get(name))
    assert not canary.exists()
    trust_things(TrustConfig((str(hostile),)))
    assert hostile.samefile(trust.trusted().popitem()[1].rpartition(" ")[2])
    trust_things(TrustConfig((str(hostile),), forget=True))
    assert not trust.trusted()


def test_compiled_code_beside_a_trusted_file_is_not_run(hostile: Path, canary: Path) -> None:
    compiled = Path(importlib.util.cache_from_source(str(hostile)))
    py_compile.compile(str(hostile), str(compiled), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    hostile.write_text("x = 1\n")
    permit([str(hostile)])
    look_up(str(hostile))
    assert not canary.exists()


def test_processes_of_the_command_permit_the_same(hostile: Path, canary: Path) -> None:
    code = f"from worlds import registry; registry.get({str(hostile)!r})"
    refused = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "UntrustedError" in refused.stderr and not canary.exists()
    permit([str(hostile)])
    assert trust.environment().items() <= os.environ.items()
    subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert canary.exists()


@pytest.mark.parametrize("content", ["{", "[]", '{"trusted": 3}', "[" * 100_000])
def test_a_damaged_list_trusts_nothing(content: str, hostile: Path, canary: Path) -> None:
    trust.list_path().parent.mkdir(parents=True, exist_ok=True)
    trust.list_path().write_text(content)
    with pytest.raises(UserError, match="trusted.json cannot be read"):
        registry.get(str(hostile))
    assert not canary.exists()


def test_a_folder_that_names_nothing_is_nothing_to_trust(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"world": "playhouse", "file": "missing.py", "environment": "gym:Taxi-v3"}')
    with pytest.raises(UserError, match="names neither code nor addresses"):
        trust_things(TrustConfig((str(tmp_path),)))
    with pytest.raises(UserError, match="no Python file"):
        trust_things(TrustConfig((str(tmp_path / "config.json"),)))


def test_a_folder_sends_no_variable_to_an_address_of_its_own(tmp_path: Path) -> None:
    source = ModelSource(address="https://example.org/v1", name="m", key_variable="AWS_SECRET_ACCESS_KEY")
    refuses(lambda: RemoteModel(source), "AWS_SECRET_ACCESS_KEY")
    permit(["--model.address", "https://example.org/v1"])  # with the default variable, not with any
    refuses(lambda: RemoteModel(source))
    save_language_model(LanguageModelAgent(source), tmp_path / "lm")
    trust_things(TrustConfig((str(tmp_path / "lm"),)))
    RemoteModel(source)
    refuses(lambda: RemoteModel(replace(source, address="https://example.org/v2")))


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
def test_code_in_a_language_models_folder_is_neither_run_nor_asked_about(
    file: str, tmp_path: Path, canary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_model(tmp_path / "model", [("a", "b")])
    (folder / "hostile.py").write_text(HOSTILE.format(canary=str(canary)) + "class Hostile: pass\n")
    names = dict.fromkeys(("AutoConfig", "AutoModelForCausalLM"), "hostile.Hostile")
    settings = json.loads((folder / file).read_text()) | {
        "auto_map": names | {"AutoTokenizer": ["hostile.Hostile", None]}
    }
    (folder / file).write_text(json.dumps(settings))
    asked: list[Any] = []
    monkeypatch.setattr("builtins.input", lambda *words: asked.append(words) or "y")
    try:
        LocalModel(ModelSource(folder=folder)).complete([Prompt("", "a")])
    except UserError as refused:
        assert "\n" not in str(refused)
    assert not canary.exists() and not asked


def test_the_same_file_elsewhere_is_another_one(hostile: Path, canary: Path, tmp_path: Path) -> None:
    """What lies beside it may differ, such as a module that it loads by its own path."""
    copied = tmp_path / "copied.py"
    copied.write_bytes(hostile.read_bytes())
    trust_things(TrustConfig((str(hostile),)))
    refuses(lambda: registry.get(str(copied)))
    assert not canary.exists()


@pytest.mark.parametrize(
    ("words", "variable", "allowed"),
    [
        (["--model.address", "http://lab/v1"], "OPENAI_API_KEY", True),
        (["--model.address", "http://lab/v1", "--model.key-variable", "LAB"], "LAB", True),
        (["--model.address=http://lab/v1", "--model.key-variable=LAB"], "LAB", True),
        (["--model.address", "http://lab/v1", "--model.key-variable", "LAB"], "OPENAI_API_KEY", False),
        (["--model.address", "http://lab/v1", "--name", "SECRET"], "SECRET", False),
        (["--model.address", "http://lab/v2"], "OPENAI_API_KEY", False),
        (ModelSource(address="http://lab/v1", name="m", key_variable="LAB"), "LAB", True),
        (ModelSource(address="http://lab/v1", name="m", key_variable="LAB"), "OPENAI_API_KEY", False),
    ],
)
def test_an_address_is_permitted_with_the_variable_that_was_named(words: Any, variable: str, allowed: bool) -> None:
    if isinstance(words, list):
        permit(words)
    else:
        trust.permit_texts([words])  # Python code names it in a configuration
    with contextlib.nullcontext() if allowed else pytest.raises(UntrustedError):
        trust.check_address("http://lab/v1", variable)


def test_a_module_permits_no_other_of_its_package() -> None:
    permit(["--world.name", "gym:json:World-v0"])
    trust.check_module("json")
    refuses(lambda: trust.check_module("json.tool"))


def test_a_folder_leads_no_run_to_a_cluster_or_an_account(tmp_path: Path) -> None:
    address = "ray://127.0.0.1:1"
    refuses(lambda: connect(RayConfig(address=address)), "Ray cluster")
    (tmp_path / "config.json").write_text(json.dumps({"config": {"ray": {"address": address}}}))
    trust_things(TrustConfig((str(tmp_path),)))
    trust.check_ray_cluster(address)
    assert not trust.asked_online()
    (tmp_path / "run").mkdir()
    with pytest.warns(UserWarning, match="--wandb online"):
        Tracker(tmp_path / "run", wandb_mode="online").close()
    permit(["improve", "--wandb", "online"])
    assert trust.asked_online()


def test_a_part_of_another_type_brings_no_code(tmp_path: Path, canary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A configuration inside another is made into a model without asking who has called."""
    (tmp_path / "hostile--part").mkdir()
    (tmp_path / "hostile--part" / "part.py").write_text(HOSTILE.format(canary=str(canary)) + "class Evil: pass\n")
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    settings = {
        "model_type": "aimv2_text_model", "patch_size": 16, "hidden_size": 32,
        "auto_map": {"AutoModel": f"{tmp_path}/hostile--part.Evil"},
    }  # fmt: skip
    with pytest.raises((ValueError, OSError)):
        untrained_model(settings)
    monkeypatch.setattr(dynamic_module_utils, "TIME_OUT_REMOTE_CODE", 15)
    refuse_remote_code()
    with pytest.raises(ValueError):
        dynamic_module_utils.resolve_trust_remote_code(None, "folder", False, True)
    assert not canary.exists()


def test_trusting_a_folder_imports_nothing(tmp_path: Path, canary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "made" / "hostile_package"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(HOSTILE.format(canary=str(canary)))
    (package / "inner.py").touch()
    monkeypatch.syspath_prepend(package.parent)
    (tmp_path / "config.json").write_text('{"world": "gym:hostile_package.inner:World-v0"}')
    trust_things(TrustConfig((str(tmp_path),)))
    assert not canary.exists()
    trust.check_module("hostile_package.inner")
