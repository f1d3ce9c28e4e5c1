"""People with browsers of their own: what they press, what they wait for, and what their browsers complain of."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from benchmarks.serving import new_person, served
from tests.e2e.browsers import LAPTOP, chromium, wait_in
from tests.patience import PATIENCE_MS, until

SHOTS = os.environ.get("RLHF_SCREENSHOTS", "")  # a folder for pictures of the pages, for the documentation
_EARLY = ("not everything is saved yet", "cannot be reached")


class Visitor:
    """Somebody with a browser of their own, which must never complain.

    Complaints are read while the server runs: pages that ask now and then complain of a server that has ended.
    """

    no_bugs = ("ERR_INTERNET_DISCONNECTED", "401 (Unauthorized)", "428 (Pre")  # no connection, a stranger

    def __init__(self, browser: Any, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": LAPTOP, **options})
        self.complaints: list[str] = []
        self.new_tab()

    def new_tab(self) -> None:
        """Open another tab, and look at that from now on."""
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda message: self._hear(message))

    def _hear(self, message: Any) -> None:
        if message.type == "error" and not any(words in message.text for words in self.no_bugs):
            self.complaints.append(message.text)

    def signs_in(self, folder: Path, role: Role, url: str, name: str = "") -> None:
        """Be a new person of the study in ``folder`` from now on."""
        self.url = url
        self.context.add_cookies([{"name": COOKIE, "value": new_person(folder, role, name), "url": url}])

    def join(self, link: str, name: str) -> None:
        self.page.goto(link)
        self.page.get_by_label("What shall we call you?").fill(name)
        self.click("Join")
        self.page.get_by_role("heading", name=f"Hello, {name}").wait_for()

    def click(self, name: str, exact: bool = False) -> None:
        self.page.get_by_role("button", name=name, exact=exact).click()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def sees(self, words: str) -> None:
        self.page.get_by_text(words).first.wait_for()

    def at(self) -> int:
        """The step of the slider."""
        return int(self.page.get_by_role("slider").get_attribute("aria-valuenow") or -1)

    def marks(self) -> list[tuple[int, str]]:
        """Step and sign of every mark on the timeline."""
        found = self.page.locator(".mark").evaluate_all("all => all.map(m => [Number(m.dataset.step), m.textContent])")
        return sorted((step, sign) for step, sign in found)

    def sees_marks(self, *expected: tuple[int, str]) -> None:
        until(lambda: self.marks() == list(expected), f"marks {expected}")

    def sees_saved(self) -> None:
        self.page.locator('.saved[data-waiting="0"]').wait_for()

    def sees_all_loaded(self) -> None:
        """Wait until every recorded picture is in the browser."""
        self.page.locator(".picture-bar progress").wait_for(state="detached")

    def sees_picture(self) -> None:
        """Wait until a picture is drawn: its shape moves what is around it."""
        wait_in(self.page, "!!document.querySelector('.picture canvas')?.style.aspectRatio")

    def says(self, words: str) -> None:
        """Say a line in a game."""
        self.page.locator(".say input:enabled").wait_for()
        self.press("Enter")
        self.page.keyboard.type(words)
        self.press("Enter")

    def hears(self, words: str) -> None:
        self.page.locator(".spoken .words", has_text=words).first.wait_for()

    def goes_on(self, button: str = "") -> None:
        """Go to the next item, by a button or else by key, and once more where the page says that it is too early."""
        self.sees_saved()
        self.page.evaluate("document.querySelector('.bench').dataset.old = 'yes'")
        bench = self.page.locator(".bench[data-old]")
        self.click(button) if button else self.press("Enter")

        def gone() -> bool:
            for said in bench.locator(".desk .trouble").all_inner_texts():
                assert any(words in said for words in _EARLY), said
                self.press("Enter")
            return bench.count() == 0

        until(gone, "the next item", 0.3)
        self.page.get_by_role("slider").or_(self.page.get_by_text("All done.")).wait_for()

    def shot(self, name: str) -> None:
        if SHOTS:
            self.page.screenshot(path=Path(SHOTS) / f"{name}.png")


@contextmanager
def working(folder: Path, role: Role) -> Iterator[Visitor]:
    """Somebody who works in the study in ``folder``, whose browser has nothing to complain of."""
    with chromium() as browser, served(folder) as (_, url, _):
        visitor = Visitor(browser)
        visitor.signs_in(folder, role, url)
        yield visitor
        assert visitor.complaints == []
