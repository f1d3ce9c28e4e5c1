"""Comparing: a rater says in which of two clips the solver does better what it was asked."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from annotation.agreement.clip_agreement import clip_agreement
from annotation.tasks import contract
from annotation.tasks.clip_sampling import (
    SHORTEST_STEPS,
    ClipSampler,
    ClipSettings,
    DrawnPair,
    Played,
    draw_by_place,
)
from annotation.tasks.contract import Item, RaterTask, Shown, Submission, said_at
from annotation.tasks.fields import MAX_INT
from rlhf.records.preferences import CANNOT_TELL, SAME, A, B, ClipPair, Stretch
from rlhf.store import ParquetStore

LEFT, RIGHT = "left", "right"
MOST_EPISODES = 1000  # whose words are read for a draw, so that it takes seconds


class Choice(contract.Answer):
    """The better clip, by its side of the rater's page; "" takes the answer back."""

    answer: Literal["", "left", "right", "same", "cannot tell"]

    @property
    def empty(self) -> bool:
        """True without an answer."""
        return self.answer == ""


class ComparingSettings(contract.Settings):
    """How many pairs of clips are wanted, and how they are drawn."""

    pairs: Annotated[int, Field(ge=0, le=10_000, strict=True)] = 0
    clip_seconds: Annotated[float, Field(ge=0.5, le=60, allow_inf_nan=False)] = 4.0
    within_share: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.5  # of pairs of one episode's clips
    seed: Annotated[int, Field(ge=0, le=MAX_INT, strict=True)] = 0
    by_place: Annotated[bool, Field(strict=True)] = False  # pairs are two players' whole episodes in the same place

    @property
    def draw(self) -> tuple[float, float, int, bool]:
        """What decides which pairs are drawn."""
        return self.clip_seconds, self.within_share, self.seed, self.by_place


class Comparing(RaterTask):
    """Pairs of clips. The two lie on sides that are random for each rater, and nothing says whose play they are."""

    kind = "comparing"
    Answer = Choice
    Settings = ComparingSettings
    drawn = True
    unknown = "you have no such clips to compare"
    settled = "you have opened the next clips; your answer to these stays as it is"

    def clips(self, item: Item, rater_id: str) -> list[Stretch]:
        """Return the left clip and the right one."""
        clips = list(stretches(item))
        return clips[::-1] if swapped(item.id, rater_id) else clips

    def page(self, item: Item, rater_id: str, episodes: Sequence[Shown]) -> dict[str, Any]:
        """Return what was asked and said in both clips, left and right."""
        clips, requests = self.clips(item, rater_id), list(item.facts["requests"])
        if swapped(item.id, rater_id):
            requests.reverse()
        return {
            "clips": [
                {"request": request, **_clip(episode, clip)}
                for request, episode, clip in zip(requests, episodes, clips, strict=True)
            ],
            "pictured": all(episode.frames is not None for episode in episodes),
        }

    def check(self, answer: Choice, item: Item) -> None:
        """Every answer can be given to every pair."""

    def records(self, submission: Submission) -> list[ClipPair]:
        """Return the clip pair; A and B are the same clips for all raters."""
        if not submission.answers:
            raise ValueError("it is no answer")
        one, other = stretches(submission.item)
        return [ClipPair(*one, *other, _by_clip(submission), submission.rater, submission.active_sec, scripted=False)]

    def write(self, store: ParquetStore, records: Sequence[Any]) -> None:
        """Write the clip pairs that are not there yet."""
        store.write_preferences(set(records) - set(store.preferences(ClipPair)))

    def withdraw(self, store: ParquetStore, item: Item, rater: str) -> None:
        """Remove a rater's comparison of the two clips."""
        clips = stretches(item)
        pairs = store.preferences(ClipPair)
        store.remove_preferences(one for one in pairs if one.rater == rater and one.stretches == clips)

    def progress(self, submissions: Sequence[Submission]) -> dict[str, Any]:
        """Return how far raters agree."""
        answers: defaultdict[str, list[str]] = defaultdict(list)
        for submission in submissions:
            answers[submission.item.id].append(_by_clip(submission))
        return {"agreement": clip_agreement(answers)}


def swapped(item_id: str, rater_id: str) -> bool:
    """Return whether clip B of a pair is on the left of a rater's page, which it is half of the time."""
    return hashlib.sha256(f"{rater_id} {item_id}".encode()).digest()[0] % 2 == 1


def stretches(item: Item) -> tuple[Stretch, Stretch]:
    """Return clips A and B."""
    steps, (begin_a, begin_b) = item.facts["steps"], item.facts["begins"]
    a, b = item.episodes[0], item.episodes[-1]
    return Stretch(a, begin_a, begin_a + steps), Stretch(b, begin_b, begin_b + steps)


def draw(
    store: ParquetStore,
    episodes: Mapping[str, str],
    settings: ComparingSettings,
    first: int,
    count: int,
    known: set[frozenset[Stretch]],
) -> list[DrawnPair]:
    """Draw pairs of clips; fewer than ``count`` where there are no more.

    Raises UserError if an episode cannot be read.
    """
    chosen = list(episodes.items())
    if len(chosen) > MOST_EPISODES:
        places = np.random.default_rng(settings.seed).choice(len(chosen), MOST_EPISODES, replace=False)
        chosen = [chosen[place] for place in sorted(places)]
    read = {id: store.read_transcript(episode_id) for id, episode_id in chosen}
    if settings.by_place:
        played = {
            id: Played(json.dumps([one.config, one.seed], sort_keys=True), one.solver, one.setter_text)
            for id, one in read.items()
        }
        return list(draw_by_place(played, settings.seed, first, count, known))
    steps = max(SHORTEST_STEPS, round(settings.clip_seconds * store.description.steps_per_second))
    heard = {id: one.setter_text for id, one in read.items()}
    sampler = ClipSampler(heard, ClipSettings(steps, settings.within_share, settings.seed))
    return list(sampler.draw(first, count, known))


def facts_of(pair: DrawnPair) -> dict[str, Any]:
    """Return what is noted of a pair: length and first steps of its clips, and what was asked in each."""
    return {"steps": pair.a.end - pair.a.begin, "begins": [pair.a.begin, pair.b.begin], "requests": list(pair.requests)}


def _by_clip(submission: Submission) -> str:
    (said,) = submission.answers
    sides = {LEFT: B, RIGHT: A} if swapped(submission.item.id, submission.rater_id) else {LEFT: A, RIGHT: B}
    return (sides | {SAME: SAME, CANNOT_TELL: CANNOT_TELL})[said.answer]


def _clip(episode: Shown, clip: Stretch) -> dict[str, Any]:
    """Return what was said in a clip, and before it since the request; steps count from the clip's first.

    In a world with declared spaces, also what the solver did at every step.
    """
    words = [said for said in episode.words if said[0] < clip.end]
    requests = [step for step, who, _ in words if who == "setter" and step < clip.begin]
    since = requests[-1] if requests else -1
    found = [said for said in words if said[0] > since or (said[0] == since and said[1] == "solver")]
    shown: dict[str, Any] = {"words": said_at(found, clip.begin)}
    return shown if episode.actions is None else shown | {"actions": episode.actions[clip.begin : clip.end]}
