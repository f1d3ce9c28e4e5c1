"""Tables of results in README and docs/results.md, written by the program between markers.

``docs/results.json`` has every published table. On the pages each is between ``<!-- results: NAME NUMBER -->`` and
``<!-- /results -->``; a test compares them with the file, so that numbers edited by hand are found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rlhf.records.json_records import from_json, to_json
from rlhf.run.progress import announce
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS, PAGE, README = Path("docs/results.json"), Path("docs/results.md"), Path("README.md")
SHOWN = (
    "BC",
    "BC+RL (IBT, read later)",
    "BC+RL (scripted reward)",
    "demonstrator",
)  # agents of README's table, of the experiment plateau
_TABLE = re.compile(r"(?:^\|.*\|\n)+", re.MULTILINE)
_BLOCK = re.compile(r"<!-- results: (?P<name>[\w-]+) (?P<number>\w+) -->\n.*?<!-- /results -->", re.DOTALL)


@dataclass(frozen=True)
class ResultTable:
    """Texts of a table: those of the first line, and of the others."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Results = Mapping[str, Sequence[ResultTable]]  # by name of the result


def read_tables(text: str) -> tuple[ResultTable, ...]:
    """Read all Markdown tables in a text."""
    found = []
    for block in _TABLE.findall(text):
        lines = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in block.splitlines()]
        found.append(ResultTable(lines[0], tuple(lines[2:])))
    return tuple(found)


def format_table(table: ResultTable) -> str:
    """Format the table as Markdown."""
    lines = (table.head, ("---",) * len(table.head), *table.rows)
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def load_published(repository: Path = REPOSITORY) -> dict[str, tuple[ResultTable, ...]]:
    """Load the published tables.

    Raises:
      UserError: if ``repository`` is not a copy of the repository.
    """
    path = repository / RESULTS
    if not path.is_file():
        raise UserError(f"--docs writes the pages of a copy of the repository, and {path} does not exist")
    published = json.loads(path.read_text(encoding="utf-8"))
    return {name: tuple(from_json(ResultTable, one) for one in tables) for name, tables in published.items()}


def check_places(name: str, repository: Path = REPOSITORY) -> None:
    """Check that :func:`publish` will find places for tables of the result ``name``, before they are computed.

    Raises:
      UserError: if ``repository`` is not a copy of the repository, or its pages have no place.
    """
    load_published(repository)
    if not _places(name, (repository / PAGE).read_text(encoding="utf-8")):
        raise UserError(
            f"--docs: {PAGE} has no place for tables of {name}; add <!-- results: {name} 0 --> and <!-- /results --> "
            "there, and so on for every table"
        )


def _places(name: str, page: str) -> int:
    return sum(block["name"] == name for block in _BLOCK.finditer(page))


def publish(name: str, report: Path, repository: Path = REPOSITORY) -> None:
    """Write the tables of an experiment's report to the file of published results and to the pages.

    Args:
      name: of the result.
      report: the experiment's ``table.md``.
      repository: folder of the pages.

    Raises:
      UserError: if the pages have another number of places for tables of this result.
    """
    published = load_published(repository) | {name: read_tables(report.read_text(encoding="utf-8"))}
    pages = {path: (repository / path).read_text(encoding="utf-8") for path in (PAGE, README)}
    places = _places(name, pages[PAGE])
    if places != len(published[name]):
        raise UserError(
            f"{report} has {len(published[name])} tables and {PAGE} has {places} places for them; add or remove "
            f"<!-- results: {name} NUMBER --> and <!-- /results --> there"
        )
    filled = {path: fill(text, published) for path, text in pages.items()}
    write_file(repository / RESULTS, format_results(published).encode())
    for path, text in filled.items():
        write_file(repository / path, text.encode())
        announce(f"results of {name} are in {repository / path}")


def format_results(published: Results) -> str:
    """Format the content of the file of published results."""
    return (
        json.dumps({name: to_json(tables) for name, tables in published.items()}, indent=1, ensure_ascii=False) + "\n"
    )


def fill(page: str, published: Results) -> str:
    """Fill every marked place of a page.

    Raises:
      UserError: if a place has no table.
    """

    def filled(block: re.Match[str]) -> str:
        name, number = block["name"], block["number"]
        tables = published.get(name, ())
        if number == "summary":
            table = summary(tables)
        elif number.isdecimal() and int(number) < len(tables):
            table = tables[int(number)]
        else:
            raise UserError(f"there is no table {number} of {name}; it has {len(tables)}")
        return f"<!-- results: {name} {number} -->\n{format_table(table)}<!-- /results -->"

    return _BLOCK.sub(filled, page)


def summary(tables: Sequence[ResultTable]) -> ResultTable:
    """Build README's table, one line for each probe: success of some agents, and the interval of the difference to BC.

    Args:
      tables: of an experiment; the first is of success, the second of differences.
    """
    success, differences = (
        {row[0]: dict(zip(table.head, row, strict=True)) for row in table.rows} for table in tables[:2]
    )
    probes = [name for name in tables[1].head[1:] if name != "all"]
    lines = []
    for probe in probes:
        cells = [success[SHOWN[0]][probe].partition(" ")[0]]
        for agent in SHOWN[1:]:
            interval = differences[agent][probe].strip("*").partition(" ")[2]
            cells.append(success[agent][probe].partition(" ")[0] + (f" {interval}" if agent.startswith("BC") else ""))
        lines.append((probe, *cells))
    return ResultTable(("probe", *SHOWN), tuple(lines))
