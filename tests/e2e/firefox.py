"""The system's Firefox, asked through WebDriver BiDi, which it speaks by itself: no other program stands between.

Playwright drives only a Firefox of its own, which is not what people have.
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
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.patience import PATIENCE_SEC

NAMES = ("firefox", "firefox-esr")


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
        """Command the browser; its answer."""
        self._asked += 1
        self._socket.send(json.dumps({"id": self._asked, "method": method, "params": params}))
        while True:
            heard = json.loads(self._socket.recv(PATIENCE_SEC))
            if heard.get("method") == "log.entryAdded" and heard["params"]["level"] == "error":
                self.complaints.append(str(heard["params"]["text"]))
            if heard.get("id") == self._asked:
                assert heard["type"] == "success", heard
                return heard["result"]

    def open(self, url: str) -> None:
        """Go to a page and wait until it is loaded."""
        self._do("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def ask(self, script: str) -> Any:
        """The value of an expression in the page; of promises, what they come to."""
        wrapped = f"(async () => JSON.stringify((await ({script})) ?? null))()"
        said = self._do("script.evaluate", expression=wrapped, target={"context": self._tab}, awaitPromise=True)
        assert said["type"] == "success", said
        return json.loads(said["result"]["value"])

    def until(self, script: str) -> Any:
        """The value of ``script`` as soon as it is true."""
        end = time.monotonic() + PATIENCE_SEC
        while True:
            try:
                if value := self.ask(script):
                    return value
                said = ""
            except AssertionError as error:  # a page that is only now being loaded may have no body yet
                said = f": {error}"
            assert time.monotonic() < end, f"waited in vain for {script}{said}"
            time.sleep(0.05)

    def keep_cookie(self, name: str, value: str, domain: str) -> None:
        """Have a cookie, as if the server had set it."""
        self._do(
            "storage.setCookie", cookie={"name": name, "value": {"type": "string", "value": value}, "domain": domain}
        )

    def press(self, *keys: str) -> None:
        """Press keys as a person does; ``keys`` are letters or code points of WebDriver's."""
        self._act("key", *({"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")))

    @contextmanager
    def holding(self, key: str) -> Iterator[None]:
        """Hold a key down meanwhile."""
        self._act("key", {"type": "keyDown", "value": key})
        yield
        self._act("key", {"type": "keyUp", "value": key})

    def move_mouse(self, *points: tuple[float, float]) -> None:
        """Move the mouse from point to point of the page's window, in CSS pixels."""
        self._act("pointer", *({"type": "pointerMove", "x": round(x), "y": round(y)} for x, y in points))

    def click_mouse(self) -> None:
        """Press and let go the mouse's first button where the mouse is."""
        self._act("pointer", *({"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")))

    def middle(self, selector: str) -> tuple[float, float]:
        """The point in the middle of an element of the page."""
        box = self.ask(
            f"(r => [r.x, r.y, r.width, r.height])(document.querySelector({selector!r}).getBoundingClientRect())"
        )
        return box[0] + box[2] / 2, box[1] + box[3] / 2

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
            with connect(f"{_address(process)}/session", max_size=None, open_timeout=PATIENCE_SEC) as socket:
                yield Firefox(socket)
        finally:
            process.kill()
            process.communicate()


def _address(process: subprocess.Popen[str]) -> str:
    """Where the browser listens, as it says itself."""
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(r"BiDi listening on (ws://\S+)", line):
            return found.group(1)
    raise RuntimeError(f"Firefox ended with status {process.wait()}")
