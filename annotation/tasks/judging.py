"""Judging: a judge says whether and when a continuation of a test suite fulfilled the request.

An episode whose notes have ``scenario`` is a continuation (`rlhf suite play`); a dataset is judged by its first one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from annotation.server.errors import Refused
from annotation.server.security.visitors import Role
from annotation.tasks import contract
from annotation.tasks.contract import Item, RaterTask, Shown, Submission
from annotation.tasks.fields import Step
from rlhf.records.marks import Judgement
from rlhf.store import ParquetStore
from worlds.errors import UserError

_NOTE = "scenario"  # in the notes of an episode that continues a scenario of a suite


class Verdict(contract.Answer):
    """Success at a step, failure, or left out for a reason; ``success`` None without a reason takes it back.

    ``left_out``: see :class:`rlhf.records.marks.Judgement`.
    """

    success: bool | None
    step: Step | None = None
    left_out: Literal["", "no request", "cannot tell"] = ""

    @property
    def empty(self) -> bool:
        """True without a verdict."""
        return self.success is None and not self.left_out


class Judging(RaterTask):
    """Verdicts on continuations. Nothing that a judge gets says whose continuation it is."""

    kind = "judging"
    role = Role.JUDGE
    Answer = Verdict
    instructed = False  # the leader's words may name the agents
    unmarked = True
    unknown = "there is nothing of that kind for you to judge"
    settled = "you have opened the next one; what you said of this stays as it is"
    missing = "give a verdict first"
    absent = "nothing of this project is to be judged"

    def holds(self, store: ParquetStore) -> bool:
        """Return whether a dataset holds continuations, by its first episode."""
        first = next(iter(store.ids()), None)
        return first is not None and _NOTE in store.read_transcript(first).notes

    def facts(self, store: ParquetStore, episode_id: str) -> dict[str, Any]:
        """Return the first step that is judged, and the request with its step. The agent is not among them."""
        about = store.read_transcript(episode_id).notes.get(_NOTE)
        try:
            assert about is not None
            return {"step": int(about["step"]), "request_step": int(about["request_step"]), "request": about["request"]}
        except (AssertionError, KeyError, TypeError, ValueError) as error:
            raise UserError(
                f"episode {episode_id} of {store.folder.name} is no continuation of a suite, others there are; take it "
                "out of that dataset (`rlhf episodes drop`)"
            ) from error

    def first_step(self, item: Item) -> int:
        """Return the step of the request."""
        return item.facts["request_step"]

    def page(self, item: Item, rater_id: str, episodes: Sequence[Shown]) -> dict[str, Any]:
        """Return the dialogue, the request, and where the judged part begins."""
        about = item.facts
        return episodes[0].page | {
            "takes_over": about["step"],
            "request_step": about["request_step"],
            "request": about["request"],
        }

    def check(self, answer: Verdict, item: Item) -> None:
        """Refuse a success without a step after the take-over, and a verdict both given and left out."""
        first, last = item.facts["step"], item.steps[0] - 1
        if answer.left_out and answer.success is not None:
            raise Refused(422, "a verdict that is left out is neither success nor failure")
        if (answer.step is not None) != (answer.success is True):
            raise Refused(422, "a success has a moment, and nothing else has")
        if answer.step is not None and not first <= answer.step <= last:
            raise Refused(422, f"what is judged are steps {first} to {last}, not {answer.step}")

    def records(self, submission: Submission) -> list[Judgement]:
        if not submission.answers:
            raise ValueError("it is no verdict")
        (said,) = submission.answers
        episode, judge = submission.item.episodes[0], submission.rater
        return [Judgement(episode, judge, bool(said.success), said.step, False, said.left_out)]

    def write(self, store: ParquetStore, records: Sequence[Any]) -> None:
        """Write the judgements that are not there yet."""
        known = {said for one in records for said in store.judgements(one.episode_id)}
        store.write_judgements(set(records) - known)
