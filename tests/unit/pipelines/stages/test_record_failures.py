"""Play in worlds that fail: the episode is ended and labelled, the others are played, and one line says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipelines.cli.main import main
from pipelines.stages.evaluate import load_results
from rlhf.replay.guard import FAILURE
from rlhf.store import open_store
from worlds import registry
from worlds.contract import WorldError
from worlds.foreign_code import watchdog

EXAMPLE = Path(__file__).parents[4] / "examples" / "own_world" / "discs.py"
STEPS = 12
FLAW = '''

class Flawed(DiscRoom):
    """Fails in some places: those in which the red disc lies in the first row of squares."""

    def is_bad(self):
        return {bad}

    def reset(self, seed=None, options=None):
        result = super().reset(seed, options)
        if self.is_bad():
            {reset}
        return result

    def step(self, actions):
        result = super().step(actions)
        if self.is_bad() and self.step_index == 6:
            {step}
        return result


from dataclasses import replace
from worlds import registry
register(replace(registry._registry._entries.pop("discs"), name="flawed", make=Flawed))
'''
SOME = 'self.config["red"][0] < 5'


@pytest.fixture
def flawed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Writes a world that fails where ``bad`` holds, and returns its path."""
    known: Any = registry._registry  # the example may be registered by an earlier test, and is again by later ones
    monkeypatch.setattr(known, "_entries", {name: one for name, one in known._entries.items() if name != "discs"})
    monkeypatch.setattr(known, "_of_file", {})
    monkeypatch.setattr(known, "_files", {})

    def write(step: str = "pass", reset: str = "pass", bad: str = SOME) -> str:
        path = tmp_path / "flawed.py"
        path.write_text(EXAMPLE.read_text() + FLAW.format(step=step, reset=reset, bad=bad))
        known._entries.pop("flawed", None)
        known._of_file.clear()
        known._files.clear()
        return str(path)

    return write


def record(world: str, data: Path, *words: str, episodes: int = 8) -> int:
    sizes = ["--world.height", "12", "--world.width", "16", "--held-out", "0", "--steps", str(STEPS)]
    return main(["record", "--data", str(data), "--world.name", world, "--episodes", str(episodes), *sizes, *words])


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(
    ("step", "reason", "status"),
    [
        ("raise IndexError('off the edge')", "IndexError: off the edge", 0),
        ("raise SystemExit(0)", "SystemExit: 0", 1),
        ("import os; os._exit(0)", "SystemExit: os._exit(0)", 1),
        (
            "result[0]['solver']['image'] = result[0]['solver']['image'] / 255",
            "leaves the declared space: image is float",
            0,
        ),
    ],
)
def test_the_episode_is_ended_and_labelled_and_the_others_are_played(
    flawed, tmp_path: Path, capsys: pytest.CaptureFixture[str], workers: str, step: str, reason: str, status: int
) -> None:
    data = tmp_path / "data"
    assert record(flawed(step=step), data, "--workers", workers) == status
    *lines, last = capsys.readouterr().err.splitlines()
    assert last.startswith("error: the world ended its process, or tried to, in ") == bool(status)
    shown = [line for line in lines if reason in line]
    store = open_store(data)
    episodes = [store.read(episode_id) for episode_id in store.ids()]
    failed = [episode for episode in episodes if FAILURE in episode.notes]
    assert len(episodes) == 8 and 0 < len(failed) < 8 and len(shown) == len(failed)
    for episode in episodes:
        assert len(episode) == (5 if episode in failed else STEPS)
        assert all(request.step < len(episode) for request in episode.requests)
    for episode in failed:
        (line,) = [line for line in shown if episode.episode_id in line]
        assert f"world 'flawed' fails at step 5 of episode {episode.episode_id}: " in line
        assert "its 5 steps before are recorded, and the other episodes are played" in line
        assert reason in episode.notes[FAILURE]


@pytest.mark.parametrize(
    ("workers", "where", "code", "reason"),
    [
        ("1", "step", "import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("2", "reset", "import ctypes; ctypes.CDLL(None)._exit(0)", "status 0"),
    ],
)
def test_an_episode_at_which_the_process_ends_is_named_and_the_others_are_recorded(
    flawed, tmp_path: Path, capsys: pytest.CaptureFixture[str], workers: str, where: str, code: str, reason: str
) -> None:
    assert record(flawed(**{where: code}), tmp_path / "data", "--workers", workers) == 1
    *lines, last = capsys.readouterr().err.splitlines()
    named, there = [line for line in lines if reason in line], open_store(tmp_path / "data").ids()
    assert 0 < len(there) < 8 and len(there) + len(named) == 8
    assert all("flawed" in line and not any(name in line for name in there) for line in named)
    assert f"in {len(named)} of 8 episodes" in last


def test_labelled_episodes_are_kept_and_those_without_a_step_are_tried_again(
    flawed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    assert record(flawed(reset="raise KeyError('no such door')"), data, "--workers", "1") == 0
    shown = capsys.readouterr().err
    assert "fails at reset for episode" in shown and "it is not recorded, and the other episodes are played" in shown
    assert "of 8 episodes, " in shown and "of which are not recorded" in shown
    there = len(open_store(data).ids())
    assert 0 < there < 8
    assert record(flawed(), data, "--workers", "1") == 0
    assert len(open_store(data).ids()) == 8


def test_a_reset_that_leads_to_another_place_is_a_failure(
    flawed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert record(flawed(reset="self._config = self.sample(99)"), tmp_path / "data", "--workers", "1") == 0
    assert "its reset leads to another place than the configuration that was given" in capsys.readouterr().err


def test_a_reset_that_changes_the_spaces_is_a_failure(
    flawed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reset = "from worlds.contract import body_spec; self.spec = lambda agent: body_spec(12, 20)"
    assert record(flawed(reset=reset), tmp_path / "data", "--workers", "1") == 0
    reason = "its reset changes its spaces: solver.observation.image.width: it has 20, the world that was made 16"
    assert reason in capsys.readouterr().err
    assert 0 < len(open_store(tmp_path / "data").ids()) < 8


def test_a_world_that_hangs_is_left_and_another_process_plays_on(
    flawed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = flawed(step="import time; time.sleep(10_000)")
    assert record(world, tmp_path / "data", "--workers", "2", "--step-limit-sec", "2") == 0
    shown = capsys.readouterr().err
    store = open_store(tmp_path / "data")
    failed = [one for one in map(store.read, store.ids()) if FAILURE in one.notes]
    assert len(store.ids()) == 8 and failed and all(len(one) == 5 for one in failed)
    assert shown.count("no answer within 2 s (--step-limit-sec)") == len(failed)
    assert "fails at step 5 of episode" in failed[0].notes[FAILURE]


@pytest.mark.parametrize("hang", ["while True: pass", "import time\n            while True: time.sleep(0.01)"])
def test_a_world_that_hangs_is_interrupted_in_this_process(
    flawed, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, hang: str
) -> None:
    monkeypatch.setattr(watchdog, "LOOK_EVERY_SEC", 0.02)
    monkeypatch.setattr(registry, "may_end_process", lambda name: False)
    limit = ("--step-limit-sec", "0.4")
    assert record(flawed(step=hang), tmp_path / "data", "--workers", "1", *limit) == 0
    shown = capsys.readouterr().err
    store = open_store(tmp_path / "data")
    failed = [one for one in map(store.read, store.ids()) if FAILURE in one.notes]
    assert len(store.ids()) == 8 and failed and all(len(one) == 5 for one in failed)
    assert shown.count("no answer within 0.4 s (--step-limit-sec); its 5 steps before are recorded") == len(failed)
    assert failed[0].notes[FAILURE].startswith("world 'flawed' fails at step 5 of episode ")


def test_a_world_that_always_fails_ends_the_recording_with_its_error(
    flawed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = flawed(step="raise IndexError('off the edge')", bad="True")
    for episodes, announced in ((1, 0), (8, 2)):
        assert record(world, tmp_path / str(episodes), "--workers", "1", episodes=episodes) == 1
        shown = capsys.readouterr().err
        assert shown.splitlines()[-1].startswith("error: world 'flawed' fails at step 5 of episode ")
        assert shown.count("the other episodes are played") == announced


def evaluate(world: str, out: Path, *words: str, episodes: int = 8) -> int:
    sizes = ["--world.height", "12", "--world.width", "16", "--episodes", str(episodes), *words]
    return main(["evaluate", "--agents", "perfect=perfect", "--world.name", world, "--out", str(out), *sizes])


def test_an_evaluation_counts_a_failed_episode_as_not_fulfilled_and_goes_on(
    flawed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "results.json"
    assert evaluate(flawed(step="raise IndexError('off the edge')"), out) == 0
    shown = capsys.readouterr().err
    (row,) = json.loads(out.read_text())
    failed = [success for seed, success in zip(row["seeds"], row["success"], strict=True) if seed in row["failed"]]
    assert len(row["seeds"]) == 8 and 0 < len(failed) < 8 and not any(failed) and any(row["success"])
    assert list(load_results(out)[0].failed) == row["failed"]
    assert shown.count("its request counts as not fulfilled, and the other episodes are played") == len(failed)
    assert "world 'flawed' fails at step 5 of episode go-" in shown
    assert f"the world failed in {len(failed)} of 8 episodes of perfect at go" in shown


@pytest.mark.parametrize("where", ["step", "reset"])
def test_an_evaluation_leaves_a_world_that_hangs(
    flawed, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr(watchdog, "LOOK_EVERY_SEC", 0.02)
    out = tmp_path / "results.json"
    assert evaluate(flawed(**{where: "while True: pass"}), out, "--step-limit-sec", "0.4") == 0
    shown = capsys.readouterr().err
    (row,) = json.loads(out.read_text())
    assert len(row["seeds"]) == 8
    if where == "step":
        assert 0 < len(row["failed"]) < 8 and "'flawed' fails at step 5 of episode go-" in shown
    else:
        assert "failed" not in row and "; another place is played instead" in shown
    assert "no answer within 0.4 s (--step-limit-sec)" in shown


def test_an_evaluation_leaves_out_places_that_cannot_be_entered(
    flawed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "results.json"
    assert evaluate(flawed(reset="raise IndexError('off the edge')"), out) == 0
    (row,) = json.loads(out.read_text())
    assert len(row["seeds"]) == 8 and all(row["success"]) and "failed" not in row
    shown = capsys.readouterr().err
    assert "IndexError: off the edge; RLHF_DEBUG=1 shows where; another place is played instead" in shown


def test_an_evaluation_in_a_world_that_always_fails_ends_with_its_error(
    flawed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(flawed(reset="raise IndexError('off the edge')", bad="True"), tmp_path / "other") == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("error: world 'flawed' fails at reset: IndexError: off the edge")


def test_debugging_raises_the_first_failure(flawed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLHF_DEBUG", "1")
    with pytest.raises(WorldError) as caught:
        record(flawed(step="raise IndexError('off the edge')", bad="True"), tmp_path / "data", "--workers", "1")
    assert isinstance(caught.value.__cause__, IndexError)
