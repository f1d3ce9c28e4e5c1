"""What people can say that Alice wanted: the 30 predicates of the five sets with counts, grouped by place.

Every thing can be counted up to the same number, so that the form does not tell which goals there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worlds.contract.goal_choices import GoalChoice, GoalChoices
from worlds.household.tasks.language.nouns import plural, singulars
from worlds.household.tasks.predicates import Predicate, Relation, parse
from worlds.household.tasks.sets import PREDICATES

MOST_PLACED = 4  # of one kind at one place; goals have at most two
OWN = "Alice herself"
_PREPOSITIONS = {Relation.ON: "on the", Relation.INSIDE: "in the"}


def household_goals() -> GoalChoices:
    """Return the predicates to choose from, one place after the other, and how a place's goal is read."""
    made = [_choice(parse(text)) for text in PREDICATES]
    groups = list(dict.fromkeys(choice.group for choice in made if choice.group != OWN)) + [OWN]
    return GoalChoices(tuple(sorted(made, key=lambda choice: groups.index(choice.group))), _goal_of)


def _choice(predicate: Predicate) -> GoalChoice:
    if predicate.relation is Relation.HOLDS:
        return GoalChoice(predicate.text, OWN, f"holds a {_noun(predicate.thing)}", 1)
    if predicate.relation is Relation.SIT:
        return GoalChoice(predicate.text, OWN, f"sits on the {_noun(predicate.place)}", 1)
    group = f"{_PREPOSITIONS[predicate.relation]} {_noun(predicate.place)}"
    return GoalChoice(predicate.text, group, plural(_noun(predicate.thing)), MOST_PLACED)


def _noun(name: str) -> str:
    return singulars(name)[0]


def _goal_of(config: Mapping[str, Any]) -> Mapping[str, int] | None:
    """Return the goal of a place; None where it has none."""
    return (config.get("task") or {}).get("goal") or None
