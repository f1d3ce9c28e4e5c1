"""A hundred raters at once: times of episodes, marks, and scanning in a real browser.

    python -m benchmarks.marking

All raters but one are clients in a process of their own who speak to the server as browsers do: they open five-minute
episodes at the same moment, then give a mark every two seconds each (people: one in twenty), then submit. Half the time
they are alone. In the other half the last rater opens the episode in a Chromium, moves the mouse over the picture and
presses keys; there, times end when a picture is drawn and when the page reports that all is saved. As the browser runs
on the server's own cores, others' times are printed separately. Targets, at the 95th percentile: scanning within
100 ms, saved within 200 ms, an episode ready within 1 s; no error, and every mark in the dataset.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from benchmarks.browsers import find_chromium, launched
from benchmarks.crowd import HEADING, SIGN_IN_SEC, Ask, Crowd, format_times, timed
from benchmarks.serving import PATIENCE_SEC, ask_everybody, new_people, served
from benchmarks.timing import options
from pipelines.stages.record import RecordConfig, record
from rlhf.store import open_store

STEPS = 1125  # five minutes
OPENINGS = 8
# Called on the page: seconds from a movement of the mouse over the picture until that step's picture is drawn.
SCAN = """async (share) => {
  const picture = document.querySelector(".picture");
  const box = picture.getBoundingClientRect();
  const drawn = new Promise((resolve) => { window.onDrawn = resolve; });
  const begun = performance.now();
  const at = { clientX: box.left + share * box.width, clientY: box.top + 9, pointerType: "mouse", bubbles: true };
  picture.dispatchEvent(new PointerEvent("pointermove", at));
  await drawn;
  return (performance.now() - begun) / 1000;
}"""
# Seconds from a key that gives a mark until the page says that everything is saved.
SAVE = """async () => {
  const saved = () => document.querySelector('.saved[data-waiting="0"]') !== null;
  const begun = performance.now();
  dispatchEvent(new Event("focus"));
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "p", bubbles: true }));
  const until = async (wanted) => { while (saved() !== wanted) await new Promise((go) => setTimeout(go, 1)); };
  await until(false);
  await until(true);
  return (performance.now() - begun) / 1000;
}"""
# Run in every page before it begins: when pictures are drawn, and when there is a timeline to scan by.
WATCH = """
  new MutationObserver((_, watching) => {
    if (!document.querySelector("[role=slider]")) return;
    window.readyAt = Date.now();
    watching.disconnect();
  }).observe(document, { childList: true, subtree: true });
  const draw = CanvasRenderingContext2D.prototype.drawImage;
  CanvasRenderingContext2D.prototype.drawImage = function (...all) { draw.apply(this, all); window.onDrawn?.(); };
"""


@dataclass
class Found:
    """Measurements of the raters; times in seconds."""

    ready: list[float] = field(default_factory=list)
    saved: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)  # saved, while the browser is at work on the same cores
    episode_bytes: int = 0
    marks: int = 0


async def rate(ask: Ask, rater: int, seconds: float, pace: float) -> Found:
    """A rater without a browser: open an episode, mark it for twice ``seconds``, submit it."""
    found, rng = Found(), random.Random(rater)
    clock = time.perf_counter()
    place = f"/api/tasks/marking/{(await ask('POST', '/api/tasks/marking/next')).json()['assignment']}"
    _, frames = await asyncio.gather(ask("GET", place), ask("GET", f"{place}/frames"))
    found.ready.append(time.perf_counter() - clock)
    found.episode_bytes = len(frames.content)
    half = int(seconds / pace) + 1
    steps = rng.sample(range(STEPS), 2 * half)
    await asyncio.sleep(rng.uniform(0, pace))
    for number, step in enumerate(steps):
        mark = {"id": str(UUID(int=rng.getrandbits(128))), "revision": 1, "step": step, "sign": rng.choice((1, -1))}
        times = found.saved if number < half else found.beside
        await timed(times, ask("PUT", f"{place}/answers", {"answers": [mark], "position": step}))
        await asyncio.sleep(max(0.0, pace - times[-1]))
    await ask("POST", f"{place}/submit", {"answers": len(steps)})
    found.marks = len(steps)
    return found


def look(url: str, cookie: str, seconds: float) -> dict[str, list[float]]:
    """The rater with a browser: seconds until ready, of scanning, and of saving."""
    with launched(find_chromium(), 1000 * PATIENCE_SEC) as browser:
        times: dict[str, list[float]] = {"ready": [], "scan": [], "save": []}
        end = time.monotonic() + seconds
        for number in range(OPENINGS):  # each in a browser without a cache of the episode
            page = browser.new_context(viewport={"width": 1366, "height": 768}).new_page()
            page.set_default_timeout(1000 * PATIENCE_SEC)
            page.context.add_cookies([{"name": COOKIE, "value": cookie, "url": url}])
            page.add_init_script(WATCH)
            times["ready"].append(_open(page, url))
            if number < OPENINGS - 1:
                page.context.close()
        # No step twice: an existing mark is not given again.
        steps = iter(random.Random(0).sample(range(STEPS), STEPS))
        while time.monotonic() < end:
            for _ in range(8):
                times["scan"].append(page.evaluate(SCAN, (next(steps) + 0.5) / STEPS))
                page.wait_for_timeout(30)
            times["save"].append(page.evaluate(SAVE))
    return times


def _open(page: Any, url: str) -> float:
    """Seconds from the click on "Mark episodes" until the episode can be scanned."""
    page.goto(url)
    page.get_by_text("Mark episodes").wait_for()
    clicked = time.time()
    page.get_by_text("Mark episodes").click()
    page.get_by_role("slider").wait_for()
    return page.evaluate("readyAt") / 1000 - clicked


def measure(folder: Path, raters: int, seconds: float, pace: float) -> tuple[Found, int, dict[str, list[float]], int]:
    """Return the raters' measurements, the number of failed ones, the browser's times, and the marks in the dataset."""
    record(RecordConfig(data=folder / "play", episodes=max(1, raters // 5), split="train", steps=STEPS, workers=1))
    with served(folder):  # makes the database
        pass
    ask_everybody(folder, raters)
    cookies = new_people(folder, Role.RATER, raters)
    with served(folder) as (_, url, _):
        others = Crowd(url, cookies[1:], partial(rate, seconds=seconds, pace=pace))
        time.sleep(2 * SIGN_IN_SEC + seconds)  # half of the crowd's time
        seen = look(url, cookies[0], seconds - 5)
        each, errors = others.wait()
        found = _together(each)
        end = time.monotonic() + PATIENCE_SEC
        while (kept := len(open_store(folder / "play").marks())) < found.marks and time.monotonic() < end:
            time.sleep(0.2)
    return found, errors, seen, kept


def _together(each: list[Found]) -> Found:
    return Found(
        ready=[seconds for one in each for seconds in one.ready],
        saved=[seconds for one in each for seconds in one.saved],
        beside=[seconds for one in each for seconds in one.beside],
        episode_bytes=max(one.episode_bytes for one in each),
        marks=sum(one.marks for one in each),
    )


def main() -> None:
    """Measure and print."""
    settings = options(
        __doc__,
        raters=100,
        seconds=(40.0, "of marking, without the browser and then with it"),
        pace=(2.0, "seconds between two marks of a rater"),
    )
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "study"
        found, errors, seen, kept = measure(study, settings.raters, settings.seconds, settings.pace)
    print(f"{settings.raters} raters, a mark every {settings.pace:g} s each, episodes of {found.episode_bytes:,} bytes")
    print(HEADING)
    print(format_times("episode ready, all at the same moment", found.ready))
    print(format_times("mark acknowledged", found.saved))
    print(format_times("mark acknowledged, beside the browser", found.beside))
    print(format_times("browser: episode ready, beside the others", seen["ready"]))
    print(format_times("browser: scanned step drawn", seen["scan"]))
    print(format_times('browser: from the key to "all saved"', seen["save"]))
    print(f"{errors} errors; {kept:,} of {found.marks:,} submitted marks in the dataset")


if __name__ == "__main__":
    main()
