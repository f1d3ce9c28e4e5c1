"""Documents use the field's words, name their readers, and have lines that fit a screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.docs.pages import PAGES, RESULTS, ROOT, page_name, prose

# Words that documents avoid, and what they write.
AVOIDED = {
    r"told|(?<!cannot )tells?(?! apart)": "reported, learned, shows",
    r"mend(?:ed|s|ing)?": "fix, remedy",
    r"whoever|whomever": "who, the user, the person",
    r"somebody|someone": "a person, a user",
    r"(?:go|goes|going|went|gone) on": "resume, continue",
    r"anew": "again",
    r"peers?|alone as": "workers, another library",
    r"luck": "chance, sampling noise",
    r"lived": "what happened, the record",
    r"exams?": "evaluation",
    r"settled": "resolved",
    r"becomes? of|became of|come of|comes of": "result of",
    r"comes? to (?:its|their) end": "ends",
    r"journeys?": "end-to-end test, command",
    r"taken for|took for": "counted as",
    r"stands? in (?:a|the|its) (?:file|folder)": "is saved in",
    r"nobody's business": "not shown",
    r"learn(?:s|ed)? by heart": "overfit",
}
WIDTH = 120


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_words_of_the_field(page: Path) -> None:
    text = re.sub(r"\]\([^)\s]*\)", "]", " ".join(prose(page).split()))  # without targets of links
    text = re.sub(r"(?<!\*)\*[^*]+\*(?!\*)", "", text)  # without labels of the app
    found = {
        match[0]: instead
        for word, instead in AVOIDED.items()
        for match in re.finditer(rf"\b(?:{word})\b", text, re.IGNORECASE)
    }
    assert found == {}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_lines_are_wrapped(page: Path) -> None:
    text = re.sub(r"<!-- robustness: begin.*robustness: end -->", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    lines = re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = re.sub(r"\]\([^)\s]*\)", "]", lines)  # without targets of links
    free = ("|", "![", "<!--", "`python -m")  # rows of tables, pictures, and lines that programs write
    assert [line for line in lines.splitlines() if len(line) > WIDTH and not line.startswith(free)] == []


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.parent == ROOT / "docs" or page in RESULTS], ids=page_name
)
def test_pages_name_their_readers(page: Path) -> None:
    heading, _, reader = page.read_text(encoding="utf-8").partition("\n\n")
    assert heading.startswith("# ") and re.match(r"\*\*For\*\* .*\*\*After\s+it\*\*\s", reader, re.DOTALL)
