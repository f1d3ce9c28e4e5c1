"""Places of episodes: an apartment, with what a goal needs and some more at places where it may lie.

Places at which the goal is to be reached are cleared; all things of the goal's classes leave the apartment, and new
ones come, as many as the goal needs up to one more than any goal of its sets does; each lies where things of its class
may lie (:mod:`worlds.household.tasks.placing`), but not where the goal wants it (Puig et al., 2021, Appendix B).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from worlds.contract import WorldError
from worlds.data_files import read_entries
from worlds.errors import UserError
from worlds.household.homes.placing import home as home_named
from worlds.household.homes.placing import lay, place
from worlds.household.homes.surfaces import Box, levels
from worlds.household.state.home import Home, State
from worlds.household.state.vocabulary import Held, Property
from worlds.household.tasks.goals import Goal, check_places, parse_goal, things_of
from worlds.household.tasks.predicates import Relation, parse
from worlds.household.tasks.sets import OWN, PREDICATES, SETS
from worlds.household.tasks.splits import sets_of

TRIES = 51  # to find a place for a thing, as in the reference
REDRAWS = 20  # of all places, where a thing found none
LAYINGS = 300  # of things at the goal's places, in the search for one at which all fit
FULL = 0.5  # share of a surface that things may cover; of places that turn out too full, less and less
FIRST_ID = 1000  # of things that are added
SPARE = 1  # more than any goal of its sets needs, at most
MOST_BOOKS = 3  # that are counted as the largest need of books
ROOMS = ("kitchen", "bedroom", "livingroom", "bathroom")  # in which persons begin, where a home has them


class NoPlaces(WorldError):
    """An apartment in which a goal's things find no places."""


def place_config(goal: Goal, home_spec: str | Mapping[str, Any], seed: int, name: str = "") -> dict[str, Any]:
    """Return the configuration of a place in which a goal can be reached and is not.

    Raises:
      WorldError: the goal cannot be, or the home lacks one of its places.
      NoPlaces: its things find no places there.
    """
    home, state = home_named(home_spec) if isinstance(home_spec, str) else place({"home": home_spec})
    goal = parse_goal(goal, home.classes)
    goal = {text: goal[text] for text in sorted(goal, key=_rank)}
    check_places(goal, home)
    for repacks in (False, True):  # only where simple placing fails: what it finds stays the same
        rng = np.random.default_rng([seed, int(repacks)])
        for redraw in range(REDRAWS):
            removed = _removed(goal, home, state, FULL * (1 - redraw / REDRAWS))
            added = _added(goal, home, state, removed, rng, repacks)
            persons = _begin(home, rng)
            if added is None:
                continue
            config = {
                "home": home_spec,
                "seed": int(seed),
                "persons": persons,
                "removed": removed,
                "added": added,
                "conditions": {},
                "task": {"name": name or "+".join(sets_of(goal)) or OWN, "goal": goal},
            }
            if _has_room(config, goal, repacks):
                return config
    raise NoPlaces(f"the things of the goal {goal} find no places in {home.name}")


def _rank(text: str) -> tuple[int, str]:
    """Return a key that sorts predicates as goals of the sets have them, and others after them by their text."""
    return PREDICATES.index(text) if text in PREDICATES else len(PREDICATES), text


def _begin(home: Home, rng: np.random.Generator) -> list[int]:
    """Return ids of the rooms in which the two persons begin: different ones, if there are several."""
    rooms = [int(row) for row in home.rooms if home.name_of(int(row)) in ROOMS] or home.rooms.tolist()
    return [int(home.ids[row]) for row in rng.choice(rooms, size=2, replace=len(rooms) < 2)]


def _has_room(config: Mapping[str, Any], goal: Goal, repacks: bool) -> bool:
    """Return True if all that is added finds a spot, and after that all that the goal wants at its places."""
    try:
        home, state = place(config, repacks)
    except UserError:
        return False
    wanted: list[tuple[int, Held, list[int]]] = []
    for text, count in goal.items():
        predicate = parse(text)
        if predicate.relation in (Relation.ON, Relation.INSIDE):
            held, targets = Held[predicate.relation.name], home.rows_of(predicate.place).tolist()
            wanted += [(row, held, targets) for row in home.rows_of(predicate.thing)[:count].tolist()]
    if repacks:
        wanted.sort(key=lambda each: -float(home.size[each[0], :2].prod()))
        return _is_laid(home, state, wanted, [LAYINGS])
    return all(
        any(lay(home, state, row, held, target, repacks=False) for target in targets) for row, held, targets in wanted
    )


def _is_laid(home: Home, state: State, wanted: Sequence[tuple[int, Held, list[int]]], left: list[int]) -> bool:
    """Return True if all things, each with its held and possible places, find room; ``left`` counts the tries down."""
    if not wanted:
        return True
    (row, held, targets), *others = wanted
    for target in targets:
        left[0] -= 1
        tried = state.copy()
        if left[0] >= 0 and lay(home, tried, row, held, target) and _is_laid(home, tried, others, left):
            return True
    return False


def _removed(goal: Goal, home: Home, state: State, full: float) -> list[int]:
    """Return ids of what leaves the apartment: all things of the goal's classes, and clutter at its places.

    At most the share ``full`` of the places stays covered in the end.
    """
    gone = np.zeros(len(home), dtype=bool)
    for name in things_of(goal):
        gone[home.rows_of(name)] = True
    for each in sets_of(goal):
        for name in SETS[each].places:
            for target in home.rows_of(name):
                there = (state.parent == target) & np.isin(state.held, (Held.ON, Held.INSIDE))
                clutter = SETS[each].clutter
                gone |= there if clutter is None else there & _of_classes(home, clutter)
    gone[list(home.persons)] = False
    _make_room(goal, home, state, gone, full)
    while True:  # with what lies on them and in them
        more = gone | ((state.parent >= 0) & gone[state.parent])
        if (more == gone).all():
            return home.ids[gone].tolist()
        gone = more


def _make_room(goal: Goal, home: Home, state: State, gone: np.ndarray, full: float) -> None:
    """Note as gone the largest things at the goal's places, until what is to come has room there."""
    areas = {each.name: each.size[0] * each.size[1] for each in home.classes}
    needed: dict[tuple[Held, int], float] = {}
    for text, count in goal.items():
        predicate = parse(text)
        if predicate.relation in (Relation.ON, Relation.INSIDE):
            for target in home.rows_of(predicate.place).tolist():
                key = Held[predicate.relation.name], target
                needed[key] = needed.get(key, 0.0) + count * areas[predicate.thing]
    for (held, target), area in needed.items():
        there = np.flatnonzero((state.parent == target) & (state.held == held) & ~gone)
        covered = home.size[there, 0] * home.size[there, 1]
        order = np.argsort(-covered, kind="stable")
        left = float(covered.sum()) + area - full * _area(home, state, held, target)
        for row, its in zip(there[order].tolist(), covered[order].tolist(), strict=True):
            if left > 0 and home.has(row, Property.GRABBABLE):
                gone[row], left = True, left - its


def _of_classes(home: Home, names: Collection[str]) -> np.ndarray:
    return np.array([each.name in names for each in home.classes])[home.kind]


def _added(
    goal: Goal, home: Home, state: State, removed: Collection[int], rng: np.random.Generator, repacks: bool
) -> list[list[Any]] | None:
    """Return what comes into the apartment: [id, class, "ON" or "INSIDE", id of the parent]; None if a thing finds
    no place. With ``repacks``, only what is needed comes, and all places are tried."""
    gone = np.isin(home.ids, list(removed))
    used = _used(home, state, gone)
    goal_places = {parse(text).place for text in goal}
    next_id = max(FIRST_ID, int(home.ids.max()) + 1)
    added: list[list[Any]] = []
    for name, needed in things_of(goal).items():
        options = [
            (held, rows)
            for held, where in places_of(name)
            if where not in goal_places and len(rows := _usable(home, held, where, gone))
        ]
        (kind,) = (each for each in home.classes if each.name == name)
        most = needed if repacks else max(needed, _most(name, goal) + SPARE)
        for _ in range(int(rng.integers(needed, most, endpoint=True))):
            found = _spot(options, kind.size[0] * kind.size[1], home, state, used, rng, repacks)
            if found is None:
                return None
            held, row = found
            added.append([next_id + len(added), name, held.name, int(home.ids[row])])
    return added


def _usable(home: Home, held: Held, name: str, gone: np.ndarray) -> np.ndarray:
    """Return the rows of a class that can have things on or in them."""
    needed = Property.SURFACES if held is Held.ON else Property.CONTAINERS
    return np.array([row for row in home.rows_of(name) if not gone[row] and home.has(row, needed)], dtype=np.int64)


def _most(name: str, goal: Goal) -> int:
    """Return the most things of a class that goals of the same sets need."""
    if name == "book":
        return MOST_BOOKS
    ranges = [SETS[each].most for each in sets_of(goal)]
    return sum(most for each in ranges for text, most in each.items() if parse(text).thing == name)


def _used(home: Home, state: State, gone: np.ndarray) -> dict[tuple[Held, int], float]:
    """Return the area that things cover on and in each thing, square metres."""
    used: dict[tuple[Held, int], float] = {}
    lying = np.flatnonzero(~gone & np.isin(state.held, (Held.ON, Held.INSIDE)))
    for row in lying.tolist():
        key = Held(int(state.held[row])), int(state.parent[row])
        used[key] = used.get(key, 0.0) + float(home.size[row, 0] * home.size[row, 1])
    return used


def _spot(
    options: Sequence[tuple[Held, np.ndarray]],
    area: float,
    home: Home,
    state: State,
    used: dict[tuple[Held, int], float],
    rng: np.random.Generator,
    repacks: bool,
) -> tuple[Held, int] | None:
    """Return where a thing of this area is to lie, and note that it does; None if everything is full."""
    kinds = (options[int(rng.integers(len(options)))] for _ in range(TRIES if options else 0))
    drawn = ((held, int(rows[rng.integers(len(rows))])) for held, rows in kinds)
    every = [(held, int(row)) for held, rows in options for row in rows] if repacks else []
    for held, row in chain(drawn, every):
        covered = used.get((held, row), 0.0) + area
        if covered < FULL * _area(home, state, held, row):
            used[held, row] = covered
            return held, row
    return None


def _area(home: Home, state: State, held: Held, row: int) -> float:
    """Return the area of a surface, or of all shelves of a container, square metres."""
    box = Box(tuple(state.centre[row].tolist()), tuple(home.size[row].tolist()))
    shelves = levels(box, float(home.yaw[row]), Property(int(home.properties[row])), held)
    return sum((each.east - each.west) * (each.north - each.south) for each in shelves)


Place = tuple[Held, str]  # ON or INSIDE, and the class of the support or container

_ANY_OTHER = "any other"  # entry of the classes that have none


@lru_cache(maxsize=1)
def _table() -> Mapping[str, tuple[Place, ...]]:
    written = read_entries(Path(__file__).parent / "data" / "places.json", tuple[str, ...])
    return {name: tuple(map(_place, places)) for name, places in written.items()}


def _place(words: str) -> Place:
    held, name = words.split()
    return Held.ON if held == "on" else Held.INSIDE, name


def places_of(name: str) -> tuple[Place, ...]:
    """Return where things of a class may lie when an episode begins; all are as likely."""
    return _table().get(name) or _table()[_ANY_OTHER]
