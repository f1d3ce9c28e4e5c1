"""Firefox, too: a rater joins, scans, marks and submits."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.serving import make_study, served
from tests.e2e.firefox import Firefox, firefox
from tests.e2e.test_marking_in_a_browser import exported

STEPS = 100
# A page that is left takes its requests along.
CUT_OFF = ("ServiceWorker intercepted", "NetworkError", "Failed to load")
_RIGHT, _SHIFT = "\ue014", "\ue008"


def click(browser: Firefox, button: str) -> None:
    """Press the button, or follow the link, that is called so."""
    named = f"[...document.querySelectorAll('button, a')].find(b => b.textContent.trim().startsWith('{button}'))"
    browser.until(f"!!{named}")
    browser.ask(f"{named}.click()")


def join(browser: Firefox, link: str, name: str) -> None:
    browser.open(link)
    browser.until("!!document.querySelector('input')")
    browser.ask("document.querySelector('input').focus()")
    browser.press(*name)
    click(browser, "Join")
    browser.until(f"document.body.innerText.includes('Hello, {name}')")


@pytest.mark.e2e
def test_an_episode_is_marked_in_firefox(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    make_study(folder, episodes=1, steps=STEPS)
    with firefox() as browser, served(folder) as (_, url, link):
        join(browser, link, "ada")
        browser.open(f"{url}/study")
        click(browser, "Make a link")
        invitation = browser.until("document.querySelector('.invitation-link')?.value")
        click(browser, "Sign out")
        browser.until("location.pathname === '/'")
        join(browser, invitation, "ben")
        browser.open(f"{url}/mark")
        browser.until("!!document.querySelector('[role=slider]')")
        browser.press(*[_RIGHT] * 4, "p")
        browser.until("document.querySelectorAll('.mark').length === 1")
        box = browser.ask(
            "(r => [r.x, r.y, r.width, r.height])(document.querySelector('[role=slider]').getBoundingClientRect())"
        )
        browser.move_mouse(box[0] + box[2] / 2, box[1] + box[3] / 2)
        browser.until(f"document.querySelector('[role=slider]').getAttribute('aria-valuenow') === '{STEPS // 2}'")
        browser.press("n")
        browser.until("document.querySelectorAll('.mark').length === 2")
        browser.until("""!!document.querySelector('.saved[data-waiting="0"]')""")
        click(browser, "Submit")
        browser.until("!document.querySelector('[role=slider]')")
        assert [said for said in browser.complaints if not any(words in said for words in CUT_OFF)] == []
        assert [(mark.step, mark.sign) for mark in exported(folder, 2)] == [(4, 1), (STEPS // 2, -1)]
