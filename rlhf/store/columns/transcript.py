"""Transcripts of episodes, without frames and movements: players, requests, utterances and success."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from rlhf.records.episode import CO_PILOT, Episode, Request


@dataclass(frozen=True)
class EpisodeTranscript:
    """The words of T steps and what surrounds them; fields as in :class:`rlhf.records.episode.Episode`.

    Args:
      taken_over: whether a co-pilot controlled the solver at some step.
    """

    episode_id: str
    setter: str
    solver: str
    config: Mapping[str, Any]
    notes: Mapping[str, Any]
    requests: tuple[Request, ...]
    success_step: tuple[int | None, ...]
    setter_text: tuple[str, ...]
    setter_utterance: tuple[str, ...]
    utterance: tuple[str, ...]
    taken_over: bool
    seed: int = 0

    def spoken(self) -> list[tuple[int, str, str]]:
        """Step, "setter" or "solver", and words of every utterance; at one step the setter's first."""
        said = []
        for step, (setter, solver) in enumerate(zip(self.setter_utterance, self.utterance, strict=True)):
            said += [(step, who, words) for who, words in (("setter", setter), ("solver", solver)) if words]
        return said


def transcript(episode: Episode) -> EpisodeTranscript:
    """Return the transcript of ``episode``."""
    own = {one.name: getattr(episode, one.name) for one in fields(EpisodeTranscript) if one.name != "taken_over"}
    return EpisodeTranscript(**own, taken_over=bool((episode.controller == CO_PILOT).any()))
