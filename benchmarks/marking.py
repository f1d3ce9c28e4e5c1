"""A hundred raters at once: until an episode is ready, from a mark to "saved", and scanning in a real browser.

    python -m benchmarks.marking

All raters but one are clients in a process of their own who speak to the server as browsers do: they open five-minute
episodes at the same moment, then give a mark every two seconds each (people: one in twenty), then submit. One rater
has a Chromium in which the mouse moves over the picture and keys are pressed; there, times end when a picture is drawn
and when the page says that all is saved. Wanted, at the 95th percentile: scanning within 100 ms, saved within 200 ms,
an episode ready within 1 s; no error, and every mark in the dataset.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import random
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import numpy as np
from sqlalchemy import update

from annotation.server.config import ServeConfig
from annotation.server.database import Database
from annotation.server.sessions import COOKIE
from annotation.server.tables import Project
from benchmarks.camera import machine
from benchmarks.serving import PATIENCE_SEC, new_raters, served
from pipelines.record import RecordConfig, record
from rlhf.store import open_store

STEPS = 1125  # five minutes
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
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
COUNT_DRAWINGS = """
  const draw = CanvasRenderingContext2D.prototype.drawImage;
  CanvasRenderingContext2D.prototype.drawImage = function (...all) { draw.apply(this, all); window.onDrawn?.(); };
"""


@dataclass
class Found:
    """What raters saw; times in seconds."""

    ready: list[float] = field(default_factory=list)
    saved: list[float] = field(default_factory=list)
    episode_bytes: int = 0
    errors: int = 0
    marks: int = 0


def crowd(url: str, cookies: list[str], seconds: float, pace: float, done: Connection) -> None:
    """All the raters without a browser; what they saw goes into ``done``."""
    done.send(asyncio.run(_crowd(url, cookies, seconds, pace)))


async def _crowd(url: str, cookies: list[str], seconds: float, pace: float) -> Found:
    found, begun = Found(), asyncio.Event()
    raters = [
        asyncio.create_task(_rate(url, cookie, found, begun, seconds, pace, n)) for n, cookie in enumerate(cookies)
    ]
    await asyncio.sleep(3)  # everybody is signed in
    begun.set()
    for rater in await asyncio.gather(*raters, return_exceptions=True):
        if isinstance(rater, BaseException):
            found.errors += 1
            print(f"a rater failed: {type(rater).__name__}: {rater}")
    return found


async def _rate(
    url: str, cookie: str, found: Found, begun: asyncio.Event, seconds: float, pace: float, number: int
) -> None:
    """Open an episode, mark it for a while, submit it."""
    rng = random.Random(number)
    async with httpx.AsyncClient(base_url=url, cookies={COOKIE: cookie}, timeout=PATIENCE_SEC) as client:

        async def ask(method: str, path: str, body: Any = None) -> httpx.Response:
            return (await client.request(method, path, json=body)).raise_for_status()

        client.headers["X-CSRF-Token"] = (await ask("GET", "/api/me")).json()["csrf"]
        await begun.wait()
        clock = time.perf_counter()
        place = f"/api/marking/{(await ask('POST', '/api/marking/next')).json()['assignment']}"
        _, frames = await asyncio.gather(ask("GET", place), ask("GET", f"{place}/frames"))
        found.ready.append(time.perf_counter() - clock)
        found.episode_bytes = len(frames.content)
        steps = rng.sample(range(STEPS), int(seconds / pace) + 1)
        await asyncio.sleep(rng.uniform(0, pace))
        for step in steps:
            mark = {"id": str(UUID(int=rng.getrandbits(128))), "revision": 1, "step": step, "sign": rng.choice((1, -1))}
            clock = time.perf_counter()
            await ask("PUT", f"{place}/marks", {"marks": [mark], "position": step})
            found.saved.append(time.perf_counter() - clock)
            await asyncio.sleep(max(0.0, pace - (time.perf_counter() - clock)))
        await ask("POST", f"{place}/submit", {"marks": len(steps)})
        found.marks += len(steps)


def look(url: str, cookie: str, seconds: float) -> dict[str, list[float]]:
    """The rater with a browser: seconds until ready, of scanning, and of saving."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.set_default_timeout(1000 * PATIENCE_SEC)
        page.context.add_cookies([{"name": COOKIE, "value": cookie, "url": url}])
        page.add_init_script(COUNT_DRAWINGS)
        page.goto(url)
        page.get_by_text("Mark episodes").wait_for()
        clock = time.perf_counter()
        page.get_by_text("Mark episodes").click()
        page.get_by_role("slider").wait_for()
        times: dict[str, list[float]] = {"ready": [time.perf_counter() - clock], "scan": [], "save": []}
        # No step twice: a mark that is there already is not given again.
        steps, end = iter(random.Random(0).sample(range(STEPS), STEPS)), time.monotonic() + seconds
        while time.monotonic() < end:
            for _ in range(8):
                times["scan"].append(page.evaluate(SCAN, (next(steps) + 0.5) / STEPS))
                page.wait_for_timeout(30)
            times["save"].append(page.evaluate(SAVE))
        browser.close()
    return times


def measure(folder: Path, raters: int, seconds: float, pace: float) -> tuple[Found, dict[str, list[float]], int]:
    """Also returns how many marks are in the dataset in the end."""
    record(RecordConfig(data=folder / "play", episodes=max(1, raters // 5), steps=STEPS, workers=1))
    with served(folder):  # makes the database
        pass
    database = Database(ServeConfig(data=folder).database_url)
    with database.writing() as session:
        session.execute(update(Project).values(overlap=raters))
    database.close()
    cookies = new_raters(folder, raters)
    with served(folder) as (_, url, _):
        mine, theirs = multiprocessing.Pipe()
        others = multiprocessing.Process(target=crowd, args=(url, cookies[1:], seconds, pace, theirs))
        others.start()
        time.sleep(6)  # the crowd has begun
        seen = look(url, cookies[0], seconds - 5)
        found = mine.recv()
        others.join()
        end = time.monotonic() + PATIENCE_SEC
        while (kept := len(open_store(folder / "play").marks())) < found.marks and time.monotonic() < end:
            time.sleep(0.2)
    return found, seen, kept


def _told(name: str, times: list[float]) -> str:
    middle, high = np.percentile(times, (50, 95))
    return f"{name:<44} {1000 * middle:7.0f} {1000 * high:7.0f} ms  ({len(times)} times)"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--raters", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=40.0, help="of marking")
    parser.add_argument("--pace", type=float, default=2.0, help="seconds between two marks of a rater")
    settings = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "study"
        found, seen, kept = measure(study, settings.raters, settings.seconds, settings.pace)
    print(f"{settings.raters} raters, a mark every {settings.pace:g} s each, episodes of {found.episode_bytes:,} bytes")
    print(f"{'':<44} {'median':>7} {'95%':>7}")
    print(_told("episode ready, all at the same moment", found.ready))
    print(_told("mark acknowledged", found.saved))
    print(_told("browser: episode ready, beside the others", seen["ready"]))
    print(_told("browser: scanned step drawn", seen["scan"]))
    print(_told('browser: from the key to "all saved"', seen["save"]))
    print(f"{found.errors} errors; {kept:,} of {found.marks:,} submitted marks in the dataset")


if __name__ == "__main__":
    main()
