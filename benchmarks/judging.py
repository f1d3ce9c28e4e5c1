"""A hundred judges at once: times of continuations and verdicts, and export of every verdict.

    python -m benchmarks.judging

All judges are clients in a separate process that send the requests of a browser: each opens a continuation, gives a
verdict, revises it, and submits it, at a person's pace. Each judges every continuation. Targets, at the 95th
percentile: saved within 200 ms, the next continuation ready within 1 s; no error, and every verdict in the dataset.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from annotation.server.security.visitors import Role
from benchmarks.crowd import HEADING, Ask, Crowd, format_times, timed
from benchmarks.serving import PATIENCE_SEC, TAKES_OVER, ask_everybody, make_suite, new_people, served
from benchmarks.timing import options
from rlhf.records.marks import Judgement
from rlhf.store import open_store

STEPS = 133  # a context of some seconds, and half a minute of an agent


@dataclass
class Found:
    """Measurements of one judge: times in seconds, and the submitted verdicts (success and its step) by request."""

    judge: str = ""
    ready: list[float] = field(default_factory=list)
    saved: list[float] = field(default_factory=list)
    submitted: list[float] = field(default_factory=list)
    verdicts: dict[str, tuple[bool, int | None]] = field(default_factory=dict)


async def judge(ask: Ask, number: int, seconds: float, pace: float) -> Found:
    """Judge continuations until the time is up or there are no more."""
    found, rng = Found((await ask("GET", "/api/me")).json()["id"]), random.Random(number)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        clock = time.perf_counter()
        assignment = (await ask("POST", "/api/tasks/judging/next")).json()["assignment"]
        if assignment is None:
            break
        place = f"/api/tasks/judging/{assignment}"
        about, _ = await asyncio.gather(ask("GET", place), ask("GET", f"{place}/frames"))
        found.ready.append(time.perf_counter() - clock)
        latest = (False, None)
        for revision in (1, 2):
            await asyncio.sleep(rng.uniform(0, pace))
            latest = rng.choice(((False, None), (True, rng.randrange(TAKES_OVER, STEPS))))
            verdict = {"id": assignment, "revision": revision, "success": latest[0], "step": latest[1]}
            body = {"answers": [verdict], "position": 0, "active_sec": 1.0}
            await timed(found.saved, ask("PUT", f"{place}/answers", body))
        await timed(found.submitted, ask("POST", f"{place}/submit", {"revision": 2}))
        found.verdicts[about.json()["request"]] = latest
    return found


def measure(
    folder: Path, judges: int, continuations: int, seconds: float, pace: float
) -> tuple[list[Found], int, int, int]:
    """Return the judges' measurements, and the numbers of failed judges, of missing and of surplus verdicts."""
    asked = make_suite(folder, continuations, STEPS)
    with served(folder):  # creates the database
        pass
    ask_everybody(folder, judges)
    cookies = new_people(folder, Role.JUDGE, judges)
    with served(folder) as (_, url, _):
        found, errors = Crowd(url, cookies, partial(judge, seconds=seconds, pace=pace)).wait()
        submitted = {
            Judgement(asked[request], one.judge, success, step, scripted=False)
            for one in found
            for request, (success, step) in one.verdicts.items()
        }
        end = time.monotonic() + PATIENCE_SEC
        while not submitted <= (kept := set(open_store(folder / "sts").judgements())) and time.monotonic() < end:
            time.sleep(0.2)
    return found, errors, len(submitted - kept), len(kept - submitted)


def main() -> None:
    """Measure and print."""
    settings = options(
        __doc__,
        judges=100,
        continuations=50,
        seconds=(40.0, "of judging"),
        pace=(10.0, "longest time between two revisions of a verdict, in seconds"),
    )
    with tempfile.TemporaryDirectory() as folder:
        found, errors, missing, wrong = measure(
            Path(folder) / "study", settings.judges, settings.continuations, settings.seconds, settings.pace
        )
    print(f"{settings.judges} judges, {settings.continuations} continuations of {STEPS} steps")
    print(HEADING)
    print(format_times("continuation ready", [seconds for one in found for seconds in one.ready]))
    print(format_times("verdict acknowledged", [seconds for one in found for seconds in one.saved]))
    print(format_times("submitted", [seconds for one in found for seconds in one.submitted]))
    submitted = sum(len(one.verdicts) for one in found)
    print(
        f"{errors} errors; of {submitted:,} submitted verdicts {missing:,} are not in the dataset, {wrong:,} others are"
    )


if __name__ == "__main__":
    main()
