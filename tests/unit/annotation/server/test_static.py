"""The built front end is there, small, and built from the sources that are there."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from annotation.server.routes.pages import PAGES, STATIC, assets

WEB = STATIC.parent / "web"
FIRST_PAGE_BYTES = 150 * 1024


def sources() -> list[Path]:
    found = [path for path in (WEB / "src").rglob("*") if path.is_file()]
    return [*found, WEB / "package-lock.json", WEB / "build.mjs"]


def test_the_pages_are_built_from_their_sources() -> None:
    """If this fails: `make web`, and commit what it makes."""
    named = sorted((str(path.relative_to(WEB)), path) for path in sources())
    said = hashlib.sha256()
    for name, path in named:
        said.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    assert (STATIC / "sources.sha256").read_text().strip() == said.hexdigest()


def test_the_first_page_is_small() -> None:
    assert sum(len(asset.zipped) for asset in assets().values()) < FIRST_PAGE_BYTES


def test_the_page_has_nothing_inline_and_nothing_from_elsewhere() -> None:
    page = assets()["index.html"].plain.decode()
    assert "style=" not in page and "http" not in page and page.count("<script") == page.count('src="static/')
    assert "innerHTML" not in (WEB / "src").joinpath("main.tsx").read_text()


def test_text_that_people_type_is_never_markup() -> None:
    for path in (WEB / "src").rglob("*.ts*"):
        text = path.read_text()
        assert "innerHTML" not in text and "insertAdjacentHTML" not in text, path


def test_every_page_of_the_front_end_is_served() -> None:
    main = (WEB / "src" / "main.tsx").read_text()
    table = main.split("const PAGES", 1)[1].split("};", 1)[0]
    assert re.findall(r'^  "(/\w*)":', table, re.MULTILINE) == list(PAGES)
