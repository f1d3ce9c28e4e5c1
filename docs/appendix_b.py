"""Tables of the paper's appendix B: counts for ``docs/appendix-b.md``, and all lines, which the site shows there.

python -m docs.appendix_b   # writes the counts, prints the lines
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worlds.playhouse.scenarios.appendix_b import COUNT, scenarios
from worlds.playhouse.scenarios.scenario import Asks, CannotBePosed, ForJudges, Scenario

PAGE = Path(__file__).parent / "appendix-b.md"


def written(page: str) -> str:
    """Return the page with the table of counts that is made from the code."""
    table = "\n".join(_counts())
    return re.sub(
        r"(<!-- counts -->\n).*?(<!-- /counts -->)", lambda m: f"{m[1]}{table}\n{m[2]}", page, flags=re.DOTALL
    )


def all_lines() -> str:
    """Return the table of all lines: words, house and check."""
    return "\n".join(_lines())


def _counts() -> Iterator[str]:
    lines = list(scenarios().values())
    yield "| | instructions | questions | all |"
    yield "|---|---:|---:|---:|"
    for name, chosen in (
        ("lines of the paper", lines),
        ("can be posed", [line for line in lines if line.can_be_posed]),
        ("checked by a program", [line for line in lines if line.is_checked]),
    ):
        questions = sum(line.kind == "question" for line in chosen)
        share = f"{len(chosen)} ({len(chosen) / COUNT:.0%})"
        yield f"| {name} | {len(chosen) - questions} | {questions} | {share} |"


def _lines() -> Iterator[str]:
    yield "| | words | what the house holds | check |"
    yield "|---:|---|---|---|"
    for number, line in scenarios().items():
        house = "; ".join(line.house) or "-"
        yield f"| {number} | *{line.words}* | {house}{_people(line)} | {_check(line)} |"


def _people(line: Scenario) -> str:
    """Where the players are, if the line says so."""
    said = [f"the setter stands {line.setter}"] if line.setter else []
    said += [f"the setter is in the {line.room}"] if line.room else []
    said += [f"the setter looks at {line.faces}"] if line.faces else []
    said += [f"the solver begins in the {line.solver}"] if line.solver else []
    return f" ({', '.join(said)})" if said else ""


def _check(line: Scenario) -> str:
    if isinstance(line.check, ForJudges):
        return f"for judges: {line.check.reason}"
    if isinstance(line.check, CannotBePosed):
        return f"cannot be posed: {line.check.reason}"
    return _asked(line.check)


def _asked(asks: Asks) -> str:
    roles = ", ".join(_role(name, value) for name, value in asks.roles.items())
    return f"*{asks.game.removeprefix('scenario: ')}*{': ' + roles if roles else ''}"


def _role(name: str, value: Any) -> str:
    if isinstance(value, Asks):
        return f"{name} {_asked(value)}"
    if isinstance(value, tuple):
        return " and ".join(value)
    if isinstance(value, dict):
        return ", ".join(f"{how} {what}" for what, how in value.items())
    if value is True:
        return name.replace("_", " ")
    return f"{value}" if name in ("of", "things", "place") else f"{name.replace('_', ' ')} {value}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(all_lines())
