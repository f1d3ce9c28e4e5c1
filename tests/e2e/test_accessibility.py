"""What axe finds on every page, light and dark: nothing serious."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.serving import make_study, served
from tests.e2e.browsers import LAPTOP, PATIENCE_MS, chromium

_WEIGHTY = ("serious", "critical")


def found(page: Any) -> list[str]:
    """Violations that weigh, each with the first element that has it."""
    from axe_playwright_python.sync_playwright import Axe

    results = Axe().run(page).response
    assert results["passes"], "axe looked at nothing"
    return [
        f"{rule['id']} ({rule['impact']}): {rule['nodes'][0]['html'][:200]}"
        for rule in results["violations"]
        if rule["impact"] in _WEIGHTY
    ]


@pytest.mark.e2e
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(tmp_path: Path, scheme: str) -> None:
    folder, violations = tmp_path / "study", dict[str, list[str]]()
    make_study(folder, episodes=1, steps=60)
    with chromium() as browser, served(folder) as (_, url, link):
        page = browser.new_context(viewport=LAPTOP, color_scheme=scheme).new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(url)
        page.get_by_role("heading").first.wait_for()
        violations["signed out"] = found(page)
        page.goto(link)
        page.get_by_label("What shall we call you?").fill("Ada")
        violations["join"] = found(page)
        page.get_by_role("button", name="Join").click()
        page.get_by_role("heading", name="Hello, Ada").wait_for()
        violations["home"] = found(page)
        page.goto(f"{url}/study")
        page.get_by_role("button", name="Make a link").click()
        invitation = page.locator(".invitation-link").input_value()
        violations["study"] = found(page)
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("button", name="Sign out").wait_for(state="detached")
        page.goto(invitation)
        page.get_by_label("What shall we call you?").fill("Ben")
        page.get_by_role("button", name="Join").click()
        page.get_by_role("heading", name="Hello, Ben").wait_for()
        page.goto(f"{url}/mark")
        page.get_by_role("slider").wait_for()
        for key in ("Shift+ArrowRight", "+", "Shift+ArrowRight", "-"):
            page.keyboard.press(key)
        page.locator(".mark").nth(1).wait_for()
        violations["mark"] = found(page)
    assert not any(violations.values()), violations
