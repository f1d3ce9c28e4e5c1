"""Playing in real browsers: two people, an agent with a co-pilot, a blind evaluation, and the tutorial."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from benchmarks.serving import new_people, served
from rlhf.records.episode import CO_PILOT, Episode
from rlhf.store import open_store
from tests.e2e.browsers import GAME_SEC, chromium, game_advances, played_enough, press_key, wait_in
from tests.e2e.test_unfinished_evaluations import kept
from tests.e2e.visitors import SHOTS, Visitor
from tests.e2e.wires import Wire
from tests.patience import PATIENCE_SEC, until
from tests.unit.agents import made_up_play
from tests.unit.annotation.games.test_game import assert_replays
from tests.unit.annotation.games.test_real_agents import SIZES

SIZE = {"width": 1280, "height": 800}
LOST = ("WebSocket connection to", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "net::ERR", "Failed to load resource")


class Somebody(Visitor):
    """A player; ``url`` is the server's, or that of a wire to it."""

    no_bugs = LOST

    def __init__(self, browser: Any, url: str, cookie: str, **options: Any) -> None:
        self.url = url
        self.heard: list[bytes] = []  # over sockets
        self.sent: list[str] = []
        super().__init__(browser, viewport=SIZE, **options)
        self.context.add_cookies([{"name": COOKIE, "value": cookie, "url": url}])
        self.page.goto(f"{url}/play")

    def new_tab(self) -> None:
        super().new_tab()
        self.page.on("dialog", lambda dialog: dialog.accept())
        self.page.on("websocket", self._listen)

    def _listen(self, socket: Any) -> None:
        socket.on("framereceived", self._receive)
        socket.on("framesent", lambda message: self.sent.append(str(message)))

    def _receive(self, message: str | bytes) -> None:
        self.heard.append(message.encode() if isinstance(message, str) else message)

    def knows_the_keys(self) -> None:
        self.page.get_by_role("button", name="I know them already").click()

    def starts(self, kind: str, **choices: str) -> None:
        self.page.get_by_role("radio", name=kind).check()
        for label, value in choices.items():
            self.page.get_by_role("combobox", name=label).select_option(value)
        self.click("Start")

    def is_ready(self) -> None:
        """Says so by key, once they are asked."""
        self.page.get_by_role("button", name="I am ready").wait_for()
        self.page.keyboard.press("Enter")

    def plays(self) -> None:
        """Waits until the episode runs."""
        self.page.locator(".screen").wait_for()  # the lobby has no sheet either
        sheet = self.page.locator(".screen .sheet")
        try:
            sheet.wait_for(state="detached")
        except Exception as error:
            raise AssertionError(f"the episode does not run: {sheet.inner_text()}") from error

    @contextmanager
    def holding(self, *keys: str) -> Iterator[None]:
        for key in keys:
            self.page.keyboard.down(key)
        yield
        for key in keys:
            self.page.keyboard.up(key)

    def holds(self, key: str, until: Any) -> None:
        """Holds a key, which repeats as on a real keyboard, until something is to be seen."""
        end = time.monotonic() + PATIENCE_SEC
        while not until.is_visible() and time.monotonic() < end:
            self.page.keyboard.down(key)
            self.wait(0.3)
        self.page.keyboard.up(key)
        until.wait_for()

    def wait(self, seconds: float) -> None:
        self.page.wait_for_timeout(1000 * seconds)

    def shot(self, name: str) -> None:
        """A picture of the page for the documentation, of few colours, so that it is small."""
        if SHOTS:
            path = Path(SHOTS) / f"{name}.png"
            self.page.screenshot(path=path)
            Image.open(path).convert("RGB").quantize(200).save(path, optimize=True)


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny agent that has learned nothing, and speaks."""
    made = made_up_play.agent(**(SIZES | {"image_size": (24, 32)}))
    return save_agent(made, Tokenizer.train(["yes"], made_up_play.VOCABULARY), tmp_path_factory.mktemp("agents") / "a")


@contextmanager
def study(folder: Path, *settings: str) -> Iterator[tuple[str, Callable[[Role], str]]]:
    """A study to play in: its URL, and cookies of new people."""
    open_store(folder / "people", create=True)
    with served(folder, "--episode-seconds", str(GAME_SEC), *settings) as (_, url, _):
        yield url, lambda role: new_people(folder, role, 1)[0]


def recorded(folder: Path) -> Episode:
    """The one episode, once it is there."""
    (row,) = until(lambda: open_store(folder / "people").rows(), "the episode")
    return open_store(folder / "people").read(row.episode_id)


@pytest.mark.e2e
def test_two_people_play(tmp_path: Path) -> None:
    with chromium() as browser, study(tmp_path / "study") as (url, cookie):
        wire = Wire(int(url.rpartition(":")[2]))
        ann = Somebody(browser, url, cookie(Role.SETTER))
        ann.sees("Before your first game")
        ann.shot("play-lobby-first")
        ann.knows_the_keys()
        ann.starts("Two people")
        ann.sees("Waiting for the solver")
        ann.shot("play-waiting")
        bob = Somebody(browser, f"http://127.0.0.1:{wire.port}", cookie(Role.SOLVER), color_scheme="dark")
        bob.knows_the_keys()
        bob.click("Join as solver")
        bob.sees("I am ready")
        bob.sees("Houses of the world's default settings.")
        bob.shot("play-ready")
        for somebody in (ann, bob):
            somebody.is_ready()
        ann.plays()
        they_talk_and_walk(ann, bob)
        they_lose_each_other(ann, bob, wire)
        ends(ann)
        for somebody in (ann, bob):
            somebody.sees("Saved. Thank you!")
        ann.shot("play-saved")
        assert ann.complaints == [] and bob.complaints == []
    episode = recorded(tmp_path / "study")
    assert {"bring me the bottle", "the <b>blue</b> one"} <= set(episode.setter_utterance)
    assert "which one?" in episode.utterance
    assert "i am back" in episode.utterance and episode.notes["ended"] == "ended by the setter"
    assert (episode.movement[:, :, 0] == 2).sum() > 8 and (episode.movement[:, :, 4] == 1).any()
    assert (episode.setter_movement[:, :, 2] != 2).any(), "the setter turned by mouse"
    assert_replays(episode)


def they_talk_and_walk(ann: Somebody, bob: Somebody) -> None:
    canvas = ann.page.locator("canvas").bounding_box()
    x, y = canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] / 2
    ann.page.mouse.click(x, y)
    wait_in(ann.page, "document.pointerLockElement !== null")
    for shift in range(1, 8):
        ann.page.mouse.move(x + 15 * shift, y)
    ann.says("bring me the bottle")
    bob.hears("bring me the bottle")
    with bob.holding("w", "Space"):
        game_advances(bob.page, 2)
    bob.says("which one?")
    ann.hears("which one?")
    ann.shot("play-setter")
    bob.shot("play-solver")
    ann.says("the <b>blue</b> one")
    bob.hears("the <b>blue</b> one")
    ann.page.keyboard.press("Escape")


def they_lose_each_other(ann: Somebody, bob: Somebody, wire: Wire) -> None:
    """Once by a wire that is cut, once by a closed tab."""
    wire.cut()
    bob.sees("Your connection is lost")
    ann.sees("Paused")
    ann.shot("play-paused")
    wire.restore()
    ann.plays()
    bob.plays()
    bob.page.close()
    ann.sees("Paused")
    bob.new_tab()
    bob.page.goto(f"{bob.url}/play")
    bob.page.get_by_role("link", name="Return to it").click()
    ann.plays()
    bob.plays()
    bob.says("i am back")
    ann.hears("i am back")


@pytest.mark.e2e
def test_a_person_and_an_agent_and_a_co_pilot(tmp_path: Path, agent: Path) -> None:
    with chromium() as browser, study(tmp_path / "study", "--agents", "tiny", str(agent)) as (url, cookie):
        ann, cid = Somebody(browser, url, cookie(Role.SETTER)), Somebody(browser, url, cookie(Role.CO_PILOT))
        for somebody in (ann, cid):
            somebody.knows_the_keys()
        ann.starts("An agent with a co-pilot", agent="tiny")
        cid.click("Join as co-pilot")
        for somebody in (ann, cid):
            somebody.is_ready()
        cid.plays()
        cid.sees("the agent controls the solver")
        game_advances(cid.page, 2)
        cid.page.keyboard.press("c")
        cid.sees("you are in control")
        ann.sees("the co-pilot controls the solver")
        with cid.holding("s"):
            game_advances(cid.page, 3)
        cid.says("let me")
        ann.hears("let me")
        cid.shot("play-co-pilot")
        cid.page.keyboard.press("c")
        cid.sees("the agent controls the solver")
        game_advances(cid.page, 2)
        ends(ann)
        for somebody in (ann, cid):
            somebody.sees("Saved. Thank you!")
        assert ann.complaints == [] and cid.complaints == []
    episode = recorded(tmp_path / "study")
    taken = np.flatnonzero(episode.controller == CO_PILOT)
    assert len(taken) >= 6 and (np.diff(taken) == 1).all() and taken[0] > 2 and taken[-1] < len(episode) - 2
    assert (episode.movement[taken][:, :, 0] == 0).sum() > 20, "the co-pilot walked back"
    assert episode.utterance[taken[0] : taken[-1] + 1].count("let me") == 1
    assert episode.solver.startswith("agent:tiny+human:") and episode.notes["kind"] == "human-agent-human"
    assert_replays(episode)


@pytest.mark.e2e
def test_an_agent_is_evaluated_blindly(tmp_path: Path, agent: Path) -> None:
    with (
        chromium() as browser,
        study(tmp_path / "study", "--agents", "zebra", str(agent), "quokka", str(agent)) as (url, cookie),
    ):
        ann = Somebody(browser, url, cookie(Role.SETTER))
        ann.knows_the_keys()
        ann.shot("play-lobby")
        ann.starts("Evaluate an agent")
        ann.is_ready()
        ann.plays()
        for words in ("go to the bed", "well done", "is it red?"):
            ann.says(words)
            ann.page.locator(".requests .words", has_text=words).wait_for()
            if words == "go to the bed":
                press_key(ann.page, "KeyZ", "y")  # of a German keyboard
                ann.page.locator('.requests .success[aria-pressed="true"]').wait_for()
        ann.shot("play-evaluation")
        until(lambda: ann.wait(0.1) or len(ann.heard) > 50, "messages in which an agent could be named")
        ends(ann)
        ann.sees("Before you finish")
        until(lambda: kept(tmp_path / "study"), "the end of the step under way")
        ann.shot("play-judging")
        sheet = ann.page.locator(".sheet .requests li")
        sheet.filter(has_text="well done").get_by_role("button", name="It asked for nothing").click()
        press_key(ann.page, "KeyY", "z")  # which says nothing
        ann.page.keyboard.press("n")
        ann.sees("Saved. Thank you!")
        assert not any(b"zebra" in said or b"quokka" in said for said in ann.heard)
        assert ann.complaints == []
    episode = recorded(tmp_path / "study")
    first, second = episode.notes["verdicts"]
    assert first | {"step": 0, "request_step": 0} == {"step": 0, "request_step": 0, "request": "go to the bed", "success": True}  # fmt: skip # noqa: E501
    assert second["request"] == "is it red?" and second["success"] is False and second["step"] == len(episode) - 1
    for verdict in (first, second):
        assert episode.setter_utterance[verdict["request_step"]] == verdict["request"]
        assert verdict["step"] >= verdict["request_step"]
    assert episode.solver in ("agent:zebra", "agent:quokka") and episode.notes["kind"] == "evaluation"
    assert_replays(episode)


def ends(setter: Somebody) -> None:
    """End the game, once enough of it is played to be kept."""
    played_enough(setter.page)
    setter.click("End")


@pytest.mark.e2e
def test_the_tutorial_is_done_by_keys_alone(tmp_path: Path) -> None:
    with chromium() as browser, study(tmp_path / "study") as (url, cookie):
        ann = Somebody(browser, url, cookie(Role.SETTER))
        assert ann.page.get_by_role("button", name="Start").is_disabled()
        ann.page.get_by_role("button", name="Learn the keys").press("Enter")
        ann.plays()
        for lesson, key in (("Look around", "ArrowLeft"), ("Walk", "w"), ("Grab", "Space")):
            ann.page.locator(".tutorial .current", has_text=lesson).wait_for()
            ann.holds(key, ann.page.locator(".tutorial .done", has_text=lesson))
        ann.shot("play-tutorial")
        composes(ann, "go")
        ann.page.keyboard.type(" on")
        ann.page.keyboard.press("Enter")
        ann.click("I know the keys")
        ann.sees("You have finished the tutorial")
        ann.page.get_by_role("link", name="All games").click()
        ann.page.get_by_role("button", name="Learn the keys again").wait_for()
        assert ann.page.get_by_role("button", name="Start").is_enabled()
        assert ann.complaints == []
    assert len(open_store(tmp_path / "study" / "people")) == 0


def composes(ann: Somebody, words: str) -> None:
    """Writes words with an input method, whose Enter takes them into the line and does not send it."""
    line = ann.page.locator(".say input:enabled")
    line.wait_for()
    ann.page.keyboard.press("Enter")
    ann.page.keyboard.type(words)
    line.dispatch_event("keydown", {"key": "Enter", "isComposing": True})
    assert line.input_value() == words
