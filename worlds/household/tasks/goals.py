"""Goals: how many things are to satisfy each predicate. A goal that cannot be is refused in one line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from worlds.contract import WorldError
from worlds.household.state.home import Home, ThingClass
from worlds.household.state.vocabulary import Property
from worlds.household.tasks.predicates import Predicate, Relation, parse
from worlds.household.tasks.sets import check_task_name

Goal = Mapping[str, int]  # count of each predicate's text

HANDS = 2
_NEEDS = {
    Relation.ON: (Property.SURFACES, "nothing can be put on it"),
    Relation.INSIDE: (Property.CONTAINERS, "it is no container"),
    Relation.SIT: (Property.SITTABLE, "it is no seat"),
}


def parse_goal(counts: Any, classes: Sequence[ThingClass]) -> dict[str, int]:
    """Return a checked goal, with every predicate in its usual form."""
    if not isinstance(counts, Mapping) or not counts:
        raise WorldError(f"goal: give at least one predicate with its count, not {counts!r}")
    known = {each.name: each for each in classes}
    goal: dict[str, int] = {}
    for text, count in counts.items():
        predicate = parse(str(text))
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise WorldError(f"goal: the count of {text!r} is {count!r}; give a whole number from 1 up")
        if predicate.text in goal:
            raise WorldError(f"goal: {text!r} says the same as another of its predicates; give their sum")
        _check(predicate, known)
        goal[predicate.text] = count
    _check_body(goal)
    return goal


def _check(predicate: Predicate, known: Mapping[str, ThingClass]) -> None:
    """Raise WorldError for a predicate that nothing can satisfy."""
    text = predicate.text
    if predicate.relation is not Relation.SIT:
        thing = _class(text, predicate.thing, known)
        if Property.GRABBABLE not in thing.properties:
            raise WorldError(f"goal: {text!r} cannot be: nobody can grab a {thing.name}")
    if predicate.relation is not Relation.HOLDS:
        place = _class(text, predicate.place, known)
        needed, otherwise = _NEEDS[predicate.relation]
        if needed not in place.properties:
            raise WorldError(f"goal: {text!r} cannot be: a {place.name} lacks {needed.name}, {otherwise}")


def _class(text: str, name: str, known: Mapping[str, ThingClass]) -> ThingClass:
    if name in known:
        return known[name]
    alike = difflib.get_close_matches(name, known, n=1)
    raise WorldError(
        f"goal: {text!r} names the unknown class {name!r}" + (f"; did you mean {alike[0]}?" if alike else "")
    )


def _check_body(goal: Goal) -> None:
    """Raise WorldError for a goal that asks for more hands or seats than a person needs."""
    predicates = [(parse(text), count) for text, count in goal.items()]
    held = sum(count for each, count in predicates if each.relation is Relation.HOLDS)
    if held > HANDS:
        raise WorldError(f"goal: a person is to hold {held} things; it has {HANDS} hands")
    seats = sum(count for each, count in predicates if each.relation is Relation.SIT)
    if seats > 1:
        raise WorldError(f"goal: a person is to sit on {seats} seats at once")


def check_places(goal: Goal, home: Home) -> None:
    """Refuse a goal whose places do not exist in a home."""
    for predicate in map(parse, goal):
        if predicate.relation is not Relation.HOLDS and not len(home.rows_of(predicate.place)):
            raise WorldError(f"goal: {predicate.text!r} cannot be in {home.name}, which has no {predicate.place}")


def check_home(goal: Goal, home: Home) -> None:
    """Refuse a goal whose places or things do not exist in a home. Arguments as those of :func:`check_places`."""
    check_places(goal, home)
    for name, count in things_of(goal).items():
        there = len(home.rows_of(name))
        if there < count:
            raise WorldError(f"goal: it needs {count} of the class {name}; {home.name} has {there}")


def task_of(config: Mapping[str, Any], home: Home) -> dict[str, Any] | None:
    """Return the task of a place's configuration after a check; None if it has none."""
    task = config.get("task")
    if task is None:
        return None
    if not isinstance(task, Mapping) or not isinstance(task.get("name"), str) or "goal" not in task:
        raise WorldError(f'task: give {{"name": ..., "goal": {{predicate: count}}}}, not {task!r}')
    check_task_name(task["name"])
    goal = parse_goal(task["goal"], home.classes)
    check_home(goal, home)
    return {"name": task["name"], "goal": goal}


def things_of(goal: Goal) -> dict[str, int]:
    """Return how many things of each class a goal needs."""
    needed: dict[str, int] = {}
    for text, count in goal.items():
        predicate = parse(text)
        if predicate.relation is not Relation.SIT:
            needed[predicate.thing] = needed.get(predicate.thing, 0) + count
    return needed
