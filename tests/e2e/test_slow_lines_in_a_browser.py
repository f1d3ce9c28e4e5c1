"""Marking over a slow line: it begins at once, shows how much is there, and resumes where a lost connection left it."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from annotation.viewer.drawing import CHUNK_STEPS
from benchmarks.serving import make_study, new_people, served
from tests.e2e.browsers import chromium, wait_in
from tests.e2e.test_marking_in_a_browser import Visitor
from tests.patience import until

CHUNKS = 12
SLOW, SLOWEST, CRAWLING = 40_000, 6_250, 400  # bytes per second; the second is 50 kbit/s


class Line:
    """The network of a page, as slow as wanted, and the chunks of recorded pictures that came over it.

    A chunk waits until the test lets it through: what is to happen before it comes may take any time.
    """

    def __init__(self, page: Any) -> None:
        self.loaded: Counter[int] = Counter()
        self._page, self._free = page, 0.0
        self._waiting: dict[str, Any] = {}  # by URL: a page that has waited for long asks anew
        page.on("requestfinished", self._note)
        page.route(re.compile("view=seen"), self._hold)
        self._session = page.context.new_cdp_session(page)
        self._session.send("Network.enable")

    def throttle(self, bytes_per_second: int, latency_ms: int = 40, offline: bool = False) -> None:
        self._session.send(
            "Network.emulateNetworkConditions",
            {
                "offline": offline,
                "latency": latency_ms,
                "downloadThroughput": bytes_per_second,
                "uploadThroughput": min(bytes_per_second, 50_000),
            },
        )

    def lets_through(self, chunks: float) -> None:
        """Let so many chunks through, those that wait first."""
        self._free += chunks
        self._pass_on()

    def has_loaded(self, chunks: int) -> None:
        """Wait until so many chunks are known to have come."""
        until(lambda: self._page.wait_for_timeout(20) or len(self.loaded) >= chunks, f"{chunks} chunks")

    def holds(self, request: Any) -> bool:
        """Whether it is this line that keeps a request waiting."""
        return request.url in self._waiting

    def _hold(self, route: Any) -> None:
        self._waiting[route.request.url] = route
        self._pass_on()

    def _pass_on(self) -> None:
        while self._waiting and self._free > 0:
            self._free -= 1
            self._waiting.pop(next(iter(self._waiting))).continue_()

    def _note(self, request: Any) -> None:
        if found := re.search(r"view=seen&begin=(\d+)", request.url):
            self.loaded[int(found[1])] += 1


def rater_of(folder: Path, browser: Any, url: str) -> Visitor:
    rater = Visitor(browser)
    rater.context.add_cookies([{"name": COOKIE, "value": new_people(folder, Role.RATER, 1)[0], "url": url}])
    return rater


@pytest.mark.e2e
def test_an_episode_is_marked_while_it_loads_over_a_line_that_breaks(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    make_study(folder, episodes=1, steps=CHUNKS * CHUNK_STEPS)
    with chromium() as browser, served(folder) as (_, url, _):
        rater = rater_of(folder, browser, url)
        rater.page.goto(f"{url}/")  # the pages themselves are loaded over a fast line
        line = Line(rater.page)
        line.throttle(SLOW)
        line.lets_through(1)
        rater.page.goto(f"{url}/mark")
        progress = rater.page.locator(".picture-bar progress")
        rater.page.locator(".picture canvas:not(.missing)").wait_for()
        assert float(progress.get_attribute("value") or 0) < 1, "the page is there before all pictures are"
        rater.press("Shift+ArrowRight", "+")
        rater.sees_marks((10, "+"))
        rater.press("End")  # what is wanted is loaded next
        rater.page.get_by_text("Loading this moment").wait_for()
        line.lets_through(2)  # the one that was asked for before, and the last
        rater.page.locator(".picture canvas:not(.missing)").wait_for()
        line.throttle(0, offline=True)
        line.lets_through(math.inf)
        rater.press("Home", *["Shift+ArrowRight"] * 34)
        rater.page.get_by_text("Waiting for the server").wait_for()
        line.throttle(-1)
        rater.sees_all_loaded()
        rater.page.locator(".picture canvas:not(.missing)").wait_for()
        rater.sees_saved()
        line.has_loaded(CHUNKS)
        assert set(line.loaded.values()) == {1} and len(line.loaded) == CHUNKS, "no chunk was loaded twice"
        assert (CHUNKS - 1) * CHUNK_STEPS in list(line.loaded)[: CHUNKS // 2], "what was wanted came first"
        assert rater.complaints == []


@pytest.mark.e2e
def test_an_episode_is_marked_at_50_kbit_per_second(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    make_study(folder, episodes=1, steps=2 * CHUNK_STEPS)
    with chromium() as browser, served(folder) as (_, url, _):
        rater = rater_of(folder, browser, url)
        line = Line(rater.page)
        line.throttle(SLOWEST, latency_ms=400)
        failed: list[str] = []
        # Of made-up play no sharp picture can be drawn. Chromium may call that answer without content a failure.
        rater.page.on(
            "requestfailed",
            lambda request: "view=sharp" in request.url or line.holds(request) or failed.append(request.url),
        )
        rater.page.goto(f"{url}/mark")  # the page itself comes over the slow line, too
        rater.page.locator(".picture canvas.missing").wait_for(state="attached")
        line.throttle(CRAWLING)  # or the first chunk is there before its progress is looked at
        line.lets_through(1)
        wait_in(
            rater.page,  # progress within the first chunk, before there is any picture
            """() => {
                const value = document.querySelector(".picture-bar progress")?.value ?? 0;
                return value > 0 && value < 0.5 && document.querySelector(".picture canvas.missing") !== null;
            }""",
        )
        line.throttle(SLOWEST, latency_ms=400)
        rater.page.locator(".picture canvas:not(.missing)").wait_for()
        rater.press("Shift+ArrowRight", "+")
        rater.sees_marks((10, "+"))
        rater.sees_saved()  # while the second half is still to come
        assert len(line.loaded) <= 1
        line.lets_through(1)
        rater.sees_all_loaded()
        line.has_loaded(2)
        assert line.loaded == {0: 1, CHUNK_STEPS: 1} and failed == []
        assert rater.complaints == []
