"""Preferences that recordings have without a table of them: verdicts on requests, and take-overs of a co-pilot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from annotation.session.verdicts import read_verdicts
from rlhf.records.episode import CO_PILOT
from rlhf.records.marks import Judgement
from rlhf.records.preferences import FAILURE, SUCCESS, RequestVerdict, TakeOver
from rlhf.store.columns.transcript import EpisodeTranscript


def recorded_verdicts(episode: EpisodeTranscript, judgements: Iterable[Judgement]) -> Iterator[RequestVerdict]:
    """Yield the verdicts of a test suite's judges on a continuation, and those of a setter during play.

    A request of step t is heard at t + 1. A judge's stretch ends with the step of success, or with the episode; that of
    a setter ends with the step at which the verdict was given.

    Args:
      judgements: of the episode; without a request of a test suite it is not known what they are about.
    """
    steps = len(episode.utterance)
    scenario = episode.notes.get("scenario")
    if isinstance(scenario, Mapping) and isinstance(scenario.get("request_step"), int):
        for one in judgements:
            begin, end = scenario["request_step"] + 1, steps if one.step is None else one.step + 1
            if begin < end:
                answer = one.left_out or (SUCCESS if one.success else FAILURE)
                yield RequestVerdict(episode.episode_id, begin, end, answer, one.judge, one.scripted)
    kind, _, setter = episode.setter.partition(":")
    for verdict in read_verdicts(episode.notes):
        begin, end = verdict.request_step + 1, min(verdict.step + 1, steps)
        if begin < end:
            answer = SUCCESS if verdict.success else FAILURE
            yield RequestVerdict(episode.episode_id, begin, end, answer, setter or kind, kind != "human")


def recorded_take_overs(episode_id: str, solver: str, controller: np.ndarray) -> Iterator[TakeOver]:
    """Yield the stretches in which a co-pilot controlled the solver.

    Args:
      solver: its player of the solver, "agent:<name>+<co-pilot>".
      controller: uint8 [T], who controlled the solver at each step.
    """
    kind, _, name = solver.partition("+")[2].partition(":")
    held = np.concatenate([[False], np.asarray(controller) == CO_PILOT, [False]])
    edges = np.flatnonzero(held[1:] != held[:-1]).tolist()
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        yield TakeOver(episode_id, begin, end, name or kind or "co-pilot", kind != "human")
