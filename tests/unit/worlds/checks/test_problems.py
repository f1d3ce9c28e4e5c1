"""Worlds that differ from the contract are refused in one line: the component, what it is, what is wanted."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
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
from worlds.checks.parts import check_parts
from worlds.checks.problems import check_conforms
from worlds.contract import SETTER, SOLVER, TaskSpec, World, WorldError, action_space, observation_space, silent
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


class StandOnColumn(Goal):
    def judge(self, world: Any, utterance: str) -> tuple[int, str]:
        return int(world.state[SOLVER][1] == self.spec.arguments["column"]), "there"


class StandsStill:
    """A solver that does nothing."""

    def __init__(self, perfect: bool = False) -> None: ...

    def reset(self, world: Any, seed: int) -> None: ...

    def act(self, observation: Any) -> Any:
        return silent()


def world_with(**parts: Any) -> type[Good]:
    """Return the good world with other attributes."""
    return type("Changed", (Good,), parts)


def observing(change: Any) -> type[Good]:
    """Return a world whose observations are ``change(world, observation)``."""
    return world_with(_observe=lambda self: {p: change(self, o) for p, o in Good._observe(self).items()})


def fails(error: Exception) -> Any:
    def call(*_: Any, **__: Any) -> Any:
        raise error

    return call


def drifts(world: Any, observation: Any) -> Any:
    """The picture depends on what was played before the reset."""
    image = observation["image"].copy()
    image[0, 0, 2] = world.ever
    return observation | {"image": image}


def one_buffer(world: Any, observation: Any) -> Any:
    """Every observation is the same array, drawn over again."""
    world.__dict__.setdefault("buffer", observation["image"])[:] = observation["image"]
    return observation | {"image": world.buffer}


def counting(self: Any, *given: Any, **named: Any) -> Any:
    self.ever += 1
    return Good.reset(self, *given, **named)


def any_place(self: Any, seed: int | None = None, options: Any = None) -> Any:
    foreign = options is not None and SETTER not in (options.get("config") or [])
    return Good.reset(self, seed, None if foreign else options)


def any_bin(self: Any, actions: Any) -> Any:
    changed: Any = {p: {**a, "movement": a["movement"] % 3} for p, a in actions.items()}
    return Good.step(self, changed)


def long_words(self: Any, actions: Any) -> Any:
    result = Good.step(self, actions)
    self._texts.update({player: action["utterance"] for player, action in actions.items() if action["utterance"]})
    return self._observe(), *result[1:]


def bare(self: Any) -> Any:
    image, texts = self.draw(SOLVER, self.height, self.width), {f"{p}_text": text for p, text in self._texts.items()}
    return {p: {"image": image, **texts, "previous_movement": m} for p, m in self._previous.items()}


DISCRETE = world_with(action_space=lambda self, agent: spaces.Discrete(4))
FLOAT_PICTURE = observing(lambda world, seen: seen | {"image": seen["image"] / 255})
FAILS_IN_STEP = world_with(step=fails(ZeroDivisionError("two\nlines")))
WHOLE_STEPS_ONLY = world_with(
    play_ticks=None, end_step=None, view=None, snapshot=World.snapshot, restore=World.restore, _observe=bare
)


def entry_of(make: type[Good], **changed: Any) -> registry.WorldEntry:
    entry = registry.WorldEntry(
        name="mine",
        make=make,
        sample_config=Good.sample,
        make_solver=StandsStill,
        make_task=StandOnColumn,
        probe=lambda name, world, seed, split: TaskSpec("stand", "go to column 3", {"column": 3}, 20),
        probes=("stand",),
    )
    return dataclasses.replace(entry, **changed)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (DISCRETE, r"setter's action space: Discrete\(4\), wanted a Dict with movement and utterance"),
        (
            world_with(observation_space=lambda self, agent: spaces.Box(-1, 1, (7,), np.float32)),
            r"setter's observation space: Box\(-1.0, 1.0, \(7,\), float32\), wanted .*no picture is observed",
        ),
        (
            world_with(observation_space=lambda self, agent: observation_space(SIZE, SIZE)),
            "observation space, image: 11x11 pixels, wanted 24x32 pixels, as asked for",
        ),
        (world_with(possible_agents=["solver"]), r"possible_agents: \['solver'\], wanted \['setter', 'solver'\]"),
        (FLOAT_PICTURE, r"after reset: image is float64 \[24, 32, 3\], not uint8 \[24, 32, 3\], wanted as World.spec"),
        (world_with(reset=lambda self, *_, **__: {}), r"reset: \{.*, wanted \(observations, infos\)"),
        (world_with(config={"at": (1, 2)}), "config: .*, wanted a dict that JSON keeps as it is"),
    ],
)
def test_differences_are_named_in_one_line(make: type[Good], complaint: str) -> None:
    line = f"^world 'mine' does not keep the contract of worlds: .*{complaint}"
    with pytest.raises(WorldError, match=line) as caught:
        check_conforms(entry_of(make), {"height": 24, "width": 32, "views": (SOLVER,)})
    assert "\n" not in str(caught.value) and "rlhf world check mine" in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (world_with(reset=fails(KeyError("no such door"))), "fails at reset: KeyError: 'no such door'"),
        (FAILS_IN_STEP, "fails at step 0: ZeroDivisionError: two lines"),
    ],
)
def test_an_error_in_the_worlds_code_names_world_and_step(make: type[Good], message: str) -> None:
    with pytest.raises(WorldError) as caught:
        check_conforms(entry_of(make))
    assert str(caught.value) == f"world 'mine' {message}; RLHF_DEBUG=1 shows where"
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize(
    ("changed", "part", "complaint"),
    [
        ({"make": type("Drifts", (observing(drifts),), {"ever": 0, "reset": counting})}, "reset by seed",
         "two resets to one place: image of the setter differs at step 0"),
        ({"make": observing(one_buffer)}, "replay", "observations returned earlier: image of the setter differs"),
        ({"make": world_with(restore=lambda self, snapshot: self._observe())}, "snapshot",
         "play after restore in the same world: "),
        ({"make": world_with(action_space=lambda self, agent: action_space())}, "spaces",
         "the same object at every call"),
        ({"make": world_with(reset=any_place)}, "refusals", "config {}: accepted, wanted WorldError"),
        ({"make": world_with(step=any_bin)}, "refusals", "movement bins of -1: accepted, wanted WorldError"),
        ({"make": world_with(step=long_words)}, "words", "165 are heard, wanted the first 160"),
        ({"make": FAILS_IN_STEP}, "reset and step", "raises ZeroDivisionError: two lines"),
        ({"sample_config": lambda seed: {"solver": [0, 0], "setter": [1, 1]}}, "places", "the same place from seeds"),
        ({"probe": lambda *_: None}, "probes", "probe stand of split train: None in 20 places"),
        ({"probes": ()}, "probes", "at least one name"),
        ({"make_solver": lambda: StandsStill()}, "scripted players", "no solver setting named 'perfect'"),
    ],
)  # fmt: skip
def test_the_parts_of_a_check_find_broken_promises(changed: dict[str, Any], part: str, complaint: str) -> None:
    entry = entry_of(**{"make": Good, **changed})
    problems = [(finding.part, str(problem)) for finding in check_parts(entry) for problem in finding.problems]
    assert problems and problems[0][0] == part and complaint in problems[0][1]


@pytest.mark.parametrize(("make", "offered"), [(Good, True), (WHOLE_STEPS_ONLY, False)])
def test_a_world_that_keeps_the_contract_passes_with_snapshots_and_ticks_or_without(
    make: type[Good], offered: bool
) -> None:
    check_conforms(entry_of(make), {"height": 24, "width": 32, "views": (SOLVER,)})
    findings = {finding.part: finding for finding in check_parts(entry_of(make))}
    assert not [str(problem) for finding in findings.values() for problem in finding.problems]
    assert findings["snapshot"].offered == findings["ticks"].offered == offered


def test_settings_that_a_signature_does_not_have_are_refused() -> None:
    entry, known = entry_of(Good), "tasks, split, first_request, pause"
    with pytest.raises(WorldError, match=f"^no setter setting named 'patience'; known: {known}$"):
        entry.make_setter(tasks={}, split="train", patience=3)
    with pytest.raises(WorldError, match="^no place setting named 'rooms'; known: none$"):
        entry.sample_config(3, rooms=2)


@pytest.mark.parametrize(
    ("make", "verb"),
    [(DISCRETE, "evaluate"), (DISCRETE, "improve"), (FLOAT_PICTURE, "record"), (FAILS_IN_STEP, "record")],
)
def test_commands_refuse_it_before_anything_is_made(
    make: type[Good], verb: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registry._registry, "_entries", dict(registry._registry._entries))
    monkeypatch.setattr(registry._registry, "_of_file", {})
    registry.register(entry_of(make))
    made = tmp_path / "made"
    words = {
        "record": ["--data", str(made), "--workers", "1"],
        "evaluate": ["--agents", "scripted", "scripted", "--out", str(made / "results.json")],
        "improve": ["--runs", str(made)],
    }[verb]
    assert main([verb, *words, "--world.name", "mine", "--world.height", "24", "--world.width", "32"]) == 1
    reported = capsys.readouterr().err
    assert reported.startswith("error: world 'mine' ") and reported.count("\n") == 1
    assert not made.exists()


def test_people_are_not_let_into_a_world_that_differs() -> None:
    with pytest.raises(WorldError, match="^world 'mine' does not keep the contract of worlds: setter's action space"):
        LiveWorld(GameConfig(kind=Kind.HUMAN_HUMAN, seed=0, world="mine"), entry_of(DISCRETE))
