"""The rules of things: what using and walking into them does."""

from __future__ import annotations

import pytest

from tests.unit.worlds.school.small_rooms import empty_room, episode, information, stand_before
from worlds.school.grid import things
from worlds.school.grid.codes import EAST, SOUTH
from worlds.school.problems.problem import DONE, FORWARD, LEFT, RIGHT, TOGGLE, Settings, reward_at


def only(problem, kind, colour=None):
    """Return the thing of a kind that is in the room, of a colour if one is given."""
    found = [one for one in problem.things if isinstance(one, kind) and one.color == (colour or one.color)]
    assert len(found) == 1
    return found[0]


def target_and_other(problem, kind):
    return only(problem, kind, problem.target_colour), only(problem, kind, problem.distractor_colour)


def lost_at_once(kind, **parameters):
    """Return an episode that stops when all is lost."""
    return episode(settings=Settings(stop_when_lost=True), Problem=kind, **parameters)


@pytest.mark.parametrize("stops", [False, True])
def test_opening_the_right_box_and_eating_the_apple_is_rewarded(stops):
    problem = lost_at_once("Boxes") if stops else information(Problem="Boxes")
    stand_before(problem, target_and_other(problem, things.LockableBox)[0])
    assert problem.step(TOGGLE, None) == 0 and not problem.ended
    assert problem.room.at(*problem.front) is problem.apple
    assert problem.step(TOGGLE, None) == 0.9975
    assert problem.ended and problem.success and problem.apple.color == "yellow"


def test_reward_falls_to_nine_tenths_at_the_last_step():
    assert [reward_at(t, 80) for t in (0, 6, 80)] == [1, 0.9925, 0.9]


def test_walking_into_a_box_blocks_it_and_the_other():
    problem = information(Problem="Boxes")
    box, other = target_and_other(problem, things.LockableBox)
    stand_before(problem, box)
    for _ in range(3):
        problem.step(FORWARD, None)
        problem.step(TOGGLE, None)
    assert box.blocked and other.blocked and not box.is_open and problem.room.at(*problem.front) is box


@pytest.mark.parametrize(
    ("problem_name", "kind"), [("Boxes", things.LockableBox), ("Switches", things.Switch), ("Levers", things.Lever)]
)
def test_the_wrong_object_gives_nothing_and_blocks_the_right_one(problem_name, kind):
    problem = information(Problem=problem_name)
    right, wrong = target_and_other(problem, kind)
    for each in (wrong, right):
        stand_before(problem, each)
        problem.step(TOGGLE, None)
        assert right.blocked
    assert not getattr(right, "is_on", False) and not getattr(right, "is_open", False)
    assert not problem.ended, "the episode goes its full time"
    quick = lost_at_once(problem_name)
    stand_before(quick, target_and_other(quick, kind)[1])
    assert quick.step(TOGGLE, None) == 0 and quick.ended and not quick.success, "unless it stops when all is lost"


def test_a_locked_box_is_not_blocked_by_trying_and_its_switch_opens_it():
    problem = information(Problem="Switches", N="1")
    box, switch = only(problem, things.LockableBox), only(problem, things.Switch)
    stand_before(problem, box)
    problem.step(TOGGLE, None)
    assert box.is_locked and not box.blocked
    stand_before(problem, switch)
    problem.step(TOGGLE, None)
    assert switch.is_on and switch.encode()[2] == 0, "its light is off all the same"
    stand_before(problem, box)
    problem.step(TOGGLE, None)
    assert problem.room.at(*problem.front) is problem.apple


def test_a_square_generator_is_walked_into_and_toggling_blocks_it():
    for act, pressed in ((FORWARD, True), (TOGGLE, False)):
        problem = information(Problem="Generators")
        right, wrong = target_and_other(problem, things.AppleGenerator)
        stand_before(problem, right)
        problem.step(act, None)
        assert right.is_pressed == pressed and (problem.apple.at == problem.layout.apple) == pressed
        stand_before(problem, right)
        problem.step(FORWARD, None)
        assert right.is_pressed == pressed and wrong.blocked


def test_a_marble_rolls_a_cell_a_step_and_activates_the_generator_that_nothing_else_does():
    room = empty_room()
    marble, generator, apple = things.Marble("red"), things.AppleGenerator("blue", by_marble=True), things.Apple()
    generator.yields.append((apple, (2, 2)))
    room.put(marble, (3, 5))
    room.put(generator, (7, 5))
    assert rolled(room, marble) == [(4, 5), (5, 5), (6, 5), (6, 5), (6, 5)]
    assert generator.is_pressed and room.at(2, 2) is apple and marble.direction is None
    assert room.at(3, 5) is marble.tee and room.solid[3, 5]
    other = things.AppleGenerator("blue", by_marble=True, block_set=[])
    other.bump(room, EAST, None)
    assert other.blocked and not other.is_pressed


def rolled(room, marble):
    """Push a marble east and return where it is after each of five steps."""
    marble.bump(room, EAST, None)
    return [marble.step(room) or marble.at for _ in range(5)]


def test_a_marble_stops_before_the_agent():
    room, marble = empty_room(), things.Marble("red")
    room.put(marble, (3, 5))
    room.agent = (5, 5)
    assert rolled(room, marble)[-1] == (4, 5) and marble.direction is None


def test_walking_into_the_generator_of_a_marble_loses_the_apple():
    problem = lost_at_once("Marble", Peer="N", N="1")
    stand_before(problem, only(problem, things.AppleGenerator))
    problem.step(FORWARD, None)
    assert problem.ended and problem.milestones() == [("lost the apple", -1), ("blocked the right applegenerator", -1)]


def test_a_lever_closes_its_door_after_its_time():
    room = empty_room()
    door = things.RemoteDoor("red")
    lever = things.Lever("blue", door, active_steps=10)
    room.put(door, (4, 4))
    room.put(lever, (6, 6))
    assert lever.use(room) and door.is_open and not room.solid[4, 4]
    states = []
    for _ in range(10):
        states.append((door.is_open, lever.encode()[2:4]))
        lever.step(room)
    assert states == [(True, (1, left)) for left in range(10, 0, -1)]
    assert not door.is_open and lever.encode()[2:4] == (0, 255) and room.solid[4, 4]
    assert not lever.use(room), "once only"


def test_a_door_is_opened_once_and_walked_through():
    problem = information(Problem="Doors", Peer="N", N="1")
    door = only(problem, things.Door)
    stand_before(problem, door)
    problem.step(TOGGLE, None)
    problem.step(TOGGLE, None)
    assert door.is_open, "blocked once it is used"
    problem.step(FORWARD, None)
    assert problem.room.agent == door.place
    assert problem.step(TOGGLE, None) > 0.9


def test_turning_done_and_time():
    problem = episode(Problem="Boxes")
    problem.room.direction = EAST
    for act, direction in ((RIGHT, SOUTH), (LEFT, EAST)):
        problem.step(act, None)
        assert problem.room.direction == direction
    assert problem.step(DONE, None) == 0 and problem.ended and not problem.success and not problem.timed_out
    problem = episode(settings=Settings(max_steps=3), Problem="Boxes")
    assert [problem.step(None, None) or problem.ended for _ in range(3)] == [False, False, True]
    assert problem.timed_out and not problem.success
