"""Firefox, too: an episode is marked, and the tutorial is played by keys and mouse.

The system's Firefox is asked through WebDriver BiDi, which it speaks by itself. Playwright drives only a Firefox of its
own, which is not what people have.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from benchmarks.serving import make_study, new_people, served
from tests.e2e.test_marking_in_a_browser import exported
from tests.patience import PATIENCE_SEC

NAMES = ("firefox", "firefox-esr")
STEPS = 100
# A page that is left takes its requests along.
CUT_OFF = ("ServiceWorker intercepted", "NetworkError", "Failed to load")
_LEFT, _RIGHT = "\ue012", "\ue014"  # keys, as WebDriver numbers them
_DRAWN = "c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v, i) => i % 4 < 3 && v > 40)"


class Firefox:
    """One tab. Scripts that fail raise AssertionError."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._asked = socket, 0
        self.complaints: list[str] = []
        self._do("session.new", capabilities={})
        self._do("session.subscribe", events=["log.entryAdded"])
        # Only a tab that is in front may take the mouse to itself, and the first one never is.
        self._tab = self._do("browsingContext.create", type="tab")["context"]

    def _do(self, method: str, **params: Any) -> Any:
        """Command the browser; return its answer."""
        self._asked += 1
        self._socket.send(json.dumps({"id": self._asked, "method": method, "params": params}))
        while True:
            heard = json.loads(self._socket.recv(PATIENCE_SEC))
            if heard.get("method") == "log.entryAdded" and heard["params"]["level"] == "error":
                self.complaints.append(str(heard["params"]["text"]))
            if heard.get("id") == self._asked:
                assert heard["type"] == "success", heard
                return heard["result"]

    def signs_in(self, folder: Path, role: Role) -> None:
        """Be a new person of the study in ``folder`` from now on."""
        cookie = {"type": "string", "value": new_people(folder, role, 1)[0]}
        self._do("storage.setCookie", cookie={"name": COOKIE, "value": cookie, "domain": "127.0.0.1"})

    def open(self, url: str) -> None:
        """Go to a page and wait until it is loaded."""
        self._do("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def ask(self, script: str) -> Any:
        """Return the value of an expression in the page; of promises, what they come to."""
        wrapped = f"(async () => JSON.stringify((await ({script})) ?? null))()"
        said = self._do("script.evaluate", expression=wrapped, target={"context": self._tab}, awaitPromise=True)
        assert said["type"] == "success", said
        return json.loads(said["result"]["value"])

    def until(self, script: str) -> Any:
        """Return the value of ``script`` as soon as it is true."""
        end, said = time.monotonic() + PATIENCE_SEC, ""
        while time.monotonic() < end:
            try:
                if value := self.ask(script):
                    return value
            except AssertionError as error:  # a page that is only now being loaded may have no body yet
                said = f": {error}"
            time.sleep(0.05)
        raise AssertionError(f"waited in vain for {script}{said}")

    def click(self, button: str) -> None:
        """Press the button that is called so."""
        named = (
            f"[...document.querySelectorAll('button:enabled')].find(b => b.textContent.trim().startsWith('{button}'))"
        )
        self.until(f"!!{named}")
        self.ask(f"{named}.click()")

    def press(self, *keys: str) -> None:
        self._act("key", *({"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")))

    @contextmanager
    def holding(self, key: str) -> Iterator[None]:
        self._act("key", {"type": "keyDown", "value": key})
        yield
        self._act("key", {"type": "keyUp", "value": key})

    def move_mouse(self, selector: str, *shifts: int) -> None:
        """Move the mouse to points so many CSS pixels to the right of the middle of an element."""
        middle = "r => [r.x + r.width / 2, r.y + r.height / 2]"
        x, y = self.ask(f"({middle})(document.querySelector({selector!r}).getBoundingClientRect())")
        self._act("pointer", *({"type": "pointerMove", "x": round(x + each), "y": round(y)} for each in shifts))

    def click_mouse(self) -> None:
        self._act("pointer", *({"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")))

    def _act(self, device: str, *actions: dict[str, Any]) -> None:
        performed = {"type": device, "id": device, "actions": list(actions)}
        self._do("input.performActions", context=self._tab, actions=[performed])


@contextmanager
def firefox() -> Iterator[Firefox]:
    """A browser. Skips the test, or in CI fails it, where there is none."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("CI needs Firefox: apt-get install firefox-esr")
        pytest.skip("no Firefox here: apt-get install firefox-esr")
    with tempfile.TemporaryDirectory(prefix="firefox-", ignore_cleanup_errors=True) as profile:
        command = [path, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile]
        environment = os.environ | {"HOME": profile, "MOZ_CRASHREPORTER_DISABLE": "1"}
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        try:
            assert process.stderr is not None
            said = (re.search(r"BiDi listening on (ws://\S+)", line) for line in process.stderr)
            address = next(filter(None, said))[1]
            with connect(f"{address}/session", max_size=None, open_timeout=PATIENCE_SEC) as socket:
                yield Firefox(socket)
        finally:
            process.kill()
            process.communicate()


@pytest.mark.e2e
def test_an_episode_is_marked_and_the_keys_are_learned_in_firefox(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    make_study(folder, episodes=1, steps=STEPS)
    with firefox() as browser, served(folder) as (_, url, _):
        browser.signs_in(folder, Role.SETTER)
        learns_the_keys(browser, url)
        browser.signs_in(folder, Role.RATER)
        marks(browser, url)
        assert [said for said in browser.complaints if not any(words in said for words in CUT_OFF)] == []
        assert [(mark.step, mark.sign) for mark in exported(folder, 2)] == [(4, 1), (STEPS // 2, -1)]


def learns_the_keys(browser: Firefox, url: str) -> None:
    """In the tutorial a click gives the mouse to the game, a picture is drawn, and keys do their lessons."""
    browser.open(f"{url}/play")
    browser.click("Learn the keys")
    browser.until("!!document.querySelector('.tutorial') && !document.querySelector('.screen .sheet')")
    browser.until(f"({_DRAWN})(document.querySelector('canvas'))")
    browser.move_mouse("canvas", 0)
    browser.click_mouse()
    browser.until("document.pointerLockElement === document.querySelector('canvas')")
    browser.move_mouse("canvas", *range(15, 120, 15))
    browser.ask("document.exitPointerLock()")  # Escape is the browser's own key, which WebDriver does not press
    browser.until("document.pointerLockElement === null")
    for key, lesson in ((_LEFT, "Look around"), ("w", "Walk")):
        with browser.holding(key):
            done = f"[...document.querySelectorAll('.tutorial .done')].some(one => one.innerText.includes('{lesson}'))"
            browser.until(done)


def marks(browser: Firefox, url: str) -> None:
    """One mark where the keys have led, one where the mouse scans."""
    browser.open(f"{url}/mark")
    browser.until("!!document.querySelector('[role=slider]')")
    browser.press(*[_RIGHT] * 4, "p")
    browser.until("document.querySelectorAll('.mark').length === 1")
    browser.until("!!document.querySelector('.picture canvas').style.aspectRatio")  # drawn, in its shape
    browser.ask("document.querySelector('.picture').click()")  # the mouse scans again
    browser.move_mouse(".picture", 3)  # within the step, however the place is rounded
    browser.until(f"document.querySelector('[role=slider]').getAttribute('aria-valuenow') === '{STEPS // 2}'")
    browser.press("n")
    browser.until("document.querySelectorAll('.mark').length === 2")
    browser.until("""!!document.querySelector('.saved[data-waiting="0"]')""")
    browser.click("Submit episode")
    browser.click("Submit all the same")  # most of it was not seen
    browser.until("!document.querySelector('[role=slider]')")
