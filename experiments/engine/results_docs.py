"""Tables of results, written by the program between markers into the pages of an experiment's folder and README.

``results.json`` of a folder of ``experiments/`` has its published tables. On its pages each is between
``<!-- results: NAME NUMBER -->`` and ``<!-- /results -->``; a test compares them with the file, so that numbers edited
by hand are found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rlhf.records.json_records import from_json, to_json
from rlhf.run.progress import announce
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

REPOSITORY = Path(__file__).resolve().parents[2]
README = Path("README.md")
PAGES = ("README.md", "RESULTS.md")  # of a folder of experiments/
RESULTS = "results.json"  # beside them
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

    def markdown(self) -> str:
        """Return the table as Markdown."""
        return markdown_table(self.head, self.rows)


Results = Mapping[str, Sequence[ResultTable]]  # by name of the result


def read_tables(text: str) -> tuple[ResultTable, ...]:
    """Read all Markdown tables in a text."""
    found = []
    for block in _TABLE.findall(text):
        lines = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in block.splitlines()]
        found.append(ResultTable(lines[0], tuple(lines[2:])))
    return tuple(found)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a table as Markdown, a line for each row."""
    lines = (head, ("---",) * len(head), *rows)
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def load_published(repository: Path = REPOSITORY) -> dict[str, tuple[ResultTable, ...]]:
    """Load the published tables of all experiments.

    Raises:
      UserError: if ``repository`` is not a copy of the repository.
    """
    if not (repository / README).is_file():
        raise UserError(
            f"--docs writes the pages of a copy of the repository, and {repository / README} does not exist"
        )
    return {
        name: tables
        for path in (repository / "experiments").glob(f"*/{RESULTS}")
        for name, tables in _load(path).items()
    }


def _load(path: Path) -> dict[str, tuple[ResultTable, ...]]:
    published = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {name: tuple(from_json(ResultTable, one) for one in tables) for name, tables in published.items()}


def pages_of(name: str, repository: Path = REPOSITORY) -> dict[Path, str]:
    """Read the pages of the experiment's folder, by path. Its folder is the one whose pages have places for its tables.

    Raises:
      UserError: if no page has one, or those of several folders do.
    """
    folders = []
    for folder in sorted((repository / "experiments").iterdir()):
        pages = {folder / page: (folder / page).read_text("utf-8") for page in PAGES if (folder / page).is_file()}
        if _places(name, pages):
            folders.append(pages)
    if len(folders) == 1:
        return folders[0]
    raise UserError(
        f"--docs: {'no folder' if not folders else 'more than one folder'} of experiments/ has places for tables of "
        f"{name}; add <!-- results: {name} 0 --> and <!-- /results -->, and so on for every table, to its {PAGES[1]}"
    )


def check_places(name: str, repository: Path = REPOSITORY) -> None:
    """Check that :func:`publish` will find places for tables of the result ``name``, before they are computed.

    Raises:
      UserError: if ``repository`` is not a copy of the repository, or its pages have no place.
    """
    load_published(repository)
    pages_of(name, repository)


def _places(name: str, pages: Mapping[Path, str]) -> int:
    return sum(block["name"] == name for text in pages.values() for block in _BLOCK.finditer(text))


def publish(name: str, report: Path, repository: Path = REPOSITORY) -> None:
    """Write the tables of an experiment's report to the file of published results and to the pages.

    Args:
      report: the experiment's ``table.md``.

    Raises:
      UserError: if the pages have another number of places for tables of this result.
    """
    tables = read_tables(report.read_text(encoding="utf-8"))
    pages = pages_of(name, repository)
    folder = next(iter(pages)).parent
    if (places := _places(name, pages)) != len(tables):
        raise UserError(
            f"{report} has {len(tables)} tables and the pages of {folder.relative_to(repository)} have {places} places "
            f"for them; add or remove <!-- results: {name} NUMBER --> and <!-- /results --> there"
        )
    pages[repository / README] = (repository / README).read_text(encoding="utf-8")
    published = load_published(repository) | {name: tables}
    filled = {path: fill(text, published) for path, text in pages.items()}
    write_file(folder / RESULTS, format_results(_load(folder / RESULTS) | {name: tables}).encode())
    for path, text in filled.items():
        write_file(path, text.encode())
        announce(f"results of {name} are in {path}")


def format_results(published: Results) -> str:
    """Format the content of the file of published results."""
    return (
        json.dumps({name: to_json(tables) for name, tables in published.items()}, indent=1, ensure_ascii=False) + "\n"
    )


def fill(page: str, published: Results) -> str:
    """Fill every marked place of a page. Raises UserError if a place has no table."""

    def filled(block: re.Match[str]) -> str:
        name, number = block["name"], block["number"]
        tables = published.get(name, ())
        if number == "summary":
            table = summary(tables)
        elif number.isdecimal() and int(number) < len(tables):
            table = tables[int(number)]
        else:
            raise UserError(f"there is no table {number} of {name}; it has {len(tables)}")
        return f"<!-- results: {name} {number} -->\n{table.markdown()}<!-- /results -->"

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
