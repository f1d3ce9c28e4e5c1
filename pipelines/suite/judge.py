"""`rlhf suite judge`: scripted stand-ins judge a suite's continuations in place of people.

They read success and its step from the ground truth, and err at random. Their judgements are labelled as scripted, and
`rlhf suite report` leaves them out without `--scripted`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pipelines.suite.scenarios import NOTE
from rlhf.records.episode import Episode
from rlhf.records.marks import Judgement
from rlhf.run.progress import announce, progress
from rlhf.store import open_store
from rlhf.store.columns.transcript import EpisodeTranscript
from worlds.errors import UserError
from worlds.ranges import Count, Seed, Share, Steps
from worlds.settings import settings


@settings
class JudgeSuiteConfig:
    """Settings of `rlhf suite judge`.

    Args:
      data: dataset of continuations.
      judges: number of scripted judges of each continuation.
      wrong: share from 0 to 1 of judgements that are opposite to the truth.
      late: fewest and most steps from success to the judged moment of success.
      seed: seed of the judges' errors.
    """

    data: Path = Path("study/sts")
    judges: Count = 1
    wrong: Share = 0.05
    late: tuple[Steps, Steps] = (0, 4)
    seed: Seed = 0

    def __post_init__(self) -> None:
        check_late(self.late)


def judge_suite(config: JudgeSuiteConfig) -> list[Judgement]:
    """Judge every continuation and write the judgements; the same settings give the same ones, which are saved once.

    Raises UserError if the dataset has no continuations, or none of a request with a success check.
    """
    store = open_store(config.data)
    ids = sorted(store.ids())
    judgements: list[Judgement] = []
    unknown = 0
    for episode in progress(store.stream(ids), len(ids), f"judging {config.data}"):
        if NOTE not in episode.notes:
            raise UserError(f"episode {episode.episode_id} of {config.data} is no continuation of a suite")
        if request_index(episode) is None:
            unknown += 1
        else:
            judgements += [judged(episode, number, config) for number in range(config.judges)]
    if not judgements:
        raise UserError(
            f"no request in {config.data} has a check of its own; only people can judge these: `rlhf serve`"
        )
    known = set(store.judgements())
    store.write_judgements(one for one in judgements if one not in known)
    left = f"; {unknown} have requests that only people can judge" if unknown else ""
    announce(f"{len(judgements)} scripted judgements are in {config.data}{left}")
    return judgements


def judged(episode: Episode, number: int, config: JudgeSuiteConfig) -> Judgement:
    """Judgement of judge ``number`` on a continuation of a request with a success check."""
    seed = [config.seed, number, *episode.episode_id.encode()]
    rng = np.random.default_rng(seed)
    index, begin = request_index(episode), int(episode.notes[NOTE]["step"])
    assert index is not None
    done = episode.success_step[index]
    step = seen_success(done, begin, len(episode), rng, config.wrong, config.late)
    return Judgement(episode.episode_id, f"scripted-{number}", step is not None, step, True)


def seen_success(
    done: int | None, begin: int, end: int, rng: np.random.Generator, wrong: float, late: tuple[int, int]
) -> int | None:
    """Return the step at which a scripted judge sees success; None if it sees failure.

    Args:
      done: step of the action that truly succeeded, if any.
      wrong: share of judgements that are opposite to the truth.
    """
    success = (done is not None) != (rng.random() < wrong)
    delay = int(rng.integers(*late, endpoint=True))
    if not success:
        return None
    # What is done at a step is seen at the next one.
    step = int(rng.integers(begin, end)) if done is None else max(begin, done + 1) + delay
    return min(step, end - 1)


def check_late(late: tuple[int, int]) -> None:
    """Check a range of delays. Raises UserError if it is none."""
    if not late[0] <= late[1]:
        raise UserError(f"late is (fewest, most) steps from 0, not {late}")


def request_index(episode: Episode | EpisodeTranscript) -> int | None:
    """Return the index of the scenario's request among a continuation's; None if it has no check."""
    steps = [request.step for request in episode.requests]
    asked = episode.notes[NOTE]["request_step"]
    return steps.index(asked) if asked in steps else None
