"""The documents of the project, and the code in them, for the tests beside this file."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]
NAMES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")
LOGS = (ROOT / "LOG.md", *sorted((ROOT / "docs" / "log").glob("*.md")), *sorted(ROOT.glob("experiments/*/LOG.md")))
RESULTS = tuple(sorted(page for page in ROOT.glob("experiments/*/*.md") if page not in LOGS))
CURRENT = (*(ROOT / name for name in NAMES), *sorted((ROOT / "docs").glob("*.md")), *RESULTS)
PAGES = (*CURRENT, *LOGS)  # logs may name what was there before
FOLDERS = (
    "worlds", "agents", "rlhf", "annotation", "reward_models", "pipelines", "experiments", "benchmarks", "tests"
)  # fmt: skip

_BLOCK = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


@dataclass(frozen=True)
class Block:
    """A fenced block of code.

    Args:
      language: the word after the fence, or empty.
      text: its lines.
      line: the number of its first line in the page.
    """

    language: str
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    """Return the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        yield Block(match[2], match[3], text.count("\n", 0, match.start()) + 2)


def page_name(page: Path) -> str:
    """Return the path of a page in the repository."""
    return page.relative_to(ROOT).as_posix()


def prose(page: Path) -> str:
    """Return the text of a page without its blocks of code and without text in backticks."""
    return _QUOTED.sub("", _BLOCK.sub("", page.read_text(encoding="utf-8")))


def code(page: Path) -> Iterator[str]:
    """Return every piece of code of a page: its blocks, and text in backticks."""
    text = page.read_text(encoding="utf-8")
    yield from (match[3] for match in _BLOCK.finditer(text))
    yield from _QUOTED.findall(_BLOCK.sub("", text))


def resized(words: Sequence[str], sizes: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return a command with the ``sizes`` of its verb, settings and values, in place of its own."""
    own, kept, dropping = sizes.get(words[0], {}), list[str](), False
    for word in words:
        dropping = word in own if word.startswith("--") else dropping
        kept += [] if dropping else [word]
    return kept + [word for pair in own.items() for word in pair]


# The entry that the page of the Playhouse adds to a family of things.
NEW_KIND = next(
    block.text for block in blocks(ROOT / "docs" / "playhouse.md") if block.text.startswith('"kite"')
).rstrip()


@cache
def site() -> ModuleType:
    """Return the hook that builds the documentation site."""
    spec = importlib.util.spec_from_file_location("docs_site", ROOT / "docs" / "site.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
