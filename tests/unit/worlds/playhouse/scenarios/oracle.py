"""An oracle that makes requests true by setting the state of the physics: no walking, no hands, nothing falls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import mujoco
import numpy as np

from worlds.contract import SETTER, SOLVER, TaskSpec
from worlds.playhouse.games.arrangements import layout
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.whereabouts import Where, spot_for_player, spot_for_thing
from worlds.playhouse.house.record import House, Thing
from worlds.playhouse.physics import avatar
from worlds.playhouse.requests.facts import facts_of
from worlds.playhouse.requests.success import PlayhouseTask
from worlds.playhouse.requests.views import sees
from worlds.playhouse.scenarios.tasks import make_task
from worlds.playhouse.world import Playhouse

Arguments = Mapping[str, Any]
Change = Callable[[], str]  # of the world; the words that the solver says in that step
LAST_LOOKS = 8  # updates after the last change


class Oracle:
    """Hands and feet of a god in one Playhouse."""

    def __init__(self, world: Playhouse) -> None:
        self.world = world
        self.house: House = world.house
        self.numbers = {thing.id: i for i, thing in enumerate(self.house.objects)}

    def fulfils(self, spec: TaskSpec) -> bool:
        """Return True if the check of a request becomes true when its goal is made true, and not before."""
        task, self.name = make_task(spec), spec.name
        if task.update(self.world, "")[0]:
            return False
        return self._does(task, spec.name, spec.arguments)

    def _does(self, task: PlayhouseTask, name: str, arguments: Arguments) -> bool:
        for change in self.changes(name, arguments):
            if task.update(self.world, change())[0]:
                return True
        return any(task.update(self.world, "")[0] for _ in range(LAST_LOOKS))

    def changes(self, name: str, arguments: Arguments) -> Iterator[Change]:
        """Yield what to change, step by step, to fulfil a request."""
        if name == "do then":
            for part in (arguments["first"], arguments["second"]):
                yield from self.changes(part["game"], part["arguments"])
                yield from (lambda: "",) * 3
        elif name in _ANSWERS:
            yield lambda: _ANSWERS[name](self, arguments)
        elif name in ("stand by", "go somewhere"):
            yield lambda: self.stand(Where.of(arguments["place"]))
        else:
            for thing, place in self.goals(name, arguments):
                yield lambda thing=thing: self.take(thing)
                if place is not None:
                    yield lambda thing=thing, place=place: self.put(thing, place)
            yield from self.touches(name, arguments)

    # -- goals of things: where each has to be ----------------------------------------------------------------------

    def goals(self, name: str, arguments: Arguments) -> Iterator[tuple[str, np.ndarray | None]]:
        """Yield things and where their feet have to be; None where it is enough to hold them."""
        if name in ("arrange", "scenario: arrange"):
            chosen = self.chosen(arguments)
            target = Choice.of(arguments, "target").among[0] if "target" in arguments else None
            if arguments.get("by_size"):
                chosen.sort(key=lambda i: self.thing(i).radius ** 2 * self.thing(i).height)
            places = layout(arguments["shape"], len(chosen), 0.25 if target else 0.5)
            around = self._room_for(arguments)
            for thing, (x, y) in zip(chosen, places, strict=True):
                yield thing, self.top_of(target, y, x) if target else around + [x, y, 0.0]
        elif name in ("build", "scenario: tower"):
            at = self.free_floor(self.chosen(arguments)[0])
            for thing in self.chosen(arguments):
                yield thing, at.copy()
                at[2] += self.thing(thing).height
        elif "things" in arguments:
            for thing in self.chosen(arguments):
                yield thing, self.goal(name, thing, arguments)

    def goal(self, name: str, thing: str, arguments: Arguments) -> np.ndarray | None:
        """Where one thing has to stand."""
        target = Choice.of(arguments, "target").among[0] if "target" in arguments else ""
        if name == "put on":
            return self.top_of(target)
        if name in ("put in", "tidy", "scenario: put in alike"):
            return self.inside(target)
        if name == "put under":
            return self.beneath(thing, target)
        if name in ("take out", "clear"):
            return self.free_floor(thing)
        if name == "place by":
            spot = spot_for_thing(Situation(self.world), thing, Where.of(arguments["place"]))
            assert spot is not None
            return spot
        if name in ("bring", "scenario: hand"):
            return np.array([*self.world.avatar(SETTER).position[:2] + [0.4, 0.0], 0.0])
        if name == "scenario: take from room":
            other = next(room for room in self.house.rooms if room.id not in arguments["rooms"])
            return np.array([(other.x0 + other.x1) / 2, (other.y0 + other.y1) / 2, 0.0])
        return None

    def touches(self, name: str, arguments: Arguments) -> Iterator[Change]:
        """Yield what follows once a thing is in hand."""
        things = Choice.of(arguments).among if "things" in arguments else ()
        if name == "pick up":
            yield lambda: self.put(things[0], self.feet(things[0]) + [0.0, 0.0, 0.6], held=True)
        elif name in ("touch with", "hit with", "push with"):
            target = next(i for i in Choice.of(arguments, "target").among if i != things[0])
            if name == "push with":
                yield lambda: self.put(things[0], self.beside(things[0], target), held=True)
                yield lambda: self.put(target, self.feet(target) + [0.35, 0.0, 0.0], held=things[0])
            yield lambda: self.put(things[0], self.beside(things[0], target), held=True)
        elif name == "scenario: push":
            yield lambda: self.put(things[0], self.feet(things[0]) + [0.4, 0.0, 0.0])

    def chosen(self, arguments: Arguments) -> list[str]:
        """So many things of each role."""
        groups = arguments.get("groups") or [arguments["things"]]
        chosen: list[str] = []
        likeness = arguments.get("likeness") or {arguments.get("different"): "different"}
        if self.name == "scenario: put in alike":
            likeness = {"colour": "same"}
        for group in groups:
            fitting = [i for i in group["among"] if i not in chosen]
            chosen += self._alike(fitting, group["number"], likeness)
        return chosen

    def _alike(self, things: list[str], number: int, likeness: Mapping[str | None, str]) -> list[str]:
        """The first so many that are like, or unlike, each other as they should."""
        for first in things:
            chosen = [first]
            for other in things:
                if other not in chosen and len(chosen) < number and self._suits(chosen, other, likeness):
                    chosen.append(other)
            if len(chosen) == number:
                return chosen
        raise AssertionError("no things are as they should be")

    def _suits(self, chosen: list[str], other: str, likeness: Mapping[str | None, str]) -> bool:
        for what, how in likeness.items():
            values = {getattr(self.thing(i), what) for i in chosen} if what else set()
            mine = getattr(self.thing(other), what) if what else None
            if what and ((mine in values) != (how == "same")):
                return False
        return True

    # -- places -----------------------------------------------------------------------------------------------------

    def thing(self, name: str) -> Thing:
        return self.house.objects_by_id[name]

    def feet(self, name: str) -> np.ndarray:
        """Where a thing stands now."""
        return self.world.object_position(name) - [0.0, 0.0, self.thing(name).height / 2]

    def top_of(self, name: str, x: float = 0.0, y: float = 0.0) -> np.ndarray:
        if name in self.house.furniture_by_id:
            piece = self.house.furniture_by_id[name]
            surface = max((s for s in piece.spec.surfaces if s != piece.spec.inside), key=lambda s: s.at[2])
            return np.array([*piece.to_house(surface.at[0] + x, surface.at[1] + y), surface.at[2]])
        return self.feet(name) + [0.0, 0.0, self.thing(name).height]

    def inside(self, name: str) -> np.ndarray:
        holder = self.house.furniture_by_id.get(name) or self.thing(name)
        inner = holder.spec.inside
        assert inner is not None
        if isinstance(holder, Thing):
            return self.feet(name) + [0.0, 0.0, inner.at[2] * holder.scale]
        return np.array([*holder.to_house(inner.at[0], inner.at[1]), inner.at[2]])

    def beneath(self, thing: str, target: str) -> np.ndarray:
        if target in self.house.furniture_by_id:
            piece = self.house.furniture_by_id[target]
            assert piece.spec.under is not None
            return np.array([*piece.to_house(*piece.spec.under.at[:2]), 0.0])
        self.put(target, self.feet(thing) + [0.0, 0.0, self.thing(thing).height])
        return self.feet(thing)

    def beside(self, thing: str, target: str) -> np.ndarray:
        if target in self.house.furniture_by_id:
            piece = self.house.furniture_by_id[target]
            return np.array([piece.x + piece.half[0] + self.thing(thing).radius, piece.y, 0.1])
        away = self.thing(thing).radius + self.thing(target).radius
        return self.feet(target) + [away, 0.0, 0.0]

    def free_floor(self, thing: str) -> np.ndarray:
        room = self.world.room_at(self.world.object_position(thing))
        spot = spot_for_thing(Situation(self.world), thing, Where("in", (room or "",)))
        return spot if spot is not None else np.array([*self.world.avatar(SOLVER).position[:2], 0.0])

    def _room_for(self, arguments: Arguments) -> np.ndarray:
        if "place" in arguments:
            piece = self.house.furniture_by_id[arguments["place"]["anchors"][0]]
            return np.array([piece.x, piece.y, 0.0])
        return self.free_floor(self.chosen(arguments)[0])

    # -- changes ----------------------------------------------------------------------------------------------------

    def take(self, thing: str) -> str:
        self.world.state.players[1, avatar.HELD] = self.numbers[thing]
        return ""

    def put(self, thing: str, feet: np.ndarray, held: bool | str = False) -> str:
        at = self.world.state.scene.object_qpos[self.numbers[thing]]
        data, half = self.world.state.data, self.thing(thing).height / 2
        data.qpos[at : at + 3] += feet + [0.0, 0.0, half] - self.world.object_position(thing)
        data.qpos[at + 3 : at + 7] = (1.0, 0.0, 0.0, 0.0)
        mujoco.mj_forward(self.world.state.scene.model, data)
        self.world.state.players[1, avatar.HELD] = self.numbers[thing] if held is True else (
            self.numbers[held] if held else avatar.NOTHING
        )  # fmt: skip
        return ""

    def stand(self, where: Where) -> str:
        spot = spot_for_player(Situation(self.world), where)
        assert spot is not None
        self.move_solver(spot)
        return ""

    def move_solver(self, spot: np.ndarray, yaw: float = 0.0) -> None:
        state = self.world.state
        at = state.scene.avatar_qpos[1]
        state.data.qpos[at : at + 3] = (*spot, yaw)
        state.players[1, avatar.YAW] = yaw
        mujoco.mj_forward(state.scene.model, state.data)

    # -- answers ----------------------------------------------------------------------------------------------------

    def where_it_is(self, arguments: Arguments) -> str:
        facts = facts_of(self.world, SOLVER)
        room = facts.by_id[facts.by_id[arguments["target"]].room or ""]
        return f"it is in the {room.kind}"

    def names(self, arguments: Arguments) -> str:
        things = [self.thing(i) for i in arguments["among"]]
        return ", ".join(f"a {thing.colour} {thing.kind}" for thing in things[: arguments["number"] + 1])

    def notices(self, arguments: Arguments) -> str:
        me, facts = self.world.avatar(SOLVER).position, facts_of(self.world, SOLVER)
        mine = facts.by_id[SOLVER].room
        here = [entity for entity in facts.of("object", "furniture") if entity.room == mine]
        for entity in here:
            x, y = entity.middle
            self.move_solver(me[:2], math.atan2(y - me[1], x - me[0]))
            if sees(self.world, SOLVER, entity, Situation(self.world).sight):
                return f"I see a {entity.kind}"
        raise AssertionError("nothing is to be seen")


_ANSWERS: dict[str, Callable[[Oracle, Arguments], str]] = {
    "where is": Oracle.where_it_is,
    "name objects": Oracle.names,
    "notice": Oracle.notices,
    **dict.fromkeys(
        ("color of", "how many", "how many or not", "is there", "same color", "compare sizes"),
        lambda oracle, arguments: str(arguments["answer"]),
    ),
}
