"""The system's Chromium, driven by Playwright, for benchmarks and tests. Not a benchmark itself."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from worlds.errors import UserError

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium() -> str:
    """Return the path of the browser. Raises UserError if it or Playwright is missing."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None or find_spec("playwright") is None:
        raise UserError("no Chromium or no Playwright here: apt-get install chromium; pip install playwright")
    return path


@contextmanager
def launched(path: str, timeout_ms: float) -> Iterator[Browser]:
    """Start the headless browser at ``path``; it has ``timeout_ms`` to begin."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=timeout_ms)
        yield browser
        browser.close()
