"""Play in worlds that fail: the episode is ended and labelled, the others are played, and one line says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipelines.cli.main import main
from pipelines.stages.evaluate import load_results
from rlhf.replay.guard import FAILURE
from rlhf.store import open_store
from tests.unit.pipelines.stages.small_training import Complaint
from worlds import registry
from worlds.contract import WorldError
from worlds.foreign_code import watchdog

EXAMPLE = Path(__file__).parents[4] / "examples" / "own_world" / "discs.py"
STEPS, EPISODES = 12, 8
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
OFF_THE_EDGE = "raise IndexError('off the edge')"
OTHER_SPACES = "from worlds.contract import body_spec; self.spec = lambda agent: body_spec(12, 20)"
SIZES = ["--world.height", "12", "--world.width", "16"]

World = Callable[..., str]


@pytest.fixture
def flawed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
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


class Recorded:
    """What a recording returned, the lines it printed before its last, and its episodes."""

    def __init__(self, status: int, printed: str, data: Path) -> None:
        self.status, (*self.lines, self.last) = status, printed.splitlines()
        store = open_store(data, create=True)
        self.episodes = list(store.stream(store.ids()))
        self.failed = [episode for episode in self.episodes if FAILURE in episode.notes]

    def with_reason(self, reason: str) -> list[str]:
        return [line for line in self.lines if reason in line]


@pytest.fixture
def record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Recorded]:
    def recorded(world: str, *words: str, episodes: int = EPISODES, workers: int = 1) -> Recorded:
        data = tmp_path / "data"
        settings = ["--episodes", str(episodes), "--workers", str(workers), "--held-out", "0", "--steps", str(STEPS)]
        status = main(["record", "--data", str(data), "--world.name", world, *settings, *SIZES, *words])
        return Recorded(status, capsys.readouterr().err, data)

    return recorded


@pytest.mark.parametrize(
    ("step", "workers", "limit", "reason", "status"),
    [
        (OFF_THE_EDGE, 1, "", "IndexError: off the edge", 0),
        ("import os; os._exit(0)", 1, "", "SystemExit: os._exit(0)", 1),
        ("import os; os._exit(0)", 2, "", "SystemExit: os._exit(0)", 1),
        ("result[0]['solver']['image'] = result[0]['solver']['image'] / 255", 2, "", "space: image is float", 0),
        ("while True: pass", 1, "0.4", "no answer within 0.4 s (--step-limit-sec)", 0),
        ("import time\n            while True: time.sleep(0.01)", 1, "0.4", "no answer within 0.4 s", 0),
        ("import time; time.sleep(10_000)", 2, "2", "no answer within 2 s", 0),  # another process plays on
    ],
    ids=["error", "exit", "exit-of-two", "space", "loop", "waits", "hangs"],
)
def test_the_episode_is_ended_and_labelled_and_the_others_are_played(
    flawed: World,
    record: Callable[..., Recorded],
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    workers: int,
    limit: str,
    reason: str,
    status: int,
) -> None:
    if limit and workers == 1:
        monkeypatch.setattr(watchdog, "LOOK_EVERY_SEC", 0.02)
        monkeypatch.setattr(registry, "may_end_process", lambda name: False)
    found = record(flawed(step=step), *(["--step-limit-sec", limit] if limit else []), workers=workers)
    assert found.status == status, found.last
    assert found.last.startswith("error: the world ended its process, or tried to, in ") == bool(status)
    shown = found.with_reason(reason)
    assert len(found.episodes) == EPISODES and 0 < len(found.failed) < EPISODES and len(shown) == len(found.failed)
    for episode in found.episodes:
        assert len(episode) == (5 if episode in found.failed else STEPS)
        assert all(request.step < len(episode) for request in episode.requests)
    for episode in found.failed:
        (line,) = [line for line in shown if episode.episode_id in line]
        assert f"world 'flawed' fails at step 5 of episode {episode.episode_id}: " in line
        assert "its 5 steps before are recorded, and the other episodes are played" in line
        assert reason in episode.notes[FAILURE]


@pytest.mark.parametrize(
    ("workers", "where", "code", "reason"),
    [
        (1, "step", "import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        (2, "reset", "import ctypes; ctypes.CDLL(None)._exit(0)", "status 0"),
    ],
)
def test_an_episode_at_which_the_process_ends_is_named_and_the_others_are_recorded(
    flawed: World, record: Callable[..., Recorded], workers: int, where: str, code: str, reason: str
) -> None:
    found = record(flawed(**{where: code}), workers=workers)
    named, there = found.with_reason(reason), [episode.episode_id for episode in found.episodes]
    assert found.status == 1 and 0 < len(there) < EPISODES and len(there) + len(named) == EPISODES
    assert all("flawed" in line and not any(name in line for name in there) for line in named)
    assert f"in {len(named)} of 8 episodes" in found.last


@pytest.mark.parametrize(
    ("reset", "reason"),
    [
        ("raise KeyError('no such door')", "fails at reset for episode"),
        ("self._config = self.sample(99)", "its reset leads to another place than the configuration"),
        (OTHER_SPACES, "its reset changes its spaces: solver.observation.image.width: it has 20, the world"),
    ],
    ids=["error", "place", "spaces"],
)
def test_episodes_whose_reset_fails_are_not_recorded_and_tried_again(
    flawed: World, record: Callable[..., Recorded], reset: str, reason: str
) -> None:
    found = record(flawed(reset=reset))
    assert found.status == 0 and found.with_reason(reason) and 0 < len(found.episodes) < EPISODES
    assert found.with_reason("it is not recorded, and the other episodes are played")
    assert found.with_reason("of which are not recorded")
    assert len(record(flawed()).episodes) == EPISODES


@pytest.mark.parametrize(("episodes", "announced"), [(1, 0), (8, 2)])
def test_a_world_that_always_fails_ends_the_recording_with_its_error(
    flawed: World, record: Callable[..., Recorded], episodes: int, announced: int
) -> None:
    found = record(flawed(step=OFF_THE_EDGE, bad="True"), episodes=episodes)
    assert found.status == 1 and found.last.startswith("error: world 'flawed' fails at step 5 of episode ")
    assert len(found.with_reason("the other episodes are played")) == announced


def test_debugging_raises_the_first_failure(
    flawed: World, record: Callable[..., Recorded], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RLHF_DEBUG", "1")
    with pytest.raises(WorldError) as caught:
        record(flawed(step=OFF_THE_EDGE, bad="True"))
    assert isinstance(caught.value.__cause__, IndexError)


# Evaluation


def evaluate(world: str, out: Path, *words: str) -> int:
    agent = ["--agents", "perfect=perfect", "--episodes", str(EPISODES)]
    return main(["evaluate", *agent, "--world.name", world, "--out", str(out), *SIZES, *words])


@pytest.mark.parametrize(
    ("where", "code", "reason"),
    [
        ("step", OFF_THE_EDGE, "IndexError: off the edge"),
        ("reset", OFF_THE_EDGE, "IndexError: off the edge"),
        ("step", "while True: pass", "no answer within 0.4 s (--step-limit-sec)"),
        ("reset", "while True: pass", "no answer within 0.4 s (--step-limit-sec)"),
    ],
)
def test_an_evaluation_counts_failed_episodes_as_not_fulfilled_and_replaces_places(
    flawed: World,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    where: str,
    code: str,
    reason: str,
) -> None:
    monkeypatch.setattr(watchdog, "LOOK_EVERY_SEC", 0.02)
    out = tmp_path / "results.json"
    assert evaluate(flawed(**{where: code}), out, "--step-limit-sec", "0.4") == 0
    shown = capsys.readouterr().err
    (row,) = json.loads(out.read_text())
    assert len(row["seeds"]) == EPISODES and reason in shown
    if where == "reset":  # places that cannot be entered
        assert all(row["success"]) and "failed" not in row and "; another place is played instead" in shown
        return
    failed = [success for seed, success in zip(row["seeds"], row["success"], strict=True) if seed in row["failed"]]
    assert 0 < len(failed) < EPISODES and not any(failed) and any(row["success"])
    assert list(load_results(out)[0].failed) == row["failed"]
    assert shown.count("its request counts as not fulfilled, and the other episodes are played") == len(failed)
    assert "world 'flawed' fails at step 5 of episode go-" in shown
    assert f"the world failed in {len(failed)} of 8 episodes of perfect at go" in shown


def test_an_evaluation_in_a_world_that_always_fails_ends_with_its_error(
    flawed: World, tmp_path: Path, complaint: Complaint
) -> None:
    world = flawed(reset=OFF_THE_EDGE, bad="True")
    words = ["--agents", "perfect=perfect", "--world.name", world, "--out", tmp_path / "other", *SIZES]
    assert complaint("evaluate", *words).startswith("error: world 'flawed' fails at reset: IndexError: off the edge")
