"""Every page, light and dark: axe finds nothing serious, and the Tab key reaches visibly whatever a mouse can press."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e import pages
from tests.e2e.browsers import LAPTOP, chromium

_WEIGHTY = ("serious", "critical")
HALF_A_SCREEN: Any = {"width": 960, "height": 640}

# Numbers what can be pressed or written in. Of radio buttons of one name the keyboard has the chosen one alone.
_STOPS = """() => {
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
  const alone = e => e.type !== 'radio' || e.checked;
  const stops = all.filter(e => e.checkVisibility() && !e.disabled && e.tabIndex >= 0 && alone(e));
  all.forEach(e => delete e.dataset.stop);
  stops.forEach((e, number) => e.dataset.stop = number);
  document.activeElement.blur();
  return stops.map(e => e.outerHTML.slice(0, 120));
}"""

# The stop that has the focus, and what is wrong with how it shows.
_STOP = """() => {
  const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + Math.min(box.height, innerHeight) / 2];
  const top = document.elementFromPoint(x, y);
  const faint = style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2;
  const hidden = !top || !(e.contains(top) || top.contains(e));
  return [e.dataset.stop ?? null, faint ? 'no outline' : hidden ? 'hidden' : ''];
}"""


def found(page: Any, *rules: str) -> list[str]:
    """Violations of axe's rules, or of ``rules`` alone, that weigh, each with the first element that has it."""
    from axe_playwright_python.base import AXE_SCRIPT

    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    results = page.evaluate("options => axe.run(options)", options)
    assert results["passes"], "axe looked at nothing"
    return [
        f"{rule['id']} ({rule['impact']}): {rule['nodes'][0]['html'][:200]}"
        for rule in results["violations"]
        if rule["impact"] in _WEIGHTY
    ]


def unreached(page: Any) -> list[str]:
    """What the Tab key does not reach, or reaches without its being seen. Leaves the page without a focus."""
    faults: list[str] = []
    for _ in range(3):  # once, unless the page changes meanwhile
        stops, faults = tabbed(page)
        if not faults or page.evaluate(_STOPS) == stops:
            break
    return faults


def tabbed(page: Any) -> tuple[list[str], list[str]]:
    """What can be pressed or written in, and what is wrong with it."""
    stops = page.evaluate(_STOPS)
    missing, bad = set(range(len(stops))), list[str]()
    for _ in range(2 * len(stops) + 4):  # some more: lists that scroll can be reached, too
        page.keyboard.press("Tab")
        stop, fault = page.evaluate(_STOP)
        if stop is not None and fault:
            bad.append(f"{fault}: {stops[int(stop)]}")
        missing -= {int(stop)} if stop is not None else set()
        if not missing:
            break
    page.evaluate("document.activeElement.blur()")
    return stops, [*bad, *(f"not reached: {stops[stop]}" for stop in sorted(missing))]


# A page that measures itself has drawn the result two frames after its size has changed.
_DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"


@pytest.mark.e2e
def test_every_page_is_for_everybody(tmp_path: Path) -> None:
    pages.make_whole_study(tmp_path)
    faults = dict[str, list[str]]()
    with chromium() as browser, pages.serving(tmp_path, lambda: browser.new_context(viewport=LAPTOP)) as place:
        for walk in pages.WALKS:
            for state, page in walk(place):
                faults[state] = found(page) + unreached(page)
                page.emulate_media(color_scheme="dark")
                page.set_viewport_size(HALF_A_SCREEN)
                page.evaluate(_DRAWN)
                faults[f"{state}, dark"] = found(page, "color-contrast", "scrollable-region-focusable")
                page.emulate_media(color_scheme="light")
                page.set_viewport_size(LAPTOP)
    assert len(faults) > 50
    assert {state: weighty for state, weighty in faults.items() if weighty} == {}
