"""Marking over a slow line: it begins at once, shows how much is there, and goes on where a lost connection left it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from annotation.viewer.drawing import CHUNK_STEPS
from benchmarks.serving import make_study, new_people, served
from tests.e2e.browsers import chromium
from tests.e2e.test_marking_in_a_browser import Visitor

CHUNKS = 12
BYTES_PER_SECOND = 40_000


@pytest.mark.e2e
def test_an_episode_is_marked_while_it_loads_over_a_line_that_breaks(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    make_study(folder, episodes=1, steps=CHUNKS * CHUNK_STEPS)
    with chromium() as browser, served(folder) as (_, url, _):
        rater = Visitor(browser)
        rater.context.add_cookies([{"name": COOKIE, "value": new_people(folder, Role.RATER, 1)[0], "url": url}])
        rater.page.goto(f"{url}/")  # the pages themselves are loaded over a fast line
        loaded: Counter[int] = Counter()

        def note(request: Any) -> None:
            if found := re.search(r"view=seen&begin=(\d+)", request.url):
                loaded[int(found[1])] += 1

        rater.page.on("requestfinished", note)
        line = rater.context.new_cdp_session(rater.page)

        def throttle(bytes_per_second: int, offline: bool = False) -> None:
            line.send(
                "Network.emulateNetworkConditions",
                {"offline": offline, "latency": 40, "downloadThroughput": bytes_per_second, "uploadThroughput": 50_000},
            )  # fmt: skip

        line.send("Network.enable")
        throttle(BYTES_PER_SECOND)
        rater.page.goto(f"{url}/mark")
        progress = rater.page.locator(".picture-bar progress")
        rater.page.locator(".picture canvas:not(.missing)").wait_for()
        assert float(progress.get_attribute("value") or 0) < 1, "the page is there before all pictures are"
        rater.press("Shift+ArrowRight", "+")
        rater.sees_marks((10, "+"))
        rater.press("End")  # what is wanted is loaded next
        rater.page.get_by_text("Loading this moment").wait_for()
        rater.page.locator(".picture canvas:not(.missing)").wait_for()
        throttle(0, offline=True)
        rater.press("Home", *["Shift+ArrowRight"] * 34)
        rater.page.get_by_text("Waiting for the server").wait_for()
        throttle(-1)
        rater.sees_all_loaded()
        rater.page.locator(".picture canvas:not(.missing)").wait_for()
        rater.sees_saved()
        assert set(loaded.values()) == {1} and len(loaded) == CHUNKS, "no chunk was loaded twice"
        assert (CHUNKS - 1) * CHUNK_STEPS in list(loaded)[: CHUNKS // 2], "what was wanted came first"
        assert rater.complaints == []
