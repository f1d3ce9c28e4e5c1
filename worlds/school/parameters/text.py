"""A parameter tree as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from worlds.school.parameters.names import paper_parameter, paper_value
from worlds.school.parameters.tree import Parameter, Value


def format_tree(tree: Parameter, *, paper: bool = False, chosen: Mapping[str, str] | None = None) -> str:
    """Return a tree as text: a line for each parameter, in brackets, and for each value.

    Args:
      tree: to print.
      paper: print the names of the paper, not those of the code.
      chosen: a combination, whose values are marked with a star.
    """
    return "\n".join(_lines(tree, "", paper, chosen or {})) + "\n"


def format_combination(combination: Mapping[str, str], *, paper: bool = False) -> str:
    """Return a combination in one line, such as ``Env_type=Collaboration Problem=Boxes``."""
    return " ".join(
        f"{paper_parameter(name)}={paper_value(name, value)}" if paper else f"{name}={value}"
        for name, value in combination.items()
    )


def _lines(parameter: Parameter, indent: str, paper: bool, chosen: Mapping[str, str]) -> Iterator[str]:
    name = paper_parameter(parameter.name) if paper else parameter.name
    yield f"{indent}[{name}]"
    for value in parameter.values:
        yield f"{indent}  {_value(parameter, value, paper)}{' *' if chosen.get(parameter.name) == value.name else ''}"
        inside = chosen if chosen.get(parameter.name) == value.name else {}
        for inner in value.parameters:
            yield from _lines(inner, f"{indent}    ", paper, inside)


def _value(parameter: Parameter, value: Value, paper: bool) -> str:
    return paper_value(parameter.name, value.name) if paper else value.name
