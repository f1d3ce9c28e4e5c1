"""Firefox, too: a rater joins, scans, marks and submits; a setter plays with somebody in Chromium; a judge judges."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from benchmarks.serving import make_study, new_person, served
from tests.e2e.browsers import chromium, game_advances, played_enough
from tests.e2e.firefox import Firefox, firefox
from tests.e2e.test_judging_in_a_browser import exported as judgements_of
from tests.e2e.test_judging_in_a_browser import played_suite
from tests.e2e.test_marking_in_a_browser import exported
from tests.e2e.test_playing_in_a_browser import Somebody, recorded, study
from tests.unit.annotation.games.test_game import assert_replays

STEPS = 100
# A page that is left takes its requests along.
CUT_OFF = ("ServiceWorker intercepted", "NetworkError", "Failed to load")
_RIGHT, _ENTER, _NUMPAD_ENTER = "\ue014", "\ue006", "\ue007"


def click(browser: Firefox, button: str) -> None:
    """Press the button, or follow the link, that is called so."""
    all_named = "[...document.querySelectorAll('button:enabled, a')]"
    named = f"{all_named}.find(b => b.textContent.trim().startsWith('{button}'))"
    browser.until(f"!!{named}")
    browser.ask(f"{named}.click()")


def join(browser: Firefox, link: str, name: str) -> None:
    browser.open(link)
    browser.until("!!document.querySelector('input')")
    browser.ask("document.querySelector('input').focus()")
    browser.press(*name)
    click(browser, "Join")
    browser.until(f"document.body.innerText.includes('Hello, {name}')")


def complaints(browser: Firefox) -> list[str]:
    return [said for said in browser.complaints if not any(words in said for words in CUT_OFF)]


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
        browser.until("!!document.querySelector('.picture canvas').style.aspectRatio")  # drawn, in its shape
        browser.ask("document.querySelector('.picture').click()")  # the mouse scans again
        x, y = browser.middle(".picture")
        browser.move_mouse((x + 3, y))  # within the step, however the place is rounded
        browser.until(f"document.querySelector('[role=slider]').getAttribute('aria-valuenow') === '{STEPS // 2}'")
        browser.press("n")
        browser.until("document.querySelectorAll('.mark').length === 2")
        browser.until("""!!document.querySelector('.saved[data-waiting="0"]')""")
        click(browser, "Submit episode")
        click(browser, "Submit all the same")  # most of it was not seen
        browser.until("!document.querySelector('[role=slider]')")
        assert complaints(browser) == []
        assert [(mark.step, mark.sign) for mark in exported(folder, 2)] == [(4, 1), (STEPS // 2, -1)]


@pytest.mark.e2e
def test_a_game_between_firefox_and_chromium(tmp_path: Path) -> None:
    with firefox() as ann, chromium() as browser, study(tmp_path / "study") as (url, cookie):
        ann.keep_cookie(COOKIE, cookie(Role.SETTER), "127.0.0.1")
        ann.open(f"{url}/play")
        click(ann, "I know them already")
        click(ann, "Start")
        sees(ann, "Waiting for the solver")
        bob = Somebody(browser, url, cookie(Role.SOLVER))
        bob.knows_the_keys()
        bob.click("Join as solver")
        bob.is_ready()
        sees(ann, "I am ready")
        ann.press(_NUMPAD_ENTER)
        bob.plays()
        they_talk_and_walk(ann, bob)
        played_enough(bob.page)
        ann.ask("(window.confirm = () => true, null)")  # to its question nobody else would say yes
        click(ann, "End")
        sees(ann, "Saved. Thank you!")
        bob.sees("Saved. Thank you!")
        assert complaints(ann) == [] and bob.complaints == []
    episode = recorded(tmp_path / "study")
    assert "bring me the bottle" in episode.setter_utterance and "which one?" in episode.utterance
    assert (episode.setter_movement[:, :, 0] == 2).sum() > 8, "the setter walked"
    assert (episode.setter_movement[:, :, 2] != 2).any(), "the setter turned by mouse"
    assert (episode.movement[:, :, 0] == 2).sum() > 8 and episode.notes["ended"] == "ended by the setter"
    assert_replays(episode)


def sees(browser: Firefox, words: str) -> None:
    browser.until(f"document.body.innerText.includes({words!r})")


def they_talk_and_walk(ann: Firefox, bob: Somebody) -> None:
    """A click gives the mouse to the game; keys work with it and without."""
    x, y = ann.middle("canvas")
    ann.move_mouse((x, y))
    ann.click_mouse()
    ann.until("document.pointerLockElement === document.querySelector('canvas')")
    ann.move_mouse(*((x + 15 * shift, y) for shift in range(1, 8)))
    ann.until("!!document.querySelector('.say input:enabled')")
    ann.press(_ENTER, *"bring me the bottle", _ENTER)
    bob.hears("bring me the bottle")
    with ann.holding("w"):
        game_advances(bob.page, 2)
    ann.ask("document.exitPointerLock()")  # Escape is the browser's own key, which WebDriver does not press
    ann.until("document.pointerLockElement === null")
    with bob.holding("w"):
        game_advances(bob.page, 2)
    bob.says("which one?")
    ann.until("[...document.querySelectorAll('.spoken .words')].some(line => line.textContent === 'which one?')")
    picture = (
        "c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((value, i) => i % 4 < 3 && value > 40)"
    )
    assert ann.ask(f"({picture})(document.querySelector('canvas'))"), "a picture is drawn"


@pytest.mark.e2e
def test_a_continuation_is_judged_in_firefox(tmp_path: Path) -> None:
    played_suite(tmp_path)
    folder = tmp_path / "study"
    with firefox() as browser, served(folder) as (_, url, _):
        browser.keep_cookie(COOKIE, new_person(folder, Role.JUDGE), "127.0.0.1")
        browser.open(f"{url}/judge")
        browser.until("!!document.querySelector('[role=slider]')")
        browser.press("t", *[_RIGHT] * 3, "s")
        sees(browser, "Succeeded")
        browser.until("""!!document.querySelector('.saved[data-waiting="0"]')""")
        step = int(browser.ask("document.querySelector('[role=slider]').getAttribute('aria-valuenow')"))
        browser.press(_ENTER)
        sees(browser, "Did it succeed?")
        assert [(one.success, one.step) for one in judgements_of(folder, 1)] == [(True, step)]
        assert complaints(browser) == []
