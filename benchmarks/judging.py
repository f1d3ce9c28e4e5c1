"""A hundred judges at once: until a continuation is ready, from a verdict to "saved", and whether each is exported.

    python -m benchmarks.judging

All judges are clients in a process of their own who speak to the server as browsers do: they open a continuation, say
what they think of it, think again, and go on, at a person's pace. Every one is to judge every continuation. Wanted, at
the 95th percentile: saved within 200 ms, the next one ready within 1 s; no error, and every verdict in the dataset.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from annotation.server.security.visitors import Role
from benchmarks.camera import machine
from benchmarks.crowd import HEADING, Ask, Crowd, format_times, timed
from benchmarks.serving import PATIENCE_SEC, TAKES_OVER, ask_everybody, make_suite, new_people, served
from rlhf.records.marks import Judgement
from rlhf.store import open_store

STEPS = 133  # a context of some seconds, and half a minute of an agent


@dataclass
class Found:
    """What one judge saw, in seconds, and what they submitted: by what was asked for, success and its step."""

    judge: str = ""
    ready: list[float] = field(default_factory=list)
    saved: list[float] = field(default_factory=list)
    submitted: list[float] = field(default_factory=list)
    verdicts: dict[str, tuple[bool, int | None]] = field(default_factory=dict)


async def judge(ask: Ask, number: int, seconds: float, pace: float) -> Found:
    """Judge one continuation after the other until the time is up or there are no more."""
    found, rng = Found((await ask("GET", "/api/me")).json()["id"]), random.Random(number)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        clock = time.perf_counter()
        assignment = (await ask("POST", "/api/judging/next")).json()["assignment"]
        if assignment is None:
            break
        place = f"/api/judging/{assignment}"
        about, _ = await asyncio.gather(ask("GET", place), ask("GET", f"{place}/frames"))
        found.ready.append(time.perf_counter() - clock)
        said = (False, None)
        for revision in (1, 2):
            await asyncio.sleep(rng.uniform(0, pace))
            said = rng.choice(((False, None), (True, rng.randrange(TAKES_OVER, STEPS))))
            verdict = {"revision": revision, "success": said[0], "step": said[1], "position": 0, "active_sec": 1.0}
            await timed(found.saved, ask("PUT", f"{place}/verdict", verdict))
        await timed(found.submitted, ask("POST", f"{place}/submit", {"revision": 2}))
        found.verdicts[about.json()["request"]] = said
    return found


def measure(
    folder: Path, judges: int, continuations: int, seconds: float, pace: float
) -> tuple[list[Found], int, int, int]:
    """What the judges saw, how many failed, how many verdicts are missing in the dataset, and how many are too many."""
    asked = make_suite(folder, continuations, STEPS)
    with served(folder):  # makes the database
        pass
    ask_everybody(folder, judges)
    cookies = new_people(folder, Role.JUDGE, judges)
    with served(folder) as (_, url, _):
        found, errors = Crowd(url, cookies, partial(judge, seconds=seconds, pace=pace)).wait()
        said = {
            Judgement(asked[request], one.judge, success, step, scripted=False)
            for one in found
            for request, (success, step) in one.verdicts.items()
        }
        end = time.monotonic() + PATIENCE_SEC
        while not said <= (kept := set(open_store(folder / "sts").judgements())) and time.monotonic() < end:
            time.sleep(0.2)
    return found, errors, len(said - kept), len(kept - said)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--judges", type=int, default=100)
    parser.add_argument("--continuations", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=40.0, help="of judging")
    parser.add_argument("--pace", type=float, default=10.0, help="seconds between two sayings of a judge, at most")
    settings = parser.parse_args()
    print(machine())
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
