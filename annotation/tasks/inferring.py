"""Inferring goals: a rater watches a demonstration and says what its setter wanted.

A dataset has demonstrations if its first episode is one (:mod:`rlhf.replay.demonstrations`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated, Any

from pydantic import Field, StringConstraints, field_serializer

from annotation.server.errors import Refused
from annotation.tasks import contract
from annotation.tasks.contract import Item, RaterTask, Shown, Submission
from rlhf.records.preferences import InferredGoal, goal_text
from rlhf.replay.demonstrations import demonstrated_goal, goal_choices_of
from rlhf.store import ParquetStore
from worlds.contract import WorldError
from worlds.contract.goal_choices import GoalChoice, GoalChoices

_Predicate = Annotated[str, StringConstraints(min_length=1, max_length=200)]
_Count = Annotated[int, Field(ge=0, le=1000)]


class SaidGoal(contract.Answer):
    """The count of each predicate, by name; those left out are 0. All 0 means that the rater cannot tell."""

    goal: Annotated[dict[_Predicate, _Count], Field(max_length=1000)]

    @field_serializer("goal")
    def _above_zero(self, goal: dict[str, int]) -> dict[str, int]:
        return {name: count for name, count in goal.items() if count}


class Inferring(RaterTask):
    """Goals of demonstrations. Nothing that a rater gets names the goal."""

    kind = "inferring"
    Answer = SaidGoal
    film = True
    unmarked = True
    unknown = "you have no such demonstration to watch"
    absent = "this project has no demonstrations to watch"

    def holds(self, store: ParquetStore) -> bool:
        """Return whether a dataset holds demonstrations, by its first episode."""
        first = next(iter(store.ids()), None)
        if first is None or goal_choices_of(store.description.world) is None:
            return False
        return demonstrated_goal(store.read(first)) is not None

    def facts(self, store: ParquetStore, episode_id: str) -> dict[str, Any] | None:
        """Return {} for a demonstration, so that nothing names the goal; None for other episodes."""
        return None if demonstrated_goal(store.read(episode_id)) is None else {}

    def page(self, item: Item, rater_id: str, episodes: Sequence[Shown]) -> dict[str, Any]:
        """Return the choices by their headings."""
        groups = groupby(_choices(item).choices, key=lambda choice: choice.group)
        return {"choices": [{"group": group, "choices": [_row(choice) for choice in each]} for group, each in groups]}

    def check(self, answer: SaidGoal, item: Item) -> None:
        """Refuse a goal that the choices cannot make up."""
        try:
            _choices(item).check(answer.goal)
        except WorldError as error:
            raise Refused(422, str(error)) from error

    def records(self, submission: Submission) -> list[InferredGoal]:
        """Return the goal that was inferred from the whole episode."""
        (name,), (steps,), (said,) = submission.item.episodes, submission.item.steps, submission.answers
        goal = goal_text(said.goal)
        return [InferredGoal(name, 0, steps, goal, submission.rater, submission.active_sec, scripted=False)]

    def write(self, store: ParquetStore, records: Sequence[Any]) -> None:
        """Write the goals that are not there yet."""
        store.write_preferences(set(records) - set(store.preferences(InferredGoal)))


def _row(choice: GoalChoice) -> dict[str, Any]:
    return {"name": choice.name, "words": choice.words, "most": choice.most}


def _choices(item: Item) -> GoalChoices:
    """Return what can be said. Raises Refused if the world offers nothing, or is not known here any more."""
    found = goal_choices_of(item.world)
    if found is None:
        raise Refused(409, "the world of these demonstrations is not known here; ask the study's leader")
    return found
