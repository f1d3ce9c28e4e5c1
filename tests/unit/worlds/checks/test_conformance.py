"""Worlds that differ from the contract are refused in one line: the component, what it is, what is wanted."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from annotation.games.config import GameConfig
from annotation.games.live_world import LiveWorld
from annotation.session.states import Kind
from pipelines.cli.main import main
from worlds import registry
from worlds.checks.conformance import check_conforms
from worlds.checks.report import examine
from worlds.checks.trial import WorldReport, try_world
from worlds.contract import (
    SETTER,
    SOLVER,
    Action,
    Observation,
    TaskSpec,
    World,
    WorldError,
    action_space,
    observation_space,
    silent,
)
from worlds.contract.requests import Goal
from worlds.contract.tick_world import Controls, TickWorld

SIZE = 11  # not a multiple of the ticks of a step, or whole steps would lead nowhere


class Good(TickWorld):
    """Two players on a torus of squares; the picture shows where the solver is."""

    @staticmethod
    def sample(seed: int) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        return {player: rng.integers(SIZE, size=2).tolist() for player in (SETTER, SOLVER)}

    def begin(self, config: Mapping[str, Any]) -> dict[str, np.ndarray]:
        return {player: np.array(config[player]) for player in (SETTER, SOLVER)}

    def tick(self, controls: Mapping[str, Controls]) -> None:
        for player, control in controls.items():
            self.state[player] = (self.state[player] + [int(control.forward), int(control.strafe)]) % SIZE

    def draw(self, player: str, height: int, width: int) -> np.ndarray:
        picture = np.zeros((height, width, 3), np.uint8)
        row, column = self.state[SOLVER]
        picture[row * height // SIZE, column * width // SIZE] = 255
        return picture

    def column(self, agent: str) -> int:
        return int(self.state[agent][1])


class StandOnColumn(Goal):
    def judge(self, world: Any, utterance: str) -> tuple[int, str]:
        return int(world.column(SOLVER) == self.spec.arguments["column"]), "there"


class DiscreteActions(Good):
    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(4)


class OtherMovement(Good):
    def action_space(self, agent: str) -> Any:
        return spaces.Dict({**super().action_space(agent).spaces, "movement": spaces.MultiDiscrete([3, 3])})


class VectorObservation(Good):
    def observation_space(self, agent: str) -> Any:
        return spaces.Box(-1, 1, (7,), np.float32)


class NoPicture(Good):
    def observation_space(self, agent: str) -> Any:
        there = super().observation_space(agent).spaces
        return spaces.Dict({name: space for name, space in there.items() if name != "image"})


class FloatPicture(Good):
    def _observe(self) -> dict[str, Observation]:
        return {p: {**o, "image": o["image"] / 255} for p, o in super()._observe().items()}  # type: ignore[dict-item]


class SmallPicture(Good):
    def observation_space(self, agent: str) -> Any:
        return observation_space(SIZE, SIZE)


class NoTexts(Good):
    def _observe(self) -> dict[str, Observation]:
        return {p: {**o, "setter_text": None} for p, o in super()._observe().items()}  # type: ignore[dict-item]


class OnePlayer(Good):
    possible_agents = ["solver"]


class GymnasiumReset(Good):
    def reset(self, seed: int | None = None, options: dict | None = None) -> Any:
        return super().reset(seed, options)[0]


class TupleConfig(Good):
    @property
    def config(self) -> dict[str, Any]:
        return {name: tuple(place) for name, place in super().config.items()}


class RaisesInReset(Good):
    def reset(self, seed: int | None = None, options: dict | None = None) -> Any:
        raise KeyError("no such door")


class RaisesInStep(Good):
    def step(self, actions: dict[str, Action]) -> Any:
        raise ZeroDivisionError("two\nlines")


class Drifts(Good):
    """The picture depends on what was played before the reset."""

    _ever = 0

    def reset(self, seed: int | None = None, options: dict | None = None) -> Any:
        self._ever += 1
        return super().reset(seed, options)

    def _observe(self) -> dict[str, Observation]:
        observations = super()._observe()
        for observation in observations.values():
            observation["image"][0, 0, 2] = self._ever
        return observations


class OneBuffer(Good):
    """Every observation is the same array, drawn over again."""

    def _observe(self) -> dict[str, Observation]:
        observations = super()._observe()
        if not hasattr(self, "_buffer"):
            self._buffer = observations[SOLVER]["image"]
        self._buffer[:] = observations[SOLVER]["image"]
        for observation in observations.values():
            observation["image"] = self._buffer
        return observations


class ForgetsPlaces(Good):
    def restore(self, snapshot: Any) -> dict[str, Observation]:
        return self._observe()


class WholeStepsOnly(Good):
    """Neither snapshots nor ticks: what the contract leaves to the world."""

    play_ticks = end_step = view = None  # type: ignore[assignment]
    snapshot, restore = World.snapshot, World.restore  # type: ignore[assignment]

    def _observe(self) -> dict[str, Observation]:
        image = self.draw(SOLVER, self.height, self.width)
        texts = {f"{player}_text": text for player, text in self._texts.items()}
        return {p: {"image": image, **texts, "previous_movement": m} for p, m in self._previous.items()}  # type: ignore


class TakesAnyPlace(Good):
    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        foreign = options is not None and SETTER not in (options.get("config") or [])
        return super().reset(seed, None if foreign else options)


class TakesAnyBin(Good):
    def step(self, actions: dict[str, Action]) -> Any:
        return super().step({p: {**a, "movement": a["movement"] % 3} for p, a in actions.items()})  # type: ignore


class LongWords(Good):
    def step(self, actions: dict[str, Action]) -> Any:
        result = super().step(actions)
        for player, action in actions.items():
            self._texts[player] = action["utterance"] or self._texts[player]
        return self._observe(), *result[1:]


class NewSpaces(Good):
    def action_space(self, agent: str) -> Any:
        return action_space()


class Does:
    """A solver that stands still."""

    def __init__(self, perfect: bool = False) -> None: ...

    def reset(self, world: Any, seed: int) -> None: ...

    def act(self, observation: Observation) -> Action:
        return silent()


def entry_of(make: type[Good], **changed: Any) -> registry.WorldEntry:
    entry = registry.WorldEntry(
        name="mine",
        make=make,
        sample_config=Good.sample,
        make_solver=Does,
        make_task=StandOnColumn,
        probe=lambda name, world, seed, split: TaskSpec("stand", "go to column 3", {"column": 3}, 20),
        probes=("stand",),
    )
    return dataclasses.replace(entry, **changed)


BAD_SPACES = [
    (DiscreteActions, r"setter's action space: Discrete\(4\), wanted a Dict with movement and utterance"),
    (
        OtherMovement,
        r"setter's action space, movement: MultiDiscrete\(\[3 3\]\), wanted MultiDiscrete\(\[\[3 3 5 3 3 3\]",
    ),
    (
        VectorObservation,
        r"setter's observation space: Box\(-1.0, 1.0, \(7,\), float32\), wanted .*no picture is observed",
    ),
    (NoPicture, "setter's observation space: Dict.*, wanted .*no picture is observed; write spec"),
    (SmallPicture, r"observation space, image: 11x11 pixels, wanted 24x32 pixels, as asked for"),
    (OnePlayer, r"possible_agents: \['solver'\], wanted \['setter', 'solver'\]"),
]
BAD_PLAY = [
    (
        FloatPicture,
        r"after reset: image is float64 \[24, 32, 3\], not uint8 \[24, 32, 3\], wanted as World.spec declares",
    ),
    (NoTexts, "after reset: setter_text is a NoneType, not text"),
    (GymnasiumReset, r"reset: \{.*, wanted \(observations, infos\)"),
    (TupleConfig, "config: .*, wanted a dict that JSON keeps as it is"),
]


def test_a_world_that_keeps_the_contract_passes_check_and_examination() -> None:
    check_conforms(entry_of(Good), {"height": 24, "width": 32, "views": (SOLVER,)})
    findings = {finding.part: finding for finding in examine(entry_of(Good))}
    assert not [str(problem) for finding in findings.values() for problem in finding.problems]
    assert findings["snapshot"].offered and findings["ticks"].offered
    assert report_of(entry_of(Good)).tier == "tick-wise"


@pytest.mark.parametrize(("make", "complaint"), BAD_SPACES + BAD_PLAY)
def test_differences_are_named_in_one_line(make: type[Good], complaint: str) -> None:
    with pytest.raises(
        WorldError, match=f"^world 'mine' does not keep the contract of worlds: .*{complaint}"
    ) as caught:
        check_conforms(entry_of(make), {"height": 24, "width": 32, "views": (SOLVER,)})
    assert "\n" not in str(caught.value) and "rlhf world check mine" in str(caught.value)


def report_of(entry: registry.WorldEntry) -> WorldReport:
    *_, report = try_world(entry, seconds=0.05)
    assert isinstance(report, WorldReport)
    return report


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (RaisesInReset, "world 'mine' fails at reset: KeyError: 'no such door'; RLHF_DEBUG=1 shows where"),
        (RaisesInStep, "world 'mine' fails at step 0: ZeroDivisionError: two lines; RLHF_DEBUG=1 shows where"),
    ],
)
def test_an_error_in_the_worlds_code_names_world_and_step(make: type[Good], message: str) -> None:
    with pytest.raises(WorldError) as caught:
        check_conforms(entry_of(make))
    assert str(caught.value) == message and caught.value.__cause__ is not None


@pytest.mark.parametrize(
    ("changed", "part", "complaint"),
    [
        ({"make": Drifts}, "reset by seed", "two resets to one place: image of the setter differs at step 0"),
        ({"make": OneBuffer}, "replay", "observations returned earlier: image of the setter differs"),
        ({"make": ForgetsPlaces}, "snapshot", "play after restore in the same world: "),
        ({"make": NewSpaces}, "spaces", "the same object at every call"),
        ({"make": TakesAnyPlace}, "refusals", "config {}: accepted, wanted WorldError"),
        ({"make": TakesAnyBin}, "refusals", "movement bins of -1: accepted, wanted WorldError"),
        ({"make": LongWords}, "words", "an utterance of 165 characters: 165 are heard, wanted the first 160"),
        ({"make": RaisesInStep}, "reset and step", "raises ZeroDivisionError: two lines"),
        ({"sample_config": lambda seed: {"solver": [0, 0], "setter": [1, 1]}}, "places", "the same place from seeds"),
        ({"probe": lambda *_: None}, "probes", "probe stand of split train: None in 20 places"),
        ({"probes": ()}, "probes", "at least one name"),
        ({"make_solver": lambda: Does()}, "scripted players", "no solver setting named 'perfect'"),
    ],
)
def test_the_examination_finds_broken_promises(changed: dict[str, Any], part: str, complaint: str) -> None:
    entry = entry_of(**{"make": Good, **changed})
    problems = [(finding.part, str(problem)) for finding in examine(entry) for problem in finding.problems]
    assert problems and problems[0][0] == part and complaint in problems[0][1]


def test_snapshots_and_ticks_are_optional() -> None:
    findings = {finding.part: finding for finding in examine(entry_of(WholeStepsOnly))}
    assert not findings["snapshot"].offered and not findings["ticks"].offered
    assert not any(finding.problems for finding in findings.values())


def test_settings_that_a_signature_does_not_have_are_refused() -> None:
    entry = entry_of(Good)
    with pytest.raises(
        WorldError, match="^no setter setting named 'patience'; known: tasks, split, first_request, pause$"
    ):
        entry.make_setter(tasks={}, split="train", patience=3)
    with pytest.raises(WorldError, match="^no place setting named 'rooms'; known: none$"):
        entry.sample_config(3, rooms=2)


@pytest.fixture
def only_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Worlds registered by the test are forgotten after it."""
    monkeypatch.setattr(registry._registry, "_entries", dict(registry._registry._entries))
    monkeypatch.setattr(registry._registry, "_of_file", {})
    yield


@pytest.mark.parametrize("make", [DiscreteActions, FloatPicture, RaisesInStep])
@pytest.mark.parametrize("verb", ["record", "evaluate", "improve"])
def test_commands_refuse_it_before_anything_is_made(
    make: type[Good], verb: str, only_here: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.register(entry_of(make))
    words = {
        "record": ["--data", str(tmp_path / "made"), "--workers", "1"],
        "evaluate": ["--agents", "scripted", "scripted", "--out", str(tmp_path / "made" / "results.json")],
        "improve": ["--runs", str(tmp_path / "made")],
    }[verb]
    assert main([verb, *words, "--world.name", "mine", "--world.height", "24", "--world.width", "32"]) == 1
    reported = capsys.readouterr().err
    assert reported.startswith("error: world 'mine' ") and reported.count("\n") == 1
    assert not (tmp_path / "made").exists()


def test_people_are_not_let_into_a_world_that_differs() -> None:
    with pytest.raises(WorldError, match="^world 'mine' does not keep the contract of worlds: setter's action space"):
        LiveWorld(GameConfig(kind=Kind.HUMAN_HUMAN, seed=0, world="mine"), entry_of(DiscreteActions))
