"""Marks that cost nobody anything: a setter who goes on to the next request was content with what was done.

They say nothing of how it was done, and are wrong wherever a setter gives up, as scripted setters do in the end.
They are labelled as scripted, by the rater :data:`NEXT_REQUEST`.
"""

from __future__ import annotations

from rlhf.records.episode import Episode
from rlhf.records.marks import PROGRESS, Mark

NEXT_REQUEST = "next-request"  # in place of the name of a rater


def marks_before_requests(episode: Episode) -> list[Mark]:
    """Return a mark of progress one step before each request of an episode but the first.

    A person's requests are not recorded as such: each of the setter's utterances is one.
    """
    steps = {request.step for request in episode.requests}
    if not steps:
        steps = {step for step, words in enumerate(episode.setter_utterance) if words}
    return [Mark(episode.episode_id, NEXT_REQUEST, step - 1, PROGRESS, scripted=True) for step in sorted(steps)[1:]]
