"""``kill -9`` in the middle of cloning, or of teaching a reward model: the resumed run ends in the same weights."""

from __future__ import annotations

import json
import os
import random
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from rlhf.records.marks import Mark
from rlhf.run.config import CONFIG_FILE, LOCK_FILE, read_record
from rlhf.run.tracking import read_metrics
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.processes import kill_rlhf, rlhf

UPDATES, EVERY = 40, 4
SMALL = ["--training.steps=3", "--training.batch=4", "--training.log-every=1", "--training.evaluate-every=10"]
KEPT = [f"--training.updates={UPDATES}", f"--checkpoint-every={EVERY}", "--wandb=disabled"]

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve episodes of a scripted solver, and marks on them."""
    store = open_store(tmp_path_factory.mktemp("recorded") / "data", create=True)
    for seed in range(12):
        store.write(replace(synthetic_episode(seed, steps=20, height=24, width=32), solver="scripted"))
    store.write_marks(
        Mark(episode_id, "ann", step, 1 if (step + place) % 2 else -1, scripted=True)
        for place, episode_id in enumerate(store.ids())
        for step in (5, 9, 14)
    )
    return store.folder


@pytest.fixture(scope="module")
def cloned(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of an agent that was cloned without disturbance."""
    runs = tmp_path_factory.mktemp("cloned")
    rlhf(runs, "clone", f"--data={data}", f"--runs={runs}", "--held-out=0.2", *SMALL, *KEPT).succeed()
    return runs / "clone"


def newest(run: Path) -> int:
    """The step of the newest checkpoint; 0 if there is none."""
    latest = run / "checkpoints" / "latest"
    return int(latest.read_text().strip().removeprefix("step-")) if latest.is_file() else 0


def has_reached(run: Path, step: int) -> bool:
    """Whether the checkpoint of the update ``step`` has been written."""
    return newest(run) >= step


def is_new(run: Path, seen: list[frozenset[str]]) -> bool:
    """Whether the names in the run's folder are other ones than at the kills before."""
    return run.is_dir() and frozenset(os.listdir(run)) not in seen


def kill_until_it_learns(folder: Path, run: Path, verb: str, *settings: str) -> None:
    """Kill the command whenever a name is new in the run's folder; begin it again by itself and by --resume in turn."""
    seen: list[frozenset[str]] = []
    while not seen or "metrics.jsonl" not in seen[-1]:
        again = len(seen) % 2 == 0 or not (run / CONFIG_FILE).exists()
        kill_rlhf(folder, partial(is_new, run, list(seen)), 0, verb, *(settings if again else [f"--resume={run}"]))
        seen.append(frozenset(os.listdir(run)))
    assert {frozenset(), frozenset({LOCK_FILE}), frozenset({LOCK_FILE, f"{CONFIG_FILE}.part"})} <= set(seen)


def measured(run: Path) -> list[dict]:
    """All rows of metrics without what depends on the time of day."""
    return [{k: v for k, v in row.items() if k != "time" and "per_second" not in k} for row in read_metrics(run)]


@pytest.mark.parametrize(
    ("verb", "kind"), [("clone", ""), *(("reward", kind) for kind in ("inter_temporal", "autoregressive"))]
)
def test_a_killed_training_goes_on_to_the_same_end(
    verb: str, kind: str, data: Path, cloned: Path, tmp_path: Path
) -> None:
    made = "agent" if verb == "clone" else "reward_model"
    settings = [f"--data={data}", f"--runs={tmp_path}", *SMALL, *KEPT]
    settings += ["--held-out=0.2"] if verb == "clone" else [f"--agent={cloned / 'agent'}", "--validation=0.3"]
    settings += [f"--kind={kind}"] if kind else []
    if verb == "clone":
        undisturbed = cloned
    else:
        undisturbed = tmp_path / "undisturbed"
        rlhf(tmp_path, verb, *settings, "--name=undisturbed").succeed()
    run, moments = tmp_path / "killed", random.Random(0)
    kill_until_it_learns(tmp_path, run, verb, *settings, "--name=killed")
    kill_rlhf(tmp_path, partial(has_reached, run, 8), moments.randint(0, 12), verb, f"--resume={run}")
    kill_rlhf(tmp_path, partial(has_reached, run, 20), moments.randint(0, 12), verb, f"--resume={run}")
    assert not (run / made).exists() and newest(run) < UPDATES
    rlhf(tmp_path, verb, f"--resume={run}").succeed()
    for name in ("model.safetensors", "config.json", "tokenizer.json"):
        assert (run / made / name).read_bytes() == (undisturbed / made / name).read_bytes(), name
    assert measured(run) == measured(undisturbed)
    steps = [row["step"] for row in measured(run)]  # the last ones are also of how good the result is
    assert sorted(set(steps) - {0}) == list(range(1, UPDATES + 1))


def test_a_finished_run_goes_on_with_more_updates_and_says_so(cloned: Path, tmp_path: Path) -> None:
    before = (cloned / "agent" / "model.safetensors").read_bytes()
    record = read_record(cloned)
    rlhf(tmp_path, "clone", f"--resume={cloned}", f"--training.updates={UPDATES + 6}").succeed()
    assert newest(cloned) == UPDATES + 6
    assert (cloned / "agent" / "model.safetensors").read_bytes() != before
    now = read_record(cloned)
    assert now["config"]["training"]["updates"] == UPDATES + 6 and now["config"]["resume"] is None
    assert now["created"] == record["created"] and now["command"] == record["command"]
    assert json.dumps(now["resumed"][-1]["changed"]) == json.dumps({"training.updates": [UPDATES, UPDATES + 6]})
