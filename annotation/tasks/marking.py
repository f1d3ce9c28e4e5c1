"""Marking: a rater marks moments of progress and of regress in an episode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from annotation.server.errors import Refused
from annotation.tasks import contract
from annotation.tasks.assignment import STRATEGIES
from annotation.tasks.contract import Item, RaterTask, Submission
from annotation.tasks.fields import Sign, Step
from rlhf.records.marks import Mark
from rlhf.store import ParquetStore


class MarkAnswer(contract.Answer):
    """The state of one mark."""

    step: Step
    sign: Sign
    deleted: bool = False

    @property
    def empty(self) -> bool:
        """True once it is deleted."""
        return self.deleted


class MarkingSettings(contract.Settings):
    """Order of the episodes, tolerance of agreement, and the use of gold episodes."""

    strategy: Literal[tuple(STRATEGIES)] = "breadth"  # type: ignore[valid-type]
    tolerance: Annotated[int, Field(ge=0, le=1000, strict=True)] = 4  # steps by which marks of one moment may be apart
    gold_every: Annotated[int, Field(ge=0, le=1000, strict=True)] = 10  # one in so many of a rater's is gold; 0: none
    export_gold: Annotated[bool, Field(strict=True)] = False  # whether raters' marks of gold episodes are exported

    @property
    def order(self) -> str:
        """As the leader has chosen."""
        return self.strategy


class Marking(RaterTask):
    """Marks of whole episodes."""

    kind = "marking"
    Answer = MarkAnswer
    Settings = MarkingSettings
    many = True
    gold = True
    unknown = "you have no such episode to mark"
    settled = "the episode is submitted; its marks do not change any more"

    def check(self, answer: MarkAnswer, item: Item) -> None:
        """Refuse a mark outside the episode."""
        if answer.step >= item.steps[0]:
            raise Refused(422, f"the episode has steps 0 to {item.steps[0] - 1}, not {answer.step}")

    def records(self, submission: Submission) -> list[Mark]:
        """Return the marks."""
        episode, rater = submission.item.episodes[0], submission.rater
        return [Mark(episode, rater, mark.step, mark.sign, scripted=False) for mark in submission.answers]

    def write(self, store: ParquetStore, records: Sequence[Any]) -> None:
        """Write the marks; marks are sets, so one that is given twice is written once."""
        known = {mark for episode_id in {mark.episode_id for mark in records} for mark in store.marks(episode_id)}
        store.write_marks(set(records) - known)
