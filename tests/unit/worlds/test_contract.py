"""What worlds share: tick-wise worlds, instructions, random players, choices of goals, and plain pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.unit.agents.example_spaces import SPACES
from worlds import registry
from worlds.contract import SETTER, SOLVER, TICKS_PER_STEP, TaskSpec, WorldError, silent
from worlds.contract.goal_choices import GoalChoice, GoalChoices
from worlds.contract.plain_pictures import PlainPictures, colour_of
from worlds.contract.random_solver import RandomSolver
from worlds.contract.tick_world import TickWorld
from worlds.instructed_world import AdvisedSolver
from worlds.spaces.action import ActionSpec, Discrete
from worlds.spaces.observation import Category, Entities, Grid, ObservationSpec, Vector


class Ticking(TickWorld):
    """A world whose state is the number of ticks, and of bins that were played in them."""

    def sample(self, seed):
        return {"begin": seed}

    def begin(self, config):
        return {"ticks": config["begin"], "bins": 0}

    def advance(self, movement, first, last):
        self.state["ticks"] += last - first
        self.state["bins"] += int(movement[:, first:last].sum())

    def draw(self, player, height, width):
        return np.full((height, width, 3), self.state["ticks"] % 256, np.uint8)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"height": 0}, "setting height: 0 is not"),
        ({"width": "36"}, "setting width: '36' is not"),
        ({"max_steps": 2.5}, "setting max_steps: 2.5 is not"),
        ({"max_steps": True}, "setting max_steps: True is not"),
        ({"views": ("nobody",)}, "setting views: 'nobody' is no player"),
        ({"views": SOLVER}, "setting views: 'solver' is no list of players"),
        ({"views": 3}, "setting views: 3 is no list of players"),
    ],
)
def test_settings_that_no_world_can_have_are_refused(settings, named):
    with pytest.raises(WorldError, match=named):
        Ticking(**settings)


def test_a_world_may_advance_several_ticks_at_once():
    world = Ticking(height=2, width=2)
    observations, _ = world.reset(seed=3)
    assert observations[SOLVER]["image"].max() == 3 and world.config == {"begin": 3}
    here = world.snapshot()
    observations = world.step({SOLVER: silent()})[0]
    assert world.state["ticks"] == 3 + TICKS_PER_STEP == observations[SOLVER]["image"].max()
    world.play_ticks({SETTER: silent()["movement"][:5]})
    assert world.state["ticks"] == 8 + 3 + 5
    with pytest.raises(WorldError, match=r"call end_step\(\) before snapshot"):
        world.snapshot()
    world.restore(here)
    assert world.state == {"ticks": 3, "bins": 0} and world.step_index == 0


def test_after_the_end_there_is_no_step_to_end():
    world = Ticking(height=2, width=2, max_steps=1)
    world.reset(seed=0)
    world.step({})
    for over in (world.end_step, world.play_ticks):
        with pytest.raises(WorldError, match="the episode is over"):
            over({})


def test_a_world_with_neither_tick_nor_advance_is_named():
    class Nothing(Ticking):
        advance = TickWorld.advance

    world = Nothing()
    world.reset(seed=0)
    with pytest.raises(NotImplementedError, match="Nothing has neither tick nor advance"):
        world.step({})


def test_a_bin_that_does_not_exist_is_named_and_nothing_is_played():
    world = Ticking()
    world.reset(seed=0)
    movement = silent()["movement"].astype(np.int64)
    movement[2, 0] = 2**40
    with pytest.raises(WorldError, match=f"action of the solver: forward is {2**40} at tick 2; bins are 0..2"):
        world.step({SOLVER: {"movement": movement, "utterance": ""}})
    assert world.state["ticks"] == 0


def solver_of(action: ActionSpec, seed: int = 0) -> RandomSolver:
    world: Any = SimpleNamespace(spec=lambda player: SimpleNamespace(action=action))
    solver = RandomSolver()
    solver.reset(world, seed)
    return solver


@pytest.mark.parametrize("spec", SPACES.values(), ids=SPACES)
def test_actions_are_of_the_space_and_follow_the_seed(spec) -> None:
    one, same, other = (solver_of(spec.action, seed) for seed in (0, 0, 1))
    differ = 0
    for number in range(30):
        seen = spec.blank()
        if spec.observation.entities is not None:
            rows = number % 4
            seen["entity_values"] = np.zeros((rows, len(spec.observation.entities.real)), np.float32)
        action, again, another = one.act(seen), same.act(seen), other.act(seen)
        spec.action.check(action, len(seen.get("entity_values", ())))
        assert np.array_equal(action["movement"], again["movement"]) and not action["utterance"]
        differ += not np.array_equal(action["movement"], another["movement"])
    assert differ > 0 or not spec.action.discrete


def test_legal_bins_are_drawn_evenly_but_for_giving_up() -> None:
    nothing: Any = {}
    solver = solver_of(ActionSpec((Discrete("act", ("left", "right", "toggle", "done"), 3),)))
    counts = Counter(int(solver.act(nothing)["movement"][0, 0]) for _ in range(3000))
    assert set(counts) == {0, 1, 2} and min(counts.values()) > 900
    two = solver_of(ActionSpec((Discrete("act", ("go", "done")),)))
    assert {int(two.act(nothing)["movement"][0, 0]) for _ in range(50)} == {0, 1}
    spec = SPACES["household"]
    solver, seen = solver_of(spec.action), spec.blank()
    seen["legal"][[1, 3]] = False
    drawn = {tuple(solver.act(seen)["movement"][0].tolist()) for _ in range(200)}  # type: ignore[arg-type]
    assert drawn == {(0, 0), (2, 0)}  # nothing is there to point at


PLATES = GoalChoice("plates", "on the table", "plates", 2)
SITS = GoalChoice("sits", "Alice herself", "sits", 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GoalChoice("", "here", "plates", 1), "a name, a group and words"),
        (lambda: GoalChoice("plates", "", "plates", 1), "a name, a group and words"),
        (lambda: GoalChoice("plates", "here", "", 1), "a name, a group and words"),
        (lambda: GoalChoice("plates", "here", "plates", 0), "the largest count of plates is .* from 1 up"),
        (lambda: GoalChoice("plates", "here", "plates", True), "the largest count of plates is .* from 1 up"),
        (lambda: GoalChoices((PLATES, PLATES), lambda _: None), "two choices of goals have one name"),
        (
            lambda: GoalChoices((PLATES, SITS, replace(PLATES, name="forks")), lambda _: None),
            "do not follow each other",
        ),
    ],
)
def test_choices_have_names_words_counts_and_whole_groups(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_counts_that_nobody_can_choose_are_refused_in_one_line() -> None:
    offered = GoalChoices((PLATES, SITS), lambda _: None)
    offered.check({"plates": 2, "sits": 0})
    for counts, message in (
        ({"spoons": 1}, "no predicate 'spoons' to choose; known: plates, sits"),
        ({"plates": 3}, "the count of 'plates' is from 0 to 2, not 3"),
        ({"sits": -1}, "the count of 'sits' is from 0 to 1, not -1"),
    ):
        with pytest.raises(WorldError, match=message) as caught:
            offered.check(counts)
        assert "\n" not in str(caught.value) and not offered.knows(counts)
    assert offered.knows({"plates": 1})


SHELF = Path(__file__).parents[3] / "examples" / "own_world" / "shelf.py"
ENTRY = registry.get(str(SHELF))


def place(*names: str) -> dict[str, Any]:
    """The configuration of a shelf with these things from left to right."""
    colours, kinds = ("red", "green", "blue"), ("cup", "plate", "spoon")
    pairs = [name.split() for name in names]
    rows = [[colours.index(colour), kinds.index(kind)] for colour, kind in pairs]
    return {"names": rows, "x": np.linspace(-1, 1, len(rows)).tolist()}


def play(words: str, solver: AdvisedSolver, config: dict[str, Any], steps: int = 20) -> tuple[bool, list[int], Any]:
    """Give one instruction; return success, the signs of all events and the world."""
    world: Any = ENTRY.make()
    seen = world.reset(options={"config": config})[0]
    solver.reset(world, 0)
    task = ENTRY.make_task(TaskSpec("do", words, {}, 20))
    signs = []
    for step in range(steps):
        asked = world.spec(SETTER).action.silent() | {"utterance": words if step == 0 else ""}
        action = solver.act(seen[SOLVER])
        seen = world.step({SETTER: asked, SOLVER: action})[0]
        signs += [event.sign for event in task.update(world, action["utterance"])[1]]
    return task.update(world, "")[0], signs, world


@pytest.mark.parametrize(("words", "gone"), [("left cup", 0), ("right cup", 3), ("blue cup", 2)])
def test_a_perfect_solver_takes_what_is_meant_and_one_that_errs_another_thing(words: str, gone: int) -> None:
    cups = place("red cup", "blue plate", "blue cup", "green cup")
    done, signs, world = play(f"take the {words}", AdvisedSolver([], perfect=True), cups)
    assert done and signs == [1]
    assert world.state["names"].tolist() == np.delete(cups["names"], gone, axis=0).tolist()
    done, signs, _ = play(f"take the {words}", AdvisedSolver(["take the blue plate"], wrong=1.0, error=0.0), cups)
    assert not done and signs == [-1]


def test_requests_are_possible_of_their_split_and_in_new_words() -> None:
    world: Any = ENTRY.make()
    world.reset(options={"config": place("red cup", "blue plate")})
    specs = [[ENTRY.probe("do", world, seed, split) for seed in range(20)] for split in ("train", "held_out")]
    train, held_out = ({spec.instruction for spec in of_split if spec} for of_split in specs)
    assert held_out == {"take the red cup"}
    things = ("left cup", "right cup", "blue plate", "left plate", "right plate")
    assert train == {f"take the {thing}" for thing in things}
    setter: Any = ENTRY.make_setter(tasks={"do": 1.0}, split="train", first_request=(0, 0), pause=(0, 0))
    setter.reset(world, 0)
    said = [setter.act({})["utterance"]]
    for _ in range(6):
        setter.task.succeeded = True
        said.append(setter.act({})["utterance"])
    assert all(one and one != other for one, other in pairwise(said))


def test_a_cell_has_the_colour_of_its_category_at_its_place() -> None:
    pictures = PlainPictures(ObservationSpec(grid=Grid(4, 6, (3, 2))))
    grid = np.zeros((4, 6, 2), np.int16)
    grid[1, 4, 0] = 2
    picture = pictures.draw({"grid": grid})
    side = (512 - 16 - 64) // 6
    centre = [8 + round((at + 0.5) * side) for at in (1, 4)]
    assert tuple(picture[centre[0], centre[1]]) == colour_of(2)
    assert tuple(picture[centre[0], centre[1] - side]) == colour_of(0)
    grid[1, 4, 1] = 1
    assert tuple(pictures.draw({"grid": grid})[centre[0], centre[1]]) not in (colour_of(2), colour_of(0)), "the dot"


def test_a_vector_over_time_has_a_bar_at_the_step() -> None:
    vector = np.linspace(-1, 1, 20, dtype=np.float32)[:, None].repeat(3, 1)
    pictures = PlainPictures(ObservationSpec(vector=Vector(3, ("east", "north", "grip"))), {"vector": vector})
    columns = []
    for step in (0, 10, 19):
        red = (pictures.draw({"vector": vector[step]}, step) == colour_of(2)).all(-1)
        columns.append(int(np.flatnonzero(red.any(0)).mean()))
    assert columns == sorted(set(columns))


def test_entities_are_points_where_coordinates_are_declared() -> None:
    things = {"categorical": (Category("kind", 3),), "real": ("x", "y", "size")}
    seen = {"entity_categories": np.array([[2]], np.int16), "entity_values": np.array([[1, 2, 3]], np.float32)}
    for position, shown in ((("x", "y"), True), ((), False)):
        picture = PlainPictures(ObservationSpec(entities=Entities(5, **things, position=position))).draw(seen)
        assert bool((picture == colour_of(3)).all(-1).any()) == shown


CROWD = {"entity_categories": np.zeros((90, 0), np.int16), "entity_values": np.zeros((90, 1), np.float32)}


@pytest.mark.parametrize(
    ("spec", "seen"),
    [
        (ObservationSpec(), {}),
        (ObservationSpec(texts=("hands", "tale")), {"hands": "", "tale": "once upon a time " * 30}),
        (ObservationSpec(entities=Entities(2, (), ("x",), ("x",))), {key: rows[:0] for key, rows in CROWD.items()}),
        (ObservationSpec(vector=Vector(500)), {"vector": np.ones(500, np.float32)}),
        (ObservationSpec(grid=Grid(200, 300, (900,))), {"grid": np.full((200, 300, 1), 899, np.int16)}),
        (
            ObservationSpec(grid=Grid(3, 3, (2, 2, 2)), vector=Vector(2), entities=Entities(90, (), ("x",))),
            {"grid": np.ones((3, 3, 3), np.int16), "vector": np.full(2, -1e9, np.float32), **CROWD},
        ),
    ],
)
def test_whatever_is_observed_can_be_drawn(spec: ObservationSpec, seen: dict[str, Any]) -> None:
    for size in ((384, 512), (60, 80), (512, 90)):
        picture = PlainPictures(spec).draw(seen, size=size)
        assert picture.shape == (*size, 3) and picture.dtype == np.uint8
        assert len(np.unique(picture)) > 1, "something is drawn"
