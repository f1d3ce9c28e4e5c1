"""Links of documents lead to files that exist, and to headings that they have."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.unit.docs.pages import PAGES, ROOT

# Pages that the site makes from code.
MADE = ("commands.md",)

_FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(?:#([^)\s]+))?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_what_exists(page: Path) -> None:
    lost = []
    for target, anchor in _LINK.findall(_FENCED.sub("", page.read_text(encoding="utf-8"))):
        if "://" not in target and target not in MADE:
            path = (page.parent / target).resolve() if target else page
            if not path.exists() or (anchor and path.suffix == ".md" and anchor not in anchors(path)):
                lost.append(f"{target}#{anchor}" if anchor else target)
    assert lost == []


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub names them."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\s-]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
