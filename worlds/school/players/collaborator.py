"""The demonstrator of Collaboration: it does its side's part when the partner is ready, and bumps into nothing else.

It knows the room, what has been opened, and that partners of levers first walk about.
"""

from __future__ import annotations

from worlds.school.grid.codes import EAST
from worlds.school.grid.paths import distances
from worlds.school.grid.things import AppleGenerator, LockableBox, Switch
from worlds.school.peers.partners import WANDERS, direction_towards
from worlds.school.players.moves import push, turn, use, walk_to
from worlds.school.problems.collaboration import LEFT_SIDE, Collaboration
from worlds.school.problems.object_pairs import ObjectPairs
from worlds.school.problems.problem import FORWARD, TOGGLE
from worlds.school.problems.shared_generator import LeverDoor, MarblePass, MarblePush

Act = int | None  # one of PRIMITIVES; None for no move


def collaborate(problem: Collaboration) -> Act:
    """Return the agent's next primitive; None to wait."""
    if problem.apple.eaten:  # in role Meta, until the partner has eaten, too
        return None
    if problem.apple.at is not None:
        return use(problem.room, problem.apple.at)
    on_left = problem.side == LEFT_SIDE
    match problem:
        case ObjectPairs():
            return _use_chosen(problem) if on_left else _open_nearest(problem)
        case MarblePass():
            return push(problem.room, problem.marble.place, EAST) if on_left else _push_on(problem)
        case MarblePush():
            return _push_through_door(problem) if on_left else _hold_door(problem)
        case LeverDoor():
            return _let_in(problem) if on_left else _enter(problem)
    raise TypeError(f"no demonstrator for {type(problem).__name__}")


# -- pairs of objects ---------------------------------------------------------------------------------------------


def _open_nearest(problem: ObjectPairs) -> Act:
    steps = distances(problem.room.solid, *problem.room.agent)
    nearest = min(problem.boxes, key=lambda box: (int(steps[box.place]) if box.at else 0, box.at or (0, 0)))
    return use(problem.room, nearest.place)


def _use_chosen(problem: ObjectPairs) -> Act:
    thing = problem.chosen
    if thing is None:
        return None
    if isinstance(thing, Switch) and thing.is_on:
        assert problem.apple_cell is not None
        return use(problem.room, problem.apple_cell)
    if isinstance(thing, LockableBox | Switch):
        return use(problem.room, thing.place)
    assert isinstance(thing, AppleGenerator)
    if problem.marble is None:
        return walk_to(problem.room, thing.place)
    if problem.marble.direction is not None:
        return None
    return push(problem.room, problem.marble.place, direction_towards(problem.marble.place, thing.place))


# -- one generator ------------------------------------------------------------------------------------------------


def _push_on(problem: MarblePass) -> Act:
    """Wait behind the place at which the marble will be, out of its row; if it stopped before, push it there."""
    (x, y), (a, b) = problem.marble.place, problem.generator.place
    if x == a:
        return push(problem.room, (x, y), direction_towards((x, y), (a, b)))
    if problem.marble.was_pushed and problem.marble.direction is None:
        return push(problem.room, (x, y), EAST)
    direction = direction_towards((a, y), (a, b))
    goal = problem.room.beside((a, y), (direction + 2) % 4)
    aside = walk_to(problem.room, goal, without=[(column, y) for column in range(1, a + 1)])
    # One who is on the other side of the row waits there until the marble has passed.
    return walk_to(problem.room, goal) if aside is None and problem.room.agent[1] == y else aside


def _push_through_door(problem: MarblePush) -> Act:
    """Stand behind the marble, and push it once the door is open."""
    marble = problem.marble
    if marble.direction is not None:
        return None
    behind = problem.room.beside(marble.place, (EAST + 2) % 4)
    if problem.room.agent != behind:
        return walk_to(problem.room, behind)
    primitive = turn(problem.room, EAST)
    return FORWARD if primitive is None and problem.door.is_open else primitive


def _hold_door(problem: MarblePush) -> Act:
    """Stand before the lever, and pull it once the marble rolls; push a marble that the closed door has stopped."""
    marble, lever = problem.marble, problem.lever
    if lever.was_activated:
        stuck = marble.direction is None and marble.place != problem.door.place
        return push(problem.room, marble.place, EAST) if stuck else None
    if problem.front != lever.place:
        return walk_to(problem.room, lever.place)
    return TOGGLE if marble.was_pushed else None


def _let_in(problem: LeverDoor) -> Act:
    """Stand before the lever, and pull it once the partner stands at the door, looking at it."""
    lever, peer = problem.lever, problem.peer
    if lever.was_activated:
        return None
    if problem.front != lever.place:
        return walk_to(problem.room, lever.place)
    assert peer is not None
    return TOGGLE if peer.front == problem.door.place and problem.steps > WANDERS else None


def _enter(problem: LeverDoor) -> Act:
    """Stand at the door, and walk into the generator once it is open."""
    door = problem.door.place
    if problem.door.is_open or problem.room.agent == door:
        return walk_to(problem.room, problem.generator.place)
    return None if problem.front == door else walk_to(problem.room, door)
