"""Clips are compared in real browsers: the leader wants pairs, two raters answer, and reward models have examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.tokenizer import Tokenizer
from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from benchmarks.serving import make_study, new_person, served
from pipelines.cli.preferences import ExportPreferencesConfig, export_from_dataset
from pipelines.stages.chosen_preferences import find_preferences
from pipelines.stages.episodes.recordings import read_episodes, spoken_texts
from reward_models.marks.marked_play import mark_play
from reward_models.preferences.config import PreferenceConfig
from reward_models.preferences.examples import preference_examples
from rlhf.records.preferences import ClipPair
from rlhf.store import open_store
from tests.e2e.browsers import chromium, keeps_work, kept_for_later, wait_in
from tests.e2e.test_marking_in_a_browser import Visitor
from tests.patience import until
from tests.unit.rlhf import tiny_agent

PAIRS, STEPS = 5, 15
_PICTURES = """all => all.map((c) => {
  const pixels = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  return [...pixels].filter((_, place) => place % 4 < 3);
})"""
Seen = tuple[list[np.ndarray], str]  # the first pictures of the left and the right clip, and the answer


class Comparer(Visitor):
    """A rater who compares clips."""

    def opened(self) -> list[np.ndarray]:
        """Stop at the first step of the pair that is shown; return the pictures of both clips."""
        self.page.get_by_role("slider").wait_for()
        self.page.locator(".clip canvas.missing").first.wait_for(state="detached")
        self.press("Home")
        self.shows(0)
        wait_in(self.page, "[...document.querySelectorAll('.clip canvas')].every(c => c.width === 96)")
        return [np.array(pixels, np.uint8) for pixels in self.page.locator(".clip canvas").evaluate_all(_PICTURES)]

    def shows(self, step: int) -> None:
        """Wait until the pictures of ``step`` of both clips are drawn."""
        for clip in (0, 1):
            self.page.locator(f".clip:nth-child({clip + 1}) canvas[data-step='{step}']").wait_for()

    def plays(self, condition: str) -> None:
        """Wait until the first clip is at a ``step`` of which the condition holds. No step is there for long."""
        step = "Number(document.querySelector('.clip canvas').dataset.step)"
        wait_in(self.page, f"(step => {condition})({step})")

    def sees_answer(self, words: str) -> None:
        self.page.locator(".answer[aria-pressed=true]", has_text=words).wait_for()

    def goes_on(self, *keys: str) -> None:
        """To the next pair, by keys or else by the button."""
        self.sees_saved()
        self.page.evaluate("document.querySelector('.bench').dataset.old = 'yes'")
        if keys:
            self.press(*keys)
        else:
            self.page.get_by_role("button", name="Next").click()
        self.page.locator(".bench:not([data-old])").or_(self.page.get_by_text("All done.")).wait_for()


@pytest.mark.e2e
def test_clips_are_compared(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    make_study(folder, episodes=6, steps=60)
    with chromium() as browser, served(folder) as (_, url, link):
        admin = Visitor(browser)
        admin.join(link, "Ada")
        wants_pairs(admin)
        ann, bob = Comparer(browser), Comparer(browser)
        for rater, name in ((ann, "Ann"), (bob, "Bob")):
            rater.context.add_cookies([{"name": COOKIE, "value": new_person(folder, Role.RATER, name), "url": url}])
            if rater is bob:  # a busy server: the page asks again
                rater.page.route("**/api/me", lambda route: route.fulfill(status=503, json={"error": "busy"}), times=1)
            rater.page.goto(url)
            rater.page.get_by_text("Compare clips").click()
        seen = [answers_by_keys(ann), loses_the_connection(ann)]
        seen += [answers(ann, key, words) for key, words in (("s", "the same"), ("b", "B is"), ("u", "cannot tell"))]
        ann.page.get_by_text("All done.").wait_for()
        answers_by_mouse(bob)
        bob.page.get_by_text("All done.").wait_for()
        pairs = until(lambda: found if len(found := clip_pairs(folder)) == 2 * PAIRS else None)
        admin.page.reload()
        row = admin.page.get_by_role("row").filter(has_text=f"{2 * PAIRS} of {2 * PAIRS}")
        row.locator(".interval").wait_for()
        bob.complaints = [complaint for complaint in bob.complaints if "503" not in complaint]
        assert ann.complaints == bob.complaints == admin.complaints == []
    check_sides(folder, pairs, seen)
    check_learning(folder, pairs)


def wants_pairs(admin: Visitor) -> None:
    """The leader sets the number of pairs, and two raters for each."""
    admin.page.get_by_text("Run the study").click()
    admin.page.get_by_role("button", name="Settings of the clips of play").click()
    form = admin.page.get_by_role("form", name="Settings of the clips of play")
    form.get_by_label("pairs of clips").fill(str(PAIRS))
    form.get_by_label("raters each").fill("2")
    form.get_by_role("button", name="Save").click()
    admin.page.get_by_text(f"0 of {2 * PAIRS}").wait_for()


def answers_by_keys(rater: Comparer) -> Seen:
    """Both clips play in a loop, stop and step together; the answer is changed and undone."""
    rater.plays("step >= 3")
    pictures = rater.opened()
    rater.press("ArrowRight", "ArrowRight")
    rater.shows(2)
    rater.press("End")
    rater.shows(STEPS - 1)
    rater.press("Space")  # plays on, and begins again
    rater.plays(f"step < {STEPS - 1}")
    rater.press("Enter")
    rater.page.get_by_text("Give an answer first").wait_for()
    rater.press("b", "a")
    rater.sees_answer("A is better")
    rater.press("Control+z")
    rater.sees_answer("B is better")
    rater.press("Control+y")
    rater.sees_answer("A is better")
    rater.goes_on("Enter")
    return pictures, "left"


def loses_the_connection(rater: Comparer) -> Seen:
    """An answer without a connection; the page is loaded again, the answer changed, and then the server is back."""
    pictures = rater.opened()
    kept_for_later(rater.page)
    keeps_work(rater.page, "rlhf-comparing")
    rater.context.set_offline(True)
    rater.press("s")
    rater.page.get_by_text("no connection: 1 change kept in this browser").wait_for()
    rater.press("Enter")
    rater.page.get_by_text("not everything is saved yet").wait_for()
    rater.page.reload()
    rater.sees_answer("the same")
    assert all(np.array_equal(*both) for both in zip(pictures, rater.opened(), strict=True))
    rater.press("b")
    rater.sees_answer("B is better")
    rater.context.set_offline(False)
    rater.goes_on("Enter")
    return pictures, "right"


def answers(rater: Comparer, key: str, words: str) -> Seen:
    pictures = rater.opened()
    rater.press(key)
    rater.sees_answer(words)
    rater.goes_on("Enter")
    return pictures, {"s": "same", "b": "right", "u": "cannot tell"}[key]


def answers_by_mouse(rater: Comparer) -> None:
    """A press on the line goes to a moment of both clips; the page is loaded again in the middle."""
    rater.opened()
    track = rater.page.get_by_role("slider").bounding_box()
    assert track is not None
    rater.page.mouse.click(track["x"] + track["width"] * 0.7, track["y"] + track["height"] / 2)
    rater.shows(int(STEPS * 0.7))
    rater.page.get_by_role("button", name="cannot tell").click()
    rater.sees_saved()
    rater.page.reload()
    rater.sees_answer("cannot tell")
    for _ in range(PAIRS):
        rater.opened()
        rater.page.get_by_role("button", name="A is better").click()
        rater.sees_answer("A is better")
        rater.goes_on()


def clip_pairs(folder: Path) -> list[ClipPair]:
    return open_store(folder / "play").preferences(ClipPair)


def check_sides(folder: Path, pairs: list[ClipPair], seen: list[Seen]) -> None:
    """What a rater saw on the left or right and chose is the clip that is better in the dataset."""
    store, found = open_store(folder / "play"), list[tuple[Any, ...]]()
    for pair in pairs:
        views = [store.read(each.episode_id).image[each.begin].ravel() for each in pair.stretches]  # pyright: ignore
        found.append((pair, *views))
    for (left, right), answer in seen:
        for sides in ({"left": "a", "right": "b"}, {"left": "b", "right": "a"}):
            a, b = (left, right) if sides["left"] == "a" else (right, left)
            if any(
                np.array_equal(a, view_a) and np.array_equal(b, view_b) and pair.answer == sides.get(answer, answer)
                for pair, view_a, view_b in found
            ):
                break
        else:
            raise AssertionError(f"no pair of the dataset has these pictures and the answer {answer}")


def check_learning(folder: Path, pairs: list[ClipPair]) -> None:
    """The answers can be exported as a file, and those that decide are examples for a reward model."""
    assert all(pair.seconds is not None and not pair.scripted for pair in pairs)
    file = folder / "pairs.jsonl"
    export_from_dataset(ExportPreferencesConfig(folder / "play", file, "clip_pairs"))
    assert len([json.loads(line) for line in file.read_text().splitlines()]) == 2 * PAIRS
    config = PreferenceConfig(clip_pairs=1.0)
    episodes = read_episodes([folder / "play"])
    tokenizer = Tokenizer.train(spoken_texts(episodes), 280)
    sizes = tiny_agent.config(image_size=(72, 96), vocab_size=tokenizer.vocab_size)
    play = mark_play(episodes, [], tokenizer, sizes)
    examples = preference_examples(find_preferences([folder / "play"], config), play, config)["clip_pairs"]
    assert len(examples) == sum(pair.decides for pair in pairs) == 2 * PAIRS - 1
    better = {"a": 1.0, "same": 0.5, "b": 0.0}
    assert sorted(examples.better) == sorted(better[pair.answer] for pair in pairs if pair.decides)
    assert ((examples.end - examples.begin) == STEPS).all()
