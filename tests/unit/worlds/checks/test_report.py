"""Tiers: what a world really reaches, found by trying worlds that break one promise each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.cli.main import main
from pipelines.stages.settings.world_config import WorldConfig
from worlds import registry
from worlds.checks import parts as examination
from worlds.checks.report import WorldReport, check_world
from worlds.contract import SETTER, SOLVER, WorldError
from worlds.foreign_code.trust import permit
from worlds.spaces.observation import ObservationSpec, PlayerSpec, Vector

SOURCE = '''
import pickle, time
import gymnasium
import numpy as np
from gymnasium import spaces


class Room(gymnasium.Env):
    """A walk along a line, with one flaw."""

    def __init__(self):
        self.observation_space = spaces.Box(-9, 9, (2,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.ever = 0

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.steps = self.np_random.uniform(-1, 1, 2).astype(np.float32), 0
        {reset}
        return self.place.copy(), {{}}

    def step(self, action):
        self.place = np.clip(self.place + np.float32(action - 1), -9, 9)
        self.steps += 1
        self.ever += 1
        {step}
        return self.place.copy(), 0.0, False, self.steps >= 40, {{}}
'''


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Writes an environment with a flaw and returns its name as a world."""

    def write(step: str = "pass", reset: str = "pass") -> str:
        (tmp_path / "room.py").write_text(SOURCE.format(step=step, reset=reset))
        registry._foreign.cache_clear()
        registry._registry._entries.pop("Room", None)
        registry._registry._files.clear()
        permit([str(tmp_path / "room.py")])
        return f"{tmp_path / 'room.py'}:Room"

    yield write
    registry._registry._entries.pop("Room", None)


def report_of(name: str, in_another_process: bool = False) -> WorldReport:
    """Return the report of a check; play in another process takes seconds, and so is only tried where it matters."""
    *_, report = check_world(registry.get(name), name if in_another_process else None, seconds=0.05)
    assert isinstance(report, WorldReport)
    return report


def test_a_world_that_keeps_every_promise_is_exact(room: Callable[..., str]) -> None:
    report = report_of(room(), in_another_process=True)
    assert report.tier == "exact" and not report.broken and report.steps_per_sec
    assert report.needs("tick-wise") == "play_ticks, end_step and view (worlds.contract.TickWise)"
    assert not [problem for finding in report.findings for problem in finding.problems]
    value = "np.array([0.5]), np.array([False]), np.bool_(self.steps > 9), None"  # numbers of any kind
    report = report_of(room(step=f"return self.place.copy(), {value}"))
    assert report.tier == "exact" and not report.broken


@pytest.mark.parametrize(
    ("flaw", "tier", "needs"),
    [
        ({"step": "self.place[0] += np.random.random()"}, "seeded", "replay in the same world: vector of the solver"),
        ({"step": "self.place[0] = self.ever % 9"}, "seeded", "replay in the same world: vector of the solver differs"),
        ({"reset": "self.place[0] += self.ever / 99"}, "recorded", "two resets to one place: vector of the solver"),
        ({"step": "self.place[0] = hash('door') % 99991 / 99991"}, "seeded", "in another process: other observations"),
    ],
)
def test_a_flaw_costs_the_tier_that_it_breaks_and_no_other(
    room: Callable[..., str], flaw: dict[str, str], tier: str, needs: str
) -> None:
    report = report_of(room(**flaw), "hash" in str(flaw))
    assert report.tier == tier and not report.broken
    assert needs in next(filter(None, map(report.needs, ("seeded", "exact"))))


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ("self.place[0] = np.nan", "observation after step 0: vector has a value that is not finite"),
        ("self.place = np.zeros(3, np.float32)", "observation is float32 [3], which has 3 numbers, not 2"),
        ("raise IndexError('off the edge')", "IndexError: off the edge"),
        ("return self.place.copy(), np.nan, False, False, {}", "its reward is nan, not a finite number"),
        ("return self.place.copy(), None, False, False, {}", "its reward is no number"),
        ("time.sleep(30)", "reset and step: no answer within 1 s"),
    ],
)
def test_a_world_that_cannot_be_played_is_named(
    room: Callable[..., str], monkeypatch: pytest.MonkeyPatch, step: str, problem: str
) -> None:
    monkeypatch.setattr(examination, "PART_SEC", 1.0 if "sleep" in step else examination.PART_SEC)
    name = room(step=step)
    report = report_of(name)
    assert report.tier == "recorded" and problem in str(report.broken[0])
    if "no answer" not in problem:  # play says the same
        with pytest.raises(WorldError) as caught:
            WorldConfig(name).check()
        assert problem in str(caught.value)


def test_a_departure_from_the_environments_own_space_is_named_by_check_and_play_and_ends_neither(
    room: Callable[..., str],
) -> None:
    name = room(step="self.place[:] = 99")
    report = report_of(name)
    (problem,) = next(each.problems for each in report.findings if each.part == examination.BOUNDS)
    assert "[99.0, 99.0], wanted a value of Box(-9.0, 9.0, (2,), float32)" in str(problem)
    assert not report.fails and report.reaches("seeded")
    with pytest.warns(UserWarning) as said:
        WorldConfig(name).check()
    assert [str(one.message) for one in said] == [f"world 'Room': {problem}"]


# Bases of an environment, and why a snapshot is refused; the last holds, say, the number of a library's simulation.
BASES = {
    "gymnasium.utils.EzPickle": ("_ezpickle_args, _ezpickle_kwargs = (), {}", "starts over"),
    "Forgetful": ("__deepcopy__ = lambda self, memo: type(self)()", "starts over"),
    "Handle": ("shared = {}; place = property(lambda s: s.shared['p'], lambda s, p: s.shared.update(p=p))", ""),
}


@pytest.mark.parametrize("base", BASES)
def test_a_snapshot_that_is_no_true_copy_is_not_offered(room: Callable[..., str], base: str) -> None:
    name, (body, refusal) = room(), BASES[base]
    path = Path(name.rpartition(":")[0])
    source = path.read_text().replace("(gymnasium.Env)", "(Base, gymnasium.Env)")
    parent = f"({base})" if "." in base else ""
    path.write_text(source.replace("\nclass Room", f"\nclass Base{parent}:\n    {body}\n\n\nclass Room"))
    permit([str(path)])
    world = registry.get(name).make()
    world.reset(seed=0)
    world.step({})
    if refusal:
        with pytest.raises(NotImplementedError, match=refusal):
            world.snapshot()
    report = report_of(name)
    assert not next(each.offered for each in report.findings if each.part == "snapshot")
    assert report.tier == "exact" and not report.fails


@pytest.mark.parametrize(
    ("declares", "code", "shown"),
    [
        ("exact", 1, "tier: seeded; its WorldEntry declares exact: repair the world, or declare less in its"),
        ("seeded", 0, "tier: seeded\n"),
        ("recorded", 0, "tier: seeded; its WorldEntry declares recorded: it may declare more"),
    ],
)
def test_the_declared_tier_is_compared_with_the_one_reached(
    room: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    declares: str,
    code: int,
    shown: str,
) -> None:
    name = room(step="self.place[0] += np.random.random()")
    entry = replace(registry.get(name), tier=declares)
    monkeypatch.setattr(registry, "get", lambda asked: entry)
    assert main(["world", "check", name, "--seconds", "0.05"]) == code
    found = capsys.readouterr().out
    assert shown in found and "needs replay in the same world" in found and "observes vector of 2" in found
    assert "no   the test suite that people judge (scenarios from play): needs the tier exact" in found
    assert "acts at random: give the environment a method demonstrate()" in found


def test_spaces_that_are_not_the_worlds_are_named(room: Callable[..., str]) -> None:
    entry = registry.get(room())
    specs = entry.player_specs()
    smaller = {SETTER: specs[SETTER], SOLVER: PlayerSpec(ObservationSpec(vector=Vector(3)), specs[SOLVER].action)}
    *_, report = check_world(replace(entry, spaces=smaller), seconds=0.05)
    assert isinstance(report, WorldReport) and report.tier is None
    line = "solver's spaces: observation.vector.length: the world has 2, its WorldEntry 3, wanted the same"
    assert str(report.broken[0]).startswith(line)
    with pytest.raises(WorldError, match="declares the tier 'perfect'; known: recorded, seeded, exact, tick-wise"):
        replace(entry, tier="perfect")


def test_a_world_of_recorded_play_is_not_played_in(room: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    entry = replace(registry.get(room()), tier="recorded")
    monkeypatch.setattr(registry, "get", lambda asked: entry)
    for call in (WorldConfig("Room").check, lambda: WorldConfig("Room").make(1)):
        with pytest.raises(WorldError, match="'Room' is of the tier recorded; playing in it needs the tier seeded"):
            call()
    assert WorldConfig("Room").solver_spec().observation.vector == Vector(2)


def test_what_is_unpickled_is_named_and_costs_nothing(room: Callable[..., str]) -> None:
    report = report_of(room(reset="pickle.loads(pickle.dumps(spaces.Discrete(2)))"))
    assert report.tier == "exact" and not report.broken
    (problem,) = report.findings[-1].problems
    assert "gymnasium.spaces.discrete.Discrete" in str(problem)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gym:CartPol-v1"], "error: Gymnasium has no environment 'CartPol-v1'; near: gym:CartPole-v1"),
        (["gym:CartPole-v1", "--options", '{"pictur": 56}'], "error: options: no setting pictur; known: picture, "),
        (["nowhere"], "error: no world named 'nowhere'; known: "),
        (["{folder}/empty.py:Empty"], "fails at making the world: AttributeError"),
    ],
)
def test_what_is_no_world_is_one_line(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.py").write_text("import gymnasium\n\n\nclass Empty(gymnasium.Env):\n    pass\n")
    assert main(["world", "check", *(word.replace("{folder}", str(tmp_path)) for word in words)]) == 1
    shown = capsys.readouterr().err
    assert message in shown and shown.count("\n") == 1
