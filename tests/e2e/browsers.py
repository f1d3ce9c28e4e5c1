"""The system's Chromium, driven by Playwright. Without it tests are skipped, unless CI is set: there it must be."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from benchmarks.browsers import find_chromium, launched
from tests.patience import PATIENCE_MS, until
from worlds.errors import UserError

LAPTOP = {"width": 1366, "height": 640}  # what a browser shows of a page on a screen of 1366 x 768

# Longer than a test takes, however slow the machine; pictures of pages show a game of a minute.
GAME_SEC = 60 if os.environ.get("RLHF_SCREENSHOTS") else 1800

_SHORTEST_SEC = 11  # an episode that ends earlier is not kept
_LEFT = """() => {
  const [minutes, seconds] = document.querySelector('[role=timer]').textContent.split(':').map(Number);
  return 60 * minutes + seconds;
}"""


def played_enough(page: "Page") -> None:  # noqa: F821, UP037  (Playwright may be missing)
    """Wait until so much of a game of ``GAME_SEC`` is played, as its clock shows, that it is kept."""
    until(lambda: page.evaluate(_LEFT) <= GAME_SEC - _SHORTEST_SEC, "the game's clock shows enough play")


def game_advances(page: "Page", seconds: int) -> None:  # noqa: F821, UP037  (Playwright may be missing)
    """Wait until the game's clock shows ``seconds`` less, however slowly the game runs."""
    end = page.evaluate(_LEFT) - seconds
    until(lambda: page.evaluate(_LEFT) <= end, f"the game's clock shows {end} s")


def wait_in(page: "Page", expression: str, arg: object = None) -> None:  # noqa: F821, UP037
    """Wait until the JavaScript ``expression``, or its call with ``arg``, is true in the page.

    Playwright's `wait_for_function` repeats it by `eval`, which the pages' Content-Security-Policy forbids.
    """
    until(lambda: page.evaluate(expression, arg), expression)


def press_key(page: "Page", code: str, key: str) -> None:  # noqa: F821, UP037  (Playwright may be missing)
    """Press and release the key at the place ``code`` of a keyboard that types ``key`` there."""
    page.evaluate(
        """([code, key]) => ["keydown", "keyup"].forEach((kind) =>
          document.body.dispatchEvent(new KeyboardEvent(kind, { code, key, bubbles: true, cancelable: true })))""",
        [code, key],
    )


def kept_for_later(page: "Page") -> None:  # noqa: F821, UP037
    """Wait until the page can be loaded again without a connection.

    The service worker answers a reload as soon as it is active. It may not control this page: Chromium does not
    hand over a page that is still being opened when the worker takes over.
    """
    state = "navigator.serviceWorker.getRegistration().then(found => found?.active?.state ?? 'missing')"
    until(lambda: page.evaluate(state) == "activated", "the service worker is active")


# Opens no database that the page has not made: that would be one without tables.
_KEPT_WORK = """async () => {
  if (!(await indexedDB.databases()).some((found) => found.name === 'DATABASE')) return false;
  const answer = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const database = await answer(indexedDB.open('DATABASE'));
  try {
    const [kept] = await answer(database.transaction('episodes').objectStore('episodes').getAll());
    return kept !== undefined && kept.frames !== null && (CONDITION);
  } finally {
    database.close();
  }
}"""


def keeps_work(page: "Page", database: str, condition: str = "true") -> None:  # noqa: F821, UP037
    """Wait until the browser keeps the work with its pictures: a page without a connection shows what is kept.

    ``condition`` is JavaScript that is to be true of ``kept``, a `SavedWork` of saving/local_store.ts.
    """
    script = _KEPT_WORK.replace("DATABASE", database).replace("CONDITION", condition)
    until(lambda: page.evaluate(script), f"{database} keeps the pictures, and {condition}", 0.1)


@contextmanager
def chromium() -> Iterator["Browser"]:  # noqa: F821, UP037  (Playwright may be missing)
    """A browser. Skips the test, or in CI fails it, where there is none."""
    try:
        path = find_chromium()
    except UserError as error:
        if os.environ.get("CI"):
            pytest.fail(f"CI needs a browser: {error}")
        pytest.skip(str(error))
    with launched(path, PATIENCE_MS) as browser:
        try:
            yield browser
        except Exception:
            _describe(browser)
            raise


def _describe(browser: "Browser") -> None:  # noqa: F821, UP037  (Playwright may be missing)
    """Print the address and the text of every open page, for the report of a failed test."""
    for page in (page for context in browser.contexts for page in context.pages):
        print(f"{page.url} shows:\n{page.evaluate('document.body.innerText.slice(0, 2000)')}\n")
