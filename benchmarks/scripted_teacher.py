"""A scripted person at the page *Teach*: marks clips, asks the agent, trains it, and judges pairs. Not a benchmark
itself.

It looks at films as long as they take, and presses the keys of the page. What it knows of the play is the truth of the
datasets behind the page, which people do not see; it overlooks and mistakes some of it, as
:class:`annotation.scripted_rater.ScriptedRater` does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from zlib import crc32

import numpy as np
from sqlalchemy import select

from annotation.scripted_rater import ScriptedRater
from annotation.server.config import ServeConfig
from annotation.server.db.database import Database
from annotation.server.db.tables import Assignment, ItemRecord
from annotation.server.services.items import item_of
from annotation.tasks import COMPARING, MARKING
from annotation.tasks.contract import RaterTask
from rlhf.records.episode import Episode
from rlhf.records.marks import PROGRESS
from rlhf.records.preferences import SUCCESS
from rlhf.store import open_store
from worlds.errors import UserError

if TYPE_CHECKING:
    from playwright.sync_api import Page

DECIDE_SEC = 1.0  # from the end of a film to the key that judges it
LOOK_SEC = 2.0  # between two looks at training, which the page has as often
LOOKS_FOR_CLIPS_SEC = 8.0  # of an idle page, before it is said that there are no more; it looks every three seconds
PATIENCE_MS = 900_000  # it only ends what would hang for ever
SHARP_MS = 5_000  # for pictures that are drawn again from the recording
SHOWN_STEP = 8  # of the first clip, in the picture of it
TURNS, TURN_SEC = 12, 0.5  # of the setter, who looks around while the agent acts
SHOWN_TRAINING = 0.6  # of the agent's learning, up to which pictures of training are taken

# Resolves when the picture on the screen is that of the step, or a later one.
REACHED = """([pictures, step, patience]) => new Promise((resolve, reject) => {
  const end = performance.now() + patience;
  const look = () => {
    const all = [...document.querySelectorAll(pictures)];
    if (all.length && all.every((canvas) => Number(canvas.dataset.step ?? -1) >= step)) resolve();
    else if (performance.now() > end) reject(new Error(`step ${step} is not shown`));
    else requestAnimationFrame(look);
  };
  look();
})"""
CLIP, PAIR = ".picture canvas", ".clip canvas"  # what is drawn on
GIVEN = "all => all.map((mark) => [Number(mark.dataset.step), mark.textContent === '+' ? 1 : -1])"


@dataclass(frozen=True)
class MarkedClip:
    """A clip that was marked.

    Args:
      meant: steps and signs of the marks that the rater had in mind, one a step.
      given: those on the page's timeline.
    """

    episode_id: str
    steps: int
    meant: tuple[tuple[int, int], ...]
    given: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class JudgedPair:
    """A pair that was judged.

    Args:
      steps: how many steps of both films the page shows.
      left, right: the step at which the request was carried out; None if it was not.
      key: the answer.
    """

    request: str
    steps: int
    left: int | None
    right: int | None
    key: str


class Truth:
    """What is recorded of the play that the page shows to the one person of a run of `rlhf teach`."""

    def __init__(self, run: Path) -> None:
        self._run, self._database = run, Database(ServeConfig(data=run).database_url, migrate=False)

    def shown(self, task: RaterTask) -> tuple[list[Episode], int]:
        """Return the episodes on the page, from left to right, and how many steps of each it shows."""
        query = select(Assignment).join(ItemRecord).where(ItemRecord.kind == task.kind)
        query = query.where(Assignment.submitted.is_(None), ~Assignment.closed)
        with self._database.reading() as session:
            begun = session.scalars(query.order_by(Assignment.opened.desc()).limit(1)).one()
            store = open_store(self._run / begun.item.episode.project.dataset)
            clips = task.clips(item_of(begun.item, None), begun.rater_id)
        return [store.read(clip.episode_id) for clip in clips], clips[0].end - clips[0].begin

    def close(self) -> None:
        self._database.close()


def keys_of(rater: ScriptedRater, episode: Episode) -> list[tuple[int, str]]:
    """Return the keys that mark a clip, each with its step: marks, and a verdict on every request as it ends.

    The page keeps one mark a step, and shows the next clip after the last verdict.
    """
    last = len(episode) - 1
    marks = {mark.step: mark.sign for mark in rater.mark(episode.episode_id, len(episode), episode.truth)}
    keys = [(step, "+" if sign == PROGRESS else "-") for step, sign in marks.items()]
    verdicts = replace(rater, miss=0.0).judge(episode)
    said = [(verdict.end - 1, "s" if verdict.answer == SUCCESS else "f") for verdict in verdicts]
    return sorted(keys, key=lambda key: key[0]) + (said or [(last, "f")])


def preferred(pair: Sequence[int | None], mistake: float, rng: np.random.Generator) -> str:
    """Return the key of the agent that carried out the request, "0" if both did or neither.

    Args:
      pair: steps at which the left and the right one carried it out, or None.
      mistake: probability of another answer: the other agent, or, where they are equal, one of them.
    """
    left, right = (step is not None for step in pair)
    mistaken, either = rng.random() < mistake, "12"[rng.integers(2)]
    if left == right:
        return either if mistaken else "0"
    return "1" if left != mistaken else "2"


class ScriptedTeacher:
    """A person in front of the page *Teach*.

    Args:
      page: of a browser, at the link that `rlhf teach` prints.
      run: folder of the run.
      shots: folder for pictures of the page.
      seed: seed of what the person overlooks and mistakes.
    """

    def __init__(self, page: Page, run: Path, shots: Path, seed: int = 0) -> None:
        page.set_default_timeout(PATIENCE_MS)
        self.page, self._shots = page, shots
        self.rater = ScriptedRater(seed=seed)
        self._truth = Truth(run)
        parts = urlsplit(page.url)
        self._state = f"{parts.scheme}://{parts.netloc}/api/teach"
        self._shown, self._most_marks = False, 0

    def close(self) -> None:
        self._truth.close()

    def state(self) -> dict[str, Any]:
        """Return what the bar above the clip shows. Raises UserError if training has failed."""
        found = self.page.request.get(self._state).json()
        if found["phase"] == "failed":
            raise UserError(f"rlhf teach has stopped: {found['trouble']}")
        return found

    def wait_for(self, phase: str, looks: Callable[[dict[str, Any]], None] = lambda _: None) -> dict[str, Any]:
        """Look until teaching has come to ``phase``; return its state."""
        while (state := self.state())["phase"] != phase:
            looks(state)
            self.page.wait_for_timeout(1000 * LOOK_SEC)
        return state

    def finds_clip(self, end: float = float("inf")) -> bool:
        """Wait for a clip. Returns False if there is none any more, or none before ``end`` on the monotonic clock."""
        idle_since = time.monotonic()
        while not self.page.locator(f".bench {CLIP}[data-step]").count():
            now = time.monotonic()
            if now > end or now - idle_since > LOOKS_FOR_CLIPS_SEC:
                return False
            if self.page.locator(".bench").count() or self.state()["phase"] == "playing":
                idle_since = now
            self.page.wait_for_timeout(200)
        return True

    def mark(self) -> MarkedClip:
        """Watch the clip on the page to its end, mark it, and judge its request."""
        (episode,), steps = self._truth.shown(MARKING)
        *keys, (last, verdict) = keys_of(self.rater, episode)
        first_mark = keys[0][0] if keys else last
        if not self._shown and first_mark > SHOWN_STEP:
            self._show_clip()
        for step, key in keys:
            self._see(CLIP, step)
            self.page.keyboard.press(key)
        self._see(CLIP, last)
        given = [(step, sign) for step, sign in self.page.locator(".mark").evaluate_all(GIVEN)]
        if len(given) > self._most_marks:
            self._most_marks = len(given)
            self._sharpen(CLIP)
            self.shot("marks")
        self._leaves(verdict)
        meant = [(step, 1 if key == "+" else -1) for step, key in keys if key in "+-"]
        return MarkedClip(episode.episode_id, steps, tuple(meant), tuple(sorted(given)))

    def ask(self, request: str) -> None:
        """Ask the agent for something in a game, and look at it until it ends. It is the next clip on the page."""
        self.page.keyboard.press("a")
        self.page.get_by_text("I am ready").wait_for()
        self.page.keyboard.press("Enter")
        self.page.locator(".say input:enabled").wait_for()
        self.page.keyboard.press("Enter")
        self.page.keyboard.type(request, delay=80)
        self.page.keyboard.press("Enter")
        self.page.locator(".spoken .words", has_text=request).first.wait_for()
        pictures = [self._turns() for _ in range(TURNS)]
        (self._shots / "teach-ask.png").write_bytes(max(pictures, key=len))  # the one with most to be seen
        self.page.get_by_text("It is the next clip for you to mark.").wait_for()
        self.page.keyboard.press("Enter")
        self.page.get_by_role("slider").wait_for()

    def train(self) -> list[dict[str, Any]]:
        """Press *Train*, and look until training is over. Returns the bars at every look, with the seconds since."""
        self.page.get_by_role("button", name="Train").click()
        began, seen = time.monotonic(), list[dict[str, Any]]()

        def look(state: dict[str, Any]) -> None:
            seen.append({"seconds": round(time.monotonic() - began, 1), "work": state["work"]})
            if len(state["work"]) > 1 and state["work"][1]["done"] <= SHOWN_TRAINING:
                self.shot("training")

        self.wait_for("trained", look)
        return seen

    def compare(self) -> list[JudgedPair]:
        """Judge all pairs of films of the new agent and the one before."""
        judged = list[JudgedPair]()
        for _ in range((self.state()["compared"] or {"pairs": 0})["pairs"]):
            bench = self.page.locator(f".bench {PAIR}[data-step]").first
            button = self.page.get_by_role("button", name="Compare")
            bench.or_(button).first.wait_for()
            if not bench.count():
                button.click()
                bench.wait_for()
            judged.append(self._judge(first=not judged))
        return judged

    def result(self) -> str:
        """Return the sentence on the page, with the person's own count once that is known."""
        said = self.page.locator(".teach-result")
        while (compared := self.state()["compared"]) and compared["judged"] < compared["pairs"]:
            self.page.wait_for_timeout(1000 * LOOK_SEC)
        self.page.wait_for_timeout(2 * 1000 * LOOK_SEC)  # the page looks as often
        self.shot("result")
        return said.inner_text()

    def shot(self, name: str) -> None:
        """Save a picture of the page."""
        self.page.screenshot(path=self._shots / f"teach-{name}.png")

    def _turns(self) -> bytes:
        """Turn a little in a game; return a picture of the page."""
        self.page.keyboard.down("ArrowRight")
        self.page.wait_for_timeout(1000 * TURN_SEC)
        self.page.keyboard.up("ArrowRight")
        self.page.wait_for_timeout(500)
        return self.page.screenshot()

    def _show_clip(self) -> None:
        """Take a picture of a clip that plays. It is stopped before, so that sharp pictures have the time to come."""
        self._see(CLIP, SHOWN_STEP - 3)
        self.page.keyboard.press(" ")
        self._shown = self._sharpen(CLIP)
        self.page.keyboard.press(" ")
        self.shot("clip")

    def _sharpen(self, pictures: str) -> bool:
        """Wait for sharp pictures; return whether they came. Some worlds draw none."""
        from playwright.sync_api import TimeoutError as NotYet

        with suppress(NotYet):
            self.page.locator(f"{pictures}[data-view=sharp]").first.wait_for(timeout=SHARP_MS)
            return True
        return False

    def _judge(self, first: bool) -> JudgedPair:
        episodes, steps = self._truth.shown(COMPARING)
        success = [next(iter(episode.success_step), None) for episode in episodes]
        ids = " ".join(episode.episode_id for episode in episodes)  # which decide, as with the rater's marks
        rng = np.random.default_rng([self.rater.seed, crc32(ids.encode())])
        key = preferred(success, self.rater.mistake, rng)
        self._see(PAIR, steps - 1)
        if first or key != "0":
            self.page.keyboard.press(" ")
            self._sharpen(PAIR)
            self.shot("compare")
        request = next(filter(None, episodes[0].setter_text), "")
        self._leaves(key)
        return JudgedPair(request, steps, success[0], success[1], key)

    def _see(self, pictures: str, step: int) -> None:
        """Look at the film until ``step``."""
        self.page.evaluate(REACHED, [pictures, step, PATIENCE_MS])

    def _leaves(self, key: str) -> None:
        """Press the key that judges what is shown, and wait until the page shows something else."""
        self.page.wait_for_timeout(1000 * DECIDE_SEC)
        self.page.locator(".bench").evaluate("bench => { bench.dataset.old = 'yes' }")
        self.page.keyboard.press(key)
        self.page.locator(".bench[data-old]").wait_for(state="detached")
