"""The game 'build a tower': what is asked can be done, a tower counts only if it stands, and hands can build one."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from pipelines.stages.settings.world_config import WorldConfig
from rlhf.records.episode import Episode
from rlhf.replay.play import Plan, ProbeSetter, ScriptedSolvers, play
from tests.unit.worlds.playhouse.staging import Stage, Trial
from worlds.contract import SETTER, SOLVER
from worlds.playhouse import Playhouse
from worlds.playhouse.house.record import House, Room, Start, Thing
from worlds.playhouse.players.setter import ScriptedSetter
from worlds.playhouse.players.solver import ScriptedSolver
from worlds.playhouse.requests import language
from worlds.playhouse.requests.ground_truth import describe_all, rests_on, tallest_tower
from worlds.playhouse.requests.language import understand
from worlds.playhouse.requests.tasks import GAMES, PROBES, make_task, probe
from worlds.playhouse.requests.tower import STABLE_STEPS, STACKABLE, can_be_base
from worlds.registry import get

BLOCKS = {"rooms": (1, 1), "room_size": (3.5, 4.5), "objects": (3, 4), "furniture": (0, 2), "kinds": ("block",)}
SIDE = 0.26 * 1.15  # metres, of a medium block
ENTRY = get("playhouse")


# What a setter asked for before the game was there: its draws, which recordings rest on, have not moved.
FIRST_REQUESTS = [
    "tell me the color of the large duck",
    "what is the color of the medium car?",
    "pick up the green ball",
    "walk to the orange book",
    "can you find a pink mug in this room?",
    "how many plates are there in this room?",
    "which color does the small banana have?",
    "which color does the pillow have?",
    "pick the black candle up",
    "do you see a purple mug in this room?",
    "is there a white plate in this room?",
    "walk to the red robot",
]


def room(seed: int, **settings: Any) -> Playhouse:
    world = Playhouse(height=6, width=8, views=(), settings=BLOCKS | settings)
    world.reset(seed=seed)
    return world


# ---- words and requests ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "slots"),
    [
        ("put the red block on the blue block", {"x": "the red block", "y": "the blue block"}),
        ("put the mug on the table on the blue block", {"x": "the mug on the table", "y": "the blue block"}),
        ("place the small red mug on top of the book", {"x": "the small red mug", "y": "the book"}),
        ("stack the red block on the blue block", {"x": "the red block", "y": "the blue block"}),
        ("stack two blocks", {"n": "two", "x": "blocks"}),
        ("build a tower of three red toys", {"n": "three", "x": "red toys"}),
        ("make a tower of three things", {"n": "three"}),
        ("build a tower of three", {"n": "three"}),
        ("build a tower", {}),
    ],
)
def test_towers_are_understood(words: str, slots: dict) -> None:
    understood = understand(words)
    assert understood is not None and (understood.name, dict(understood.slots)) == ("tower", slots)


def test_first_requests_are_as_before_and_never_a_game() -> None:
    world = Playhouse(height=6, width=8, views=(), settings={"rooms": (1, 3)})
    asked = []
    for seed in range(len(FIRST_REQUESTS)):
        observations, _ = world.reset(seed=seed)
        setter = ScriptedSetter(first_request=(0, 0), split="held_out" if seed % 2 else "train")
        setter.reset(world, seed)
        asked.append(setter.act(observations[SETTER])["utterance"])
    assert asked == FIRST_REQUESTS
    assert PROBES == ENTRY.probes == ("go", "lift", "position", "color", "count", "exist")
    assert GAMES == ("tower",) and ENTRY.games[0] == "tower"


@pytest.mark.parametrize("split", ["train", "held_out"])
def test_requests_are_repeatable_unambiguous_and_of_their_split(split: str) -> None:
    named = opened = 0
    for seed in range(24):
        world = room(seed, kinds=STACKABLE)
        spec = probe("tower", world, seed, split)
        if spec is None:
            continue
        arguments, understood = spec.arguments, understand(spec.instruction)
        assert spec == probe("tower", world, seed, split) and json.loads(json.dumps(dict(arguments))) == arguments
        assert language.is_held_out("tower", arguments) == (split == "held_out")
        assert understood is not None and understood.name == "tower"
        things = list(describe_all(world).values())
        if "target" in arguments:
            named += 1
            for slot, role in (("x", "target"), ("y", "on")):
                assert [t.id for t in language.resolve(understood.slots[slot], things)] == [arguments[role]]
            assert can_be_base(world, arguments["on"], world.house.objects_by_id[arguments["target"]].radius)
        else:
            opened += 1
            assert language.NUMBERS.index(understood.slots.get("n", "two")) == arguments["height"]
            meant = language.combination(understood.slots.get("x", "toys"))
            assert meant is not None and meant == (arguments["colour"], arguments["kind"])
            fitting = [t for t in things if meant[0] in (None, t.colour) and meant[1] in (None, t.kind)]
            assert len(fitting) >= arguments["height"]
    assert named >= 3 and opened >= 3


# ---- success and events ----------------------------------------------------------------------------------------------


def room_of_blocks() -> Stage:
    """Medium blocks red, blue and green, and a ball, on the floor of a room."""
    things = [
        Thing(colour, "block", colour, "medium", "r", "floor", 1.0 + i, 2.0, 0.0, 0.0)
        for i, colour in enumerate(("red", "blue", "green"))
    ]
    things.append(Thing("ball", "ball", "red", "medium", "r", "floor", 1.0, 3.5, 0.0, 0.0))
    starts = (Start(SOLVER, 0.5, 1.0, 0.0), Start(SETTER, 4.5, 4.5, 0.0))
    return Stage(House((Room("r", 0.0, 0.0, 5.0, 5.0, "oak"),), (), (), tuple(things), starts))


class Tower(Trial):
    """One request for a tower, step by step."""

    def __init__(self, before: dict[str, tuple] | None = None, **arguments: Any) -> None:
        stage = room_of_blocks()
        stage.places |= {name: np.array(place) for name, place in (before or {}).items()}
        super().__init__(stage, "tower", {"height": 2} | arguments)

    def wait(self, steps: int = STABLE_STEPS + 1) -> Tower:
        self.step(times=steps)
        return self

    def hold(self, name: str, at: tuple) -> Tower:
        self.step(held=name, **{name: at})
        return self

    def let_go(self, at: tuple) -> Tower:
        self.step(held=None, **{str(self.stage.players[SOLVER].held): at})
        return self


RED_ON_BLUE: dict[str, Any] = {"target": "red", "on": "blue"}
ANY: dict[str, Any] = {"colour": None, "kind": None}
ON_BLUE = (2.0, 2.0, 1.5 * SIDE)
OVER_BLUE = (2.02, 2.0, 1.5 * SIDE + 0.1)


def test_a_thing_rests_on_another_only_over_it_and_touching() -> None:
    stage = room_of_blocks()
    stage.places["red"] = np.array(ON_BLUE)
    assert rests_on(stage.house, "red", "blue", stage.places) and not rests_on(stage.house, "blue", "red", stage.places)
    for away in ((SIDE / 2 + 0.01, 0.0, 0.0), (0.0, 0.0, 0.04), (0.0, 0.0, -0.04)):
        stage.places["red"] = np.array(ON_BLUE) + away
        assert not rests_on(stage.house, "red", "blue", stage.places)
    stage.places["red"], stage.places["green"] = np.array(ON_BLUE), np.array([2.0, 2.0, 2.5 * SIDE])
    assert tallest_tower(stage.house, tuple(stage.places), stage.places) == ("blue", "red", "green")
    assert tallest_tower(stage.house, ("blue", "green"), stage.places) in (("blue",), ("green",))


def test_a_tower_that_stands_is_a_success() -> None:
    trial = Tower(**RED_ON_BLUE).hold("red", (1.0, 2.0, 0.4)).hold("red", OVER_BLUE).let_go(ON_BLUE)
    assert trial.signs == [1, 1] and not trial.success
    assert not trial.wait(STABLE_STEPS - 1).success
    assert trial.wait(1).success
    assert trial.told == [
        (1, "takes the right thing"), (1, "brings it over the right thing"), (1, "has built the tower"),
    ]  # fmt: skip
    trial.stage.places["red"] = np.array([2.5, 2.0, SIDE / 2])
    assert trial.wait().success and trial.signs == [1, 1, 1]  # nothing is held against it afterwards


def test_an_object_still_held_is_no_tower() -> None:
    trial = Tower(**RED_ON_BLUE).hold("red", ON_BLUE).wait(20)
    assert not trial.success
    trial = Tower(**RED_ON_BLUE).hold("blue", (2.0, 2.0, 0.3)).let_go((2.0, 2.0, SIDE / 2))
    trial.hold("red", OVER_BLUE).let_go(ON_BLUE)
    trial.stage.players[SOLVER].held = "blue"
    assert not trial.wait(20).success


def test_a_tower_that_falls_before_it_has_stood_is_regress() -> None:
    trial = Tower(**RED_ON_BLUE).hold("red", OVER_BLUE).let_go(ON_BLUE).wait(STABLE_STEPS - 2)
    trial.stage.places["red"] = np.array([2.6, 2.0, SIDE / 2])
    trial.wait(20)
    assert not trial.success and trial.told[-1] == (-1, "puts the right thing in a wrong place")
    trial.hold("red", OVER_BLUE).let_go(ON_BLUE).wait()
    assert trial.success and trial.signs == [1, 1, -1, 1, 1, 1]


def test_the_wrong_way_round_is_no_tower() -> None:
    trial = Tower(**RED_ON_BLUE).hold("blue", (1.0, 2.0, 0.6)).let_go((1.0, 2.0, 1.5 * SIDE)).wait(20)
    assert not trial.success
    assert trial.told == [(-1, "takes a wrong thing"), (-1, "builds a wrong tower")]


def test_what_others_do_later_with_a_wrong_thing_is_not_held_against_the_solver() -> None:
    trial = Tower(**RED_ON_BLUE).hold("green", (1.0, 1.0, 0.6)).let_go((1.0, 1.0, SIDE / 2)).wait(20)
    trial.stage.places["green"] = np.array(ON_BLUE)  # carried there by the setter
    assert trial.wait(20).told == [(-1, "takes a wrong thing")]


def test_beside_is_not_on() -> None:
    trial = Tower(**RED_ON_BLUE).hold("red", (2.4, 2.0, 0.3)).let_go((2.4, 2.0, SIDE / 2)).wait(20)
    assert not trial.success and trial.signs == [1, -1]


def test_carrying_it_past_high_above_is_not_bringing_it_there() -> None:
    assert Tower(**RED_ON_BLUE).hold("red", (2.0, 2.0, 1.2)).signs == [1]


def test_taking_a_tower_apart_is_regress() -> None:
    trial = Tower({"red": ON_BLUE}, height=3, **ANY).hold("red", (2.0, 2.0, 1.2))
    assert trial.told == [(-1, "takes the tower apart")]


def test_a_wrong_thing_on_the_right_place_is_no_tower() -> None:
    trial = Tower(**RED_ON_BLUE).hold("green", OVER_BLUE).let_go(ON_BLUE).wait(STABLE_STEPS - 2)
    assert trial.signs == [-1]
    trial.wait(20)
    assert not trial.success and trial.signs == [-1, -1], "once it stands, and only once"
    trial.hold("green", OVER_BLUE).let_go((4.0, 2.0, SIDE / 2)).wait(20)
    assert trial.signs == [-1, -1, -1], "beside nothing it does no harm"


def test_any_things_make_a_tower_that_is_asked_for_without_names() -> None:
    trial = Tower(**ANY).hold("green", OVER_BLUE).let_go(ON_BLUE).wait()
    assert trial.success and trial.signs == [1, 1, 1]
    assert Tower(**ANY).hold("ball", (1.0, 3.5, 0.5)).signs == [-1], "a ball is no help"
    trial = Tower(colour="red", kind=None).hold("green", OVER_BLUE).let_go(ON_BLUE).wait(20)
    assert not trial.success and trial.signs == [-1, -1]


def test_three_high_goes_storey_by_storey_and_may_be_knocked_over() -> None:
    trial = Tower(height=3, **ANY).hold("red", OVER_BLUE).let_go(ON_BLUE).wait()
    assert not trial.success and trial.told[-1] == (1, "puts it on the right thing")
    trial.stage.places["red"] = np.array([2.6, 2.0, SIDE / 2])
    assert trial.wait(1).told[-1] == (-1, "knocks the tower over")
    trial.hold("red", OVER_BLUE).let_go(ON_BLUE).wait()
    top = (2.0, 2.0, 2.5 * SIDE)
    trial.hold("green", (2.0, 2.0, 2.5 * SIDE + 0.1)).let_go(top).wait()
    assert trial.success and trial.told[-1] == (1, "has built the tower")
    assert trial.signs == [1, 1, 1, -1, 1, 1, 1, 1, 1, 1]


def test_a_tower_that_stood_before_does_not_count() -> None:
    assert not Tower({"red": ON_BLUE}, **RED_ON_BLUE).wait(30).success
    assert Tower({"red": ON_BLUE}, **ANY).wait(30).told == []


def test_towers_built_by_the_other_do_not_count() -> None:
    trial = Tower(**ANY)
    trial.stage.places["red"] = np.array(ON_BLUE)
    assert not trial.wait(30).success and trial.told == []


# ---- real hands ------------------------------------------------------------------------------------------------------


def built(seed: int, solver: ScriptedSolver, tail: int = 0, **settings: Any) -> tuple[Episode, Playhouse] | None:
    """One request for a tower, played by ``solver``; None where none can be asked for."""
    world = room(seed, **settings)
    spec = probe("tower", world, seed)
    if spec is None:
        return None
    setter = ProbeSetter(spec, make_task(spec))
    plan = Plan(f"t{seed}", world.config, setter, seed, spec.max_steps, tail=tail, solver=solver)
    (episode,) = play(ENTRY, [world], [plan], ScriptedSolvers(1), threads=1)
    return episode, world


def test_towers_of_a_careful_solver_stay_standing() -> None:
    outcomes = []
    for seed in range(8):
        episode, world = built(seed, ScriptedSolver.perfect()) or pytest.fail("blocks alone, and none can be stacked")
        outcomes.append(episode.success_step[0] is not None)
        if outcomes[-1]:
            height = episode.requests[0].task.arguments["height"]
            tower = tallest_tower(world.house, list(world.object_positions()), world.object_positions())
            before = {i: world.object_position(i) for i in tower}
            for _ in range(60):
                world.step({})
            assert len(tower) >= height
            assert max(np.abs(world.object_position(i) - before[i]).max() for i in tower) < 0.005
    assert sum(outcomes) >= 7


def test_a_solver_that_notices_a_wrong_object_clears_the_place_again() -> None:
    mistaken = {"wrong_object": 1.0, "notice": 1.0, "careless": 0.0, "drop": 0.0, "hesitation": 0.0, "motor_noise": 0.0}
    outcomes = []
    for seed in range(12):
        made = built(seed, ScriptedSolver(**mistaken))
        if made is None or "target" not in made[0].requests[0].task.arguments:
            continue
        events = made[0].truth
        assert (events[0].sign, events[0].reason) == (-1, "takes a wrong thing")
        outcomes.append(made[0].success_step[0] is not None)
    assert len(outcomes) >= 3 and np.mean(outcomes) >= 0.6


def test_an_episode_with_a_tower_replays_to_the_bit() -> None:
    settings = WorldConfig(height=24, width=32, settings=json.dumps(BLOCKS))
    (world,) = settings.make(1)
    setter = ENTRY.make_setter(tasks={"tower": 1, "lift": 1}, first_request=(0, 0), pause=(1, 3))
    plan = Plan("t", settings.sample_config(2), setter, 2, 120, solver=ENTRY.make_solver())
    (episode,) = play(ENTRY, [world], [plan], ScriptedSolvers(1), threads=1)
    assert any(request.task.name == "tower" for request in episode.requests)
    (again,) = settings.make(1)
    observations, _ = again.reset(options={"config": episode.config})
    for step in range(len(episode)):
        assert np.array_equal(observations[SOLVER]["image"], episode.image[step])
        observations, *_ = again.step({SETTER: episode.setter_action(step), SOLVER: episode.solver_action(step)})
