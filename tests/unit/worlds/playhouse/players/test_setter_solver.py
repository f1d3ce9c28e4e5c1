"""The scripted players do what they should in real houses, and ways and sight are true of the house."""

from __future__ import annotations

import math

import numpy as np
import pytest

from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP, Event, WorldError, silent
from worlds.playhouse import Playhouse
from worlds.playhouse.house.record import AVATAR_RADIUS, Doorway, Furniture, House, Room
from worlds.playhouse.navigation.floor_plan import FloorPlan
from worlds.playhouse.navigation.sight import Sight
from worlds.playhouse.players.behaviours import UNDERFOOT
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.setter import ScriptedSetter
from worlds.playhouse.players.solver import ScriptedSolver
from worlds.playhouse.players.steering import FORWARD, FORWARD_BIN, LEFT_BIN, LOOK, TURN, Aim, steer
from worlds.playhouse.requests import language
from worlds.playhouse.requests.tasks import PROBES

ROOM = {"rooms": (1, 1), "room_size": (3.5, 4.5), "objects": (4, 4), "furniture": (0, 2)}


def play(world: Playhouse, setter: ScriptedSetter, solver: ScriptedSolver, seed: int, steps: int):
    """Play ``steps`` steps from a reset. Returns the step of first success (None), events and all actions."""
    observations, _ = world.reset(seed=seed)
    setter.reset(world, seed)
    solver.reset(world, seed)
    success: int | None = None
    events: list[Event] = []
    actions = []
    for _ in range(steps):
        actions.append((setter.act(observations["setter"]), solver.act(observations["solver"])))
        observations, *_ = world.step({"setter": actions[-1][0], "solver": actions[-1][1]})
        if setter.task is not None:
            done, new = setter.task.update(world, actions[-1][1]["utterance"])
            events += new
            success = world.step_index if done and success is None else success
    return success, events, actions


def one_request(name: str, **settings) -> ScriptedSetter:
    return ScriptedSetter(tasks=(name,), follow_up=False, first_request=(0, 0), **settings)


@pytest.fixture(scope="module")
def world() -> Playhouse:
    return Playhouse(height=6, width=8, views=(), settings=ROOM)


# ---- solver ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROBES)
def test_a_perfect_solver_fulfils_requests(world, name):
    outcomes = []
    for seed in range(10):
        setter = one_request(name)
        success, events, _ = play(world, setter, ScriptedSolver.perfect(), seed, steps=70 if name == "position" else 35)
        if setter.requests:
            outcomes.append(success is not None)
            assert success is None or any(e.sign > 0 and e.step == success for e in events)
    assert len(outcomes) >= 6 and np.mean(outcomes) >= 0.85


def test_a_solver_that_always_grabs_wrong_objects_never_succeeds(world):
    wrong = {"wrong_object": 1.0, "notice": 0.0, "wrong_answer": 1.0}
    for name in ("go", "lift", "exist"):
        for seed in range(4):
            setter = one_request(name)
            success, events, _ = play(world, setter, ScriptedSolver(**wrong), seed, steps=40)
            assert success is None
            assert not setter.requests or any(e.sign < 0 for e in events)


def test_objects_are_dropped_and_grabbed_again(world):
    dropped = 0
    for seed in range(4):
        solver = ScriptedSolver(wrong_object=0.0, drop=1.0, hesitation=0.0, motor_noise=0.0)
        _, events, _ = play(world, one_request("position"), solver, seed, steps=60)
        dropped += sum("wrong place" in e.reason for e in events)
    assert dropped > 0


def test_same_seed_same_play(world):
    a = play(world, ScriptedSetter(wander=0.1, pause=(2, 4)), ScriptedSolver(), 3, steps=60)
    b = play(world, ScriptedSetter(wander=0.1, pause=(2, 4)), ScriptedSolver(), 3, steps=60)
    for both_a, both_b in zip(a[2], b[2], strict=True):
        for x, y in zip(both_a, both_b, strict=True):
            assert np.array_equal(x["movement"], y["movement"]) and x["utterance"] == y["utterance"]
    c = play(world, ScriptedSetter(wander=0.1, pause=(2, 4)), ScriptedSolver(), 4, steps=60)
    assert any(not np.array_equal(x[1]["movement"], y[1]["movement"]) for x, y in zip(a[2], c[2], strict=True))


def test_an_object_out_of_view_is_searched_to_the_left(world):
    """Every step before the target first comes into view is a full turn to the left."""
    steps = 0
    for seed in range(8):
        observations, _ = world.reset(seed=seed)
        setter, solver = one_request("go"), ScriptedSolver.perfect()
        setter.reset(world, seed)
        solver.reset(world, seed)
        eyes = Body(world, "solver", np.random.default_rng(0))
        for _ in range(11):  # less than a full turn
            eyes.sense()
            heard = observations["solver"]["setter_text"]
            actions = {"setter": setter.act(observations["setter"]), "solver": solver.act(observations["solver"])}
            if heard and setter.requests:
                target = setter.requests[0][1].arguments["target"]
                if eyes.sees(target) or eyes.far(target) < UNDERFOOT:
                    break
                assert (actions["solver"]["movement"][:, TURN] == LEFT_BIN).all()
                assert (actions["solver"]["movement"][:, FORWARD] != FORWARD_BIN).all()
                steps += 1
            observations, *_ = world.step(actions)
    assert steps > 5


def test_with_nothing_to_do_it_stands_still(world):
    observations, _ = world.reset(seed=0)
    solver = ScriptedSolver(motor_noise=0.0)
    solver.reset(world, 0)
    still = silent()
    for _ in range(5):
        action = solver.act(observations["solver"])
        assert np.array_equal(action["movement"], still["movement"]) and not action["utterance"]
        observations, *_ = world.step({"solver": action, "setter": {**still, "utterance": "sing a song"}})


@pytest.mark.parametrize("wrong", [{"drop": 2.0}, {"reaction": -1}, {"laziness": 0.5}])
def test_impossible_solvers_are_refused(wrong):
    with pytest.raises(WorldError, match="solver setting"):
        ScriptedSolver(**wrong)


# ---- setter ----------------------------------------------------------------------------------------------------------


def test_it_asks_again_after_success_in_other_words_and_of_its_split_only(world):
    for split in ("train", "held_out"):
        setter = ScriptedSetter(tasks=("exist", "color"), split=split, pause=(1, 3))
        play(world, setter, ScriptedSolver.perfect(), 1, steps=120)
        texts = [spec.instruction for _, spec in setter.requests]
        assert len(texts) >= 3 and all(a != b for a, b in zip(texts, texts[1:], strict=False))
        assert {language.is_held_out(spec.name, spec.arguments) for _, spec in setter.requests} == {split == "held_out"}


def test_requests_are_recorded_at_the_steps_of_their_utterances(world):
    setter = ScriptedSetter(first_request=(2, 5), pause=(1, 3))
    _, _, actions = play(world, setter, ScriptedSolver.perfect(), 0, steps=80)
    said = [(step, a["utterance"]) for step, (a, _) in enumerate(actions) if a["utterance"]]
    assert said == [(step, spec.instruction) for step, spec in setter.requests]
    assert 2 <= said[0][0] <= 5


@pytest.mark.parametrize(
    "wrong, named",
    [
        ({"tasks": ("dance",)}, "dance"),
        ({"tasks": "go"}, "tasks"),
        ({"tasks": {"go": 0.0}}, "tasks"),
        ({"split": "test"}, "test"),
        ({"pause": (5, 2)}, "pause"),
        ({"wander": 1.5}, "wander"),
        ({"patience": 0}, "patience"),
    ],
)
def test_impossible_setters_are_refused(wrong, named):
    with pytest.raises(WorldError, match=named):
        ScriptedSetter(**wrong)


# ---- ways, sight, steering -------------------------------------------------------------------------------------------

TWO_ROOMS = House(
    rooms=(Room("a", 0.0, 0.0, 4.0, 4.0, "oak"), Room("b", 4.0, 0.0, 8.0, 4.0, "oak")),
    doorways=(Doorway("door", ("a", "b"), 4.0, 3.2, "y", 1.0),),
    furniture=(Furniture("t", "table", "red", "a", 2.0, 2.0, 0),),
    objects=(),
    starts=(),
)


def test_ways_keep_clear_of_walls_and_furniture():
    plan, table = FloorPlan(TWO_ROOMS), TWO_ROOMS.furniture[0]
    way = plan.route((0.6, 2.0), (7.0, 0.6), 0.3)
    assert way is not None and math.dist(way[-1], (7.0, 0.6)) <= 0.3
    points = np.concatenate([np.linspace(a, b, 50) for a, b in zip([(0.6, 2.0), *way[:-1]], way, strict=True)])
    assert min(table.gap_to(*p) for p in points) >= AVATAR_RADIUS - 0.05
    through = [p for p in points if abs(p[0] - 4.0) < 0.1]
    assert through and all(2.7 + AVATAR_RADIUS - 0.05 < p[1] < 3.7 - AVATAR_RADIUS + 0.05 for p in through)


def test_ways_go_round_loose_things_where_they_can():
    plan = FloorPlan(TWO_ROOMS)
    disc = np.array([[6.0, 2.0, 0.2]])
    assert plan.straight((5.0, 2.0), (7.0, 2.0)) and not plan.straight((5.0, 2.0), (7.0, 2.0), disc)
    way = plan.route((5.0, 2.0), (7.0, 2.0), 0.1, disc)
    assert way is not None and len(way) >= 2
    points = np.concatenate([np.linspace(a, b, 50) for a, b in zip([(5.0, 2.0), *way[:-1]], way, strict=True)])
    assert min(math.dist(p, (6.0, 2.0)) for p in points) >= 0.2 + AVATAR_RADIUS - 0.1


def test_there_is_no_path_to_objects_far_from_any_floor():
    plan = FloorPlan(TWO_ROOMS)
    assert plan.route((0.6, 2.0), (2.0, 2.0), 0.3) is None  # the middle of the table
    assert plan.route((0.6, 2.0), (2.0, 2.0), 0.9) is not None
    assert plan.route((0.6, 2.0), (20.0, 2.0), 0.9) is None
    closed = House(TWO_ROOMS.rooms, (), (), (), ())
    assert FloorPlan(closed).route((0.6, 2.0), (7.0, 2.0), 0.5) is None
    # Near enough through the wall is not near enough.
    way = plan.route((0.6, 2.0), (4.3, 0.6), 1.0)
    assert way is not None and way[-1][0] > 4.0


def test_walls_and_tables_hide_things():
    sight, eye = Sight(TWO_ROOMS), np.array([0.6, 2.0, 1.15])
    assert sight.clear(eye, np.array([0.7, 0.5, 0.1]))
    assert not sight.clear(eye, np.array([6.0, 0.5, 0.1]))  # behind the wall
    assert not sight.clear(eye, np.array([2.9, 2.0, 0.1]))  # under the far edge of the table
    assert sight.clear(eye, np.array([2.4, 2.0, 0.7]))  # on the table
    assert sight.clear(np.array([3.0, 3.2, 1.15]), np.array([6.0, 3.2, 0.3]))  # through the doorway


def test_steering_turns_then_walks_and_stops_in_time():
    movement, speed = steer(0.0, 0.0, 0.0, 0.0, 0.0, Aim((0.0, 3.0), 1.0, 0.0))
    assert movement.shape == (TICKS_PER_STEP, len(MOVEMENT_BINS)) and (movement < MOVEMENT_BINS).all() and speed == 0.0
    assert (movement[:, TURN] == LEFT_BIN).all() and (movement[:, FORWARD] != FORWARD_BIN).all()
    movement, speed = steer(0.0, 0.0, math.pi / 2, 0.0, 0.0, Aim((0.0, 3.0), 1.0, 0.0))
    assert (movement[:, FORWARD] == FORWARD_BIN).all() and speed > 1.0
    movement, speed = steer(0.0, 2.1, math.pi / 2, 0.0, 1.5, Aim((0.0, 3.0), 1.0, 0.0))
    assert (movement[:, FORWARD] != FORWARD_BIN).all() and speed == 0.0


def test_steering_faces_its_target():
    movement, _ = steer(0.0, 0.0, 0.0, 0.0, 0.0, Aim((2.0, 0.0), None, None, 0.15))
    assert (movement[:, LOOK] == 0).all()  # it is far below the horizon
    movement, _ = steer(0.0, 0.0, 0.0, math.atan2(0.15 - 1.15, 2.0), 0.0, Aim((2.0, 0.0), None, None, 0.15))
    assert (movement[:, LOOK] == 1).all()
