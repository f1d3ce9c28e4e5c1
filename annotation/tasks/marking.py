"""Marking: a rater marks moments of progress and of regress in an episode, and may judge its requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from annotation.server.errors import Refused
from annotation.tasks import contract
from annotation.tasks.assignment import STRATEGIES
from annotation.tasks.contract import Item, RaterTask, Submission
from annotation.tasks.fields import Sign, Step
from rlhf.records.marks import Mark
from rlhf.records.preferences import FAILURE, SUCCESS, RequestVerdict
from rlhf.store import ParquetStore


class MarkAnswer(contract.Answer):
    """The state of one mark of the moment ``step``, or of one verdict.

    With ``until`` it is a verdict on the stretch from ``step``, the first at which the solver hears a request, up to
    ``until``, which is no longer part of it: the request was carried out (+1), or was not (-1).
    """

    step: Step
    sign: Sign
    deleted: bool = False
    until: Step | None = None

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


def marks_of(answers: Iterable[Mapping[str, Any]], episode_id: str, rater: str) -> list[Mark]:
    """Return the marks among a rater's answers, which are as the database keeps them."""
    marks = [said for said in answers if said.get("until") is None]
    return [Mark(episode_id, rater, said["step"], said["sign"], scripted=False) for said in marks]


class Marking(RaterTask):
    """Marks of whole episodes, and verdicts on their requests."""

    kind = "marking"
    Answer = MarkAnswer
    Settings = MarkingSettings
    many = True
    gold = True
    unknown = "you have no such episode to mark"
    settled = "the episode is submitted; its marks do not change any more"

    def check(self, answer: MarkAnswer, item: Item) -> None:
        """Refuse a mark outside the episode, and a verdict on no stretch of it."""
        steps = item.steps[0]
        if answer.step >= steps:
            raise Refused(422, f"the episode has steps 0 to {steps - 1}, not {answer.step}")
        if answer.until is not None and not answer.step < answer.until <= steps:
            raise Refused(422, f"a request heard at step {answer.step} ends from {answer.step + 1} to {steps}")

    def records(self, submission: Submission) -> list[Mark | RequestVerdict]:
        episode, rater = submission.item.episodes[0], submission.rater
        verdicts = [
            RequestVerdict(episode, said.step, said.until, SUCCESS if said.sign > 0 else FAILURE, rater, scripted=False)
            for said in submission.answers
            if said.until is not None
        ]
        return [*marks_of([said.model_dump() for said in submission.answers], episode, rater), *verdicts]

    def write(self, store: ParquetStore, records: Sequence[Any]) -> None:
        """Write marks and verdicts; both are sets, so one that is given twice is written once."""
        known = {mark for episode_id in {one.episode_id for one in records} for mark in store.marks(episode_id)}
        store.write_marks({one for one in records if isinstance(one, Mark)} - known)
        verdicts = {one for one in records if isinstance(one, RequestVerdict)}
        store.write_preferences(verdicts - set(store.preferences(RequestVerdict)) if verdicts else verdicts)

    def withdraw(self, store: ParquetStore, item: Item, rater: str) -> None:
        """Remove a rater's marks of the episode, and verdicts on its requests."""
        (episode_id,) = item.episodes
        store.remove_marks(rater, episode_id)
        store.remove_preferences(one for one in store.preferences(RequestVerdict, episode_id) if one.rater == rater)
