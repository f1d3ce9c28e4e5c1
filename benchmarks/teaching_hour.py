"""The hour of `rlhf teach`: a scripted person teaches the pretrained agent in a browser, and the clock runs.

    python -m benchmarks.teaching_hour --out runs/teaching-hour

The person opens the printed link, watches and marks clips at the page's speed, asks the agent once, trains it, and
judges its play beside that of the agent before. The folder gets ``hour.json`` with the seconds of each phase and all
that was marked and judged, pictures of the page, and the run itself in ``run``. It takes an hour on two idle cores.
"""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from PIL import Image

from benchmarks import serving
from benchmarks.browsers import find_chromium, launched
from benchmarks.scripted_teacher import PATIENCE_MS, MarkedClip, ScriptedTeacher
from benchmarks.timing import options
from pipelines.loops.comparison import ROUNDS_FILE
from pipelines.report.findings import OVERALL
from rlhf.run.machine import describe
from worlds.errors import UserError

VIEWPORT = {"width": 1280, "height": 800}
HOUR_FILE = "hour.json"
COLOURS = 256  # of the pictures


class Phases:
    """Seconds of wall clock, by phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Add the time of the block to phase ``name``."""
        began = time.monotonic()
        yield
        self.seconds[name] = round(time.monotonic() - began, 1)


@contextmanager
def taught(words: list[str]) -> Iterator[str]:
    """Yield the link that `rlhf teach` prints; Ctrl-C ends it. Raises UserError if it does not begin."""
    process = serving.start(["teach", *words])
    try:
        yield serving.printed_link(process)
    except RuntimeError as error:
        raise UserError(f"rlhf teach {' '.join(words)}: {error}") from error
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


def teach(settings: Any, run: Path) -> dict[str, Any]:
    """Go through the hour, and return what ``hour.json`` has of it, but for the results."""
    phases, words = Phases(), ["--run", str(run), "--port", "0"]
    words += [word for name in ("clips", "pairs", "seed") for word in (f"--{name}", str(getattr(settings, name)))]
    began = time.monotonic()
    with launched(find_chromium(), PATIENCE_MS) as browser, ExitStack() as server:
        with phases.of("starting"):
            link = server.enter_context(taught(words))
            page = browser.new_context(viewport=VIEWPORT).new_page()  # type: ignore[arg-type]
            page.goto(link)
            page.get_by_role("button", name="Sign in").click()
            page.locator(".teach-bar strong").wait_for()
        found = go_through(ScriptedTeacher(page, run, settings.out, settings.seed), phases, settings)
        page.close()
    phases.seconds["all"] = round(time.monotonic() - began, 1)
    return {"command": ["rlhf", "teach", *words], "seconds": phases.seconds, **found}


def go_through(person: ScriptedTeacher, phases: Phases, settings: Any) -> dict[str, Any]:
    """Mark, ask, train and compare."""
    with phases.of("first clip"):
        if not person.finds_clip():
            raise UserError("rlhf teach shows no clip")
    clips = list[MarkedClip]()
    with phases.of("marking"):
        end = time.monotonic() + 60 * settings.minutes
        while time.monotonic() < end and person.finds_clip(end):
            clips.append(person.mark())
    with phases.of("waiting for the last clips"):
        marked = person.wait_for("marking")
    if settings.ask and marked["asks"]:
        with phases.of("asking"):
            person.ask(settings.ask)
    with phases.of("training"):
        training = person.train()
    with phases.of("comparing"):
        pairs = person.compare()
    result = person.result()
    person.close()
    return {
        "clips": len(clips), "clips_of_the_agent": marked["clips"], "marks": marked["marks"],
        "verdicts": marked["verdicts"], "marks_per_minute": round(60 * marked["marks"] / phases.seconds["marking"], 2),
        "late_steps": lateness(clips), "result": result, "pairs": [asdict(pair) for pair in pairs],
        "training": training, "marked": [asdict(clip) for clip in clips],
    }  # fmt: skip


def shrink(folder: Path) -> None:
    """Save the pictures of a folder again with a palette, small enough for the documentation."""
    for path in folder.glob("teach-*.png"):
        with Image.open(path) as picture:
            small = picture.convert("RGB").quantize(COLOURS)
        small.save(path, optimize=True)


def lateness(clips: list[MarkedClip]) -> dict[str, int]:
    """Count, by the number of steps by which they came late, marks on clips where as many were given as were meant."""
    late = [
        now - then
        for clip in clips
        if len(clip.meant) == len(clip.given)
        for (then, _), (now, _) in zip(clip.meant, clip.given, strict=True)
    ]
    return {str(steps): late.count(steps) for steps in sorted(set(late))}


def results(run: Path) -> dict[str, Any]:
    """Return the success of both agents and its change, as the run has measured them, with 95% intervals."""
    found = json.loads((run / ROUNDS_FILE).read_text(encoding="utf-8"))
    last = found["rounds"][-1]
    return {
        "success": {"old": found["clone_success"], "new": last["success"], "change": last["on_deployed"]},
        "preferred": last["preferred"],
    }


def table(hour: dict[str, Any]) -> str:
    """Return the hour as lines for the screen."""
    lines = [f"{name:28s} {seconds / 60:8.1f} min" for name, seconds in hour["seconds"].items()]
    given = f"{hour['verdicts']} verdicts and {hour['marks']} marks on {hour['clips']} clips"
    lines += [f"{given}, {hour['marks_per_minute']} marks a minute; late by steps: {hour['late_steps']}"]
    for agent in ("old", "new"):
        success = hour["success"][agent]
        one = success.get(OVERALL) or next(iter(success.values()))
        lines += [f"{agent} agent: {one['estimate']:.1%} ({one['low']:.1%} to {one['high']:.1%})"]
    return "\n".join([*lines, hour["result"]])


def main() -> None:
    """Teach, measure, write and print."""
    settings = options(
        __doc__,
        out=(Path("runs/teaching-hour"), "folder of results, pictures and the run, which is made"),
        clips=(600, "requests that the agent carries out for the person to mark"),
        minutes=(25.0, "of marking, unless all clips are marked before"),
        pairs=(20, "requests at which the new agent is compared with the old one"),
        ask=("go to the duck", 'what the person asks the agent for; "" leaves it out'),
        seed=(0, "seed of `rlhf teach`, and of what the person overlooks and mistakes"),
    )
    try:
        find_chromium()
        if settings.out.exists():
            raise UserError(f"{settings.out} is there already; name another folder with --out")
        settings.out.mkdir(parents=True)
        run = settings.out / "run"
        hour = {"machine": str(describe()), **teach(settings, run), **results(run)}
        shrink(settings.out)
    except UserError as error:
        raise SystemExit(f"error: {error}") from error
    (settings.out / HOUR_FILE).write_text(json.dumps(hour, indent=1) + "\n", encoding="utf-8")
    print(table(hour))


if __name__ == "__main__":
    main()
