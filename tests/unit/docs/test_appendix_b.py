"""The page of appendix B is that of the code."""

from __future__ import annotations

from docs.appendix_b import PAGE, written


def test_the_tables_are_those_of_the_code() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page), "run python -m docs.appendix_b"
    assert page.count("<!-- lines -->\n|") == 1
    assert page.count("<!-- solver -->\n`python -m benchmarks.appendix_b") == 1
