"""Parameter trees (SocialAI, appendix C.2): parameters with values, whose choice opens further parameters.

A combination is a mapping from names of parameters to names of values, both texts. Sampling is breadth first, one value
of each parameter. Where a parameter occurs twice on the way, the deeper one counts: it is reached later.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from worlds.errors import UserError
from worlds.school.parameters.names import paper_parameter, paper_value, parameter_name, value_name

# {parameter: {value: {parameter: ...}}}, or a list of values that open no further parameters.
Spec = Mapping[str, "Mapping[str, Spec] | Sequence[str]"]
Combination = dict[str, str]


@dataclass(frozen=True)
class Value:
    """A value of a parameter."""

    name: str
    parameters: tuple[Parameter, ...] = ()


@dataclass(frozen=True)
class Parameter:
    """A parameter, of which exactly one value is chosen."""

    name: str
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        names = [value.name for value in self.values]
        if not names:
            raise UserError(f"parameter {self.name!r} of the tree has no values")
        if len(set(names)) < len(names):
            raise UserError(f"parameter {self.name!r} of the tree has a value twice: {', '.join(names)}")


def build(spec: Spec) -> Parameter:
    """Return the tree of a nested mapping."""
    if len(spec) != 1:
        raise UserError(f"a parameter tree has one root, not {len(spec)}: {', '.join(spec) or 'none'}")
    return _parameters(spec)[0]


def _parameters(spec: Spec) -> tuple[Parameter, ...]:
    return tuple(Parameter(name, _values(values)) for name, values in spec.items())


def _values(values: Mapping[str, Spec] | Sequence[str]) -> tuple[Value, ...]:
    if isinstance(values, Mapping):
        return tuple(Value(name, _parameters(inner)) for name, inner in values.items())
    return tuple(Value(name) for name in values)


def sample(tree: Parameter, rng: np.random.Generator) -> Combination:
    """Return a combination in which every value of a parameter that is reached is equally likely.

    One integer is drawn for each parameter on the way.
    """
    chosen: Combination = {}
    waiting = deque([tree])
    while waiting:
        parameter = waiting.popleft()
        value = parameter.values[int(rng.integers(len(parameter.values)))]
        chosen[parameter.name] = value.name
        waiting.extend(value.parameters)
    return chosen


def combinations(tree: Parameter) -> list[tuple[Combination, Fraction]]:
    """Return every combination of a tree with the probability that :func:`sample` returns it, which add up to one."""
    merged: dict[tuple[tuple[str, str], ...], Fraction] = {}
    for chosen, probability in _paths((tree,)):
        key = tuple(chosen.items())
        merged[key] = merged.get(key, Fraction(0)) + probability
    return [(dict(key), probability) for key, probability in merged.items()]


def _paths(waiting: tuple[Parameter, ...]) -> Iterator[tuple[Combination, Fraction]]:
    if not waiting:
        yield {}, Fraction(1)
        return
    first, rest = waiting[0], waiting[1:]
    for value in first.values:
        for later, probability in _paths((*rest, *value.parameters)):
            # What is chosen later counts.
            yield {first.name: value.name} | later, probability / len(first.values)


def parameters(tree: Parameter) -> dict[str, tuple[str, ...]]:
    """Return the values of every parameter of a tree by its name, in the order in which they are first met."""
    found: dict[str, dict[str, None]] = {}
    waiting = deque([tree])
    while waiting:
        parameter = waiting.popleft()
        found.setdefault(parameter.name, {}).update(dict.fromkeys(value.name for value in parameter.values))
        waiting.extend(inner for value in parameter.values for inner in value.parameters)
    return {name: tuple(values) for name, values in found.items()}


def narrow(tree: Parameter, allowed: Mapping[str, Any]) -> Parameter:
    """Return the part of a tree whose parameters have only allowed values.

    A parameter that is not named keeps its values. A named one that a branch lacks does not exclude that branch.
    """
    wanted = {parameter_name(name): _listed(name, values) for name, values in allowed.items()}
    _check_names(tree, wanted)
    narrowed = _narrowed(tree, wanted)
    left = combinations(narrowed) if narrowed else []
    occurring = {item for chosen, _ in left for item in chosen.items()}
    missing = [f"{name}={each}" for name, values in wanted.items() for each in values if (name, each) not in occurring]
    if narrowed is None or missing:
        asked = ", ".join(f"{name}={'|'.join(values)}" for name, values in wanted.items())
        raise UserError(f"the parameter tree has no such combination: {asked} (missing: {', '.join(missing)})")
    return narrowed


def _listed(name: str, values: Any) -> tuple[str, ...]:
    """Return allowed values under the names of the code."""
    listed = values if isinstance(values, (list, tuple, set, frozenset)) else [values]
    if not listed:
        raise UserError(f"no value of parameter {name!r} is allowed; leave the parameter out to allow all")
    return tuple(dict.fromkeys(value_name(name, str(value)) for value in listed))


def _check_names(tree: Parameter, wanted: Mapping[str, Sequence[str]]) -> None:
    known = parameters(tree)
    for name, values in wanted.items():
        if name not in known:
            raise UserError(f"the parameter tree has no parameter {name!r}; it has: {', '.join(known)}")
        unknown = next((value for value in values if value not in known[name]), None)
        if unknown is not None:
            raise UserError(
                f"parameter {name!r} of the tree has no value {unknown!r}; it has: {', '.join(known[name])}"
            )


def _narrowed(parameter: Parameter, wanted: Mapping[str, Sequence[str]]) -> Parameter | None:
    """Return a parameter with what is left of its values; None if nothing is."""
    kept: list[Value] = []
    for value in parameter.values:
        inner = [_narrowed(each, wanted) for each in value.parameters]
        left = tuple(each for each in inner if each is not None)
        if value.name in wanted.get(parameter.name, (value.name,)) and len(left) == len(inner):
            kept.append(Value(value.name, left))
    return Parameter(parameter.name, tuple(kept)) if kept else None


def having(tree: Parameter, named: Iterable[str]) -> Parameter:
    """Return a tree without the values that lack parameters which other values of the same parameter open.

    Values of parameters that are named themselves stay, and so do all of a parameter of which no value opens them all.
    """
    return _having(tree, {parameter_name(name) for name in named})


def _having(parameter: Parameter, named: Set[str]) -> Parameter:
    values = [Value(each.name, tuple(_having(inner, named) for inner in each.parameters)) for each in parameter.values]
    opened = [named & {name for inner in each.parameters for name in parameters(inner)} for each in values]
    wanted = set[str]() if parameter.name in named else set[str]().union(*opened)
    kept = tuple(value for value, found in zip(values, opened, strict=True) if wanted <= found)
    return Parameter(parameter.name, kept or tuple(values))


def complete(tree: Parameter, given: Mapping[str, Any]) -> Combination:
    """Return the one combination of a tree that has the given values."""
    left = combinations(narrow(tree, given))
    if len(left) > 1:
        open_ = [name for name in left[0][0] if len({chosen.get(name) for chosen, _ in left}) > 1]
        raise UserError(f"{len(left)} combinations of the parameter tree are left; also set: {', '.join(open_)}")
    return left[0][0]


def format_tree(tree: Parameter, *, paper: bool = False, chosen: Mapping[str, str] | None = None) -> str:
    """Return a tree as text: a line for each parameter, in brackets, and for each value."""
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
