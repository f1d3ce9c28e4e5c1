"""From the words of a command line to one frozen configuration.

tyro parses and documents the settings; this module sees to it that whatever is wrong with them is said in one line.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import itertools
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import tyro
from tyro.constructors import PrimitiveConstructorSpec

from rlhf.usage import UsageError

Config = TypeVar("Config")

_SAID = {  # Python's and tyro's words for a value of the wrong kind, and ours
    ": invalid literal for int() with base 10: ": " is a whole number, not ",
    ": could not convert string to float: ": " is a number, not ",
}


def parse(
    kind: type[Config], words: Sequence[str], *, command: str, default: Config | None = None, about: str = ""
) -> Config:
    """The configuration that ``words`` ask for, starting from ``default`` (or from the class's own defaults).

    Settings are written ``--a.b=c`` or ``--a.b c``; switches also ``--flag`` and ``--no-flag``; sequences ``--x 1 2``
    or ``--x=1,2``; what maps names to values ``--x a=1 b=2``, ``--x a 1 b 2`` or ``--x=a=1,b=2``.

    Args:
      command: what the user typed before ``words``, e.g. "rlhf record".
      about: a line for the help text.

    Raises:
      UsageError: for a setting that does not exist, a value of the wrong kind, or a name that is given two values.
      SystemExit: with status 0, after ``--help``.
    """
    known = dict(settings_of(kind, default))
    words = _pair_up([word for typed in words for word in _translate(typed, known, command)], known)
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return tyro.cli(
                tyro.conf.AvoidSubcommands[kind],  # type: ignore[valid-type]
                args=words,
                default=tyro.MISSING_NONPROP if default is None else default,
                prog=command,
                description=about or None,
            )
    except SystemExit as stop:
        if not stop.code:
            raise
        raise UsageError(f"{_gist(complaint.getvalue())} (see {command} --help)") from None


def settings_of(kind: type, default: Any = None, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted name and annotation of every setting of the dataclass ``kind``, those of nested dataclasses included.

    Fields that are given by their position have no name on the command line. What is written in a form of its own (a
    JSON object, for example) has the annotation ``str``.
    """
    hints, annotated = get_type_hints(kind), get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        if not field.init or tyro.conf.Positional in getattr(annotated[field.name], "__metadata__", ()):
            continue
        value = getattr(default, field.name, None)
        nested = type(value) if is_dataclass(value) else hints[field.name]
        if is_dataclass(nested) and isinstance(nested, type):
            yield from settings_of(nested, value, f"{prefix}{field.name}.")
        else:
            marks = getattr(annotated[field.name], "__metadata__", ())
            own_form = any(isinstance(mark, PrimitiveConstructorSpec) for mark in marks)
            yield prefix + field.name, str if own_form else nested


def _translate(word: str, known: Mapping[str, Any], command: str) -> list[str]:
    """One typed word as the words tyro wants. Raises UsageError if it names a setting that does not exist."""
    if not word.startswith("--") or word in ("--", "--help"):
        return [word]
    typed, equals, value = word[2:].partition("=")
    name = typed.replace("-", "_")
    if name not in known:
        if _without_no(name) in known and not equals:
            return [word]
        raise UsageError(_no_such(typed, known, command))
    if equals and known[name] is bool:
        return [_switch(typed, value)]
    if equals and (_is_sequence(known[name]) or _is_mapping(known[name])):
        return [f"--{typed}", *(part for part in value.split(",") if part)]
    return [word]


def _pair_up(words: Sequence[str], known: Mapping[str, Any]) -> list[str]:
    """``words`` with all pairs of every setting that maps names to values behind its one flag, as NAME VALUE.

    Raises:
      UsageError: for a name without a value, or with two: a parser of mappings keeps the last and is silent.
    """
    plain: list[str] = []
    pairs: dict[str, dict[str, str]] = {}
    flag = ""
    values = iter(words)
    for word in values:
        if word.startswith("--"):
            name = word[2:].replace("-", "_")
            flag = f"--{name.replace('_', '-')}" if _is_mapping(known.get(name)) else ""
            if flag:
                pairs.setdefault(flag, {})
            else:
                plain.append(word)
        elif flag:
            name, equals, value = word.partition("=")
            value = value if equals else next(values, "")
            if not name or not value or value.startswith("--"):
                raise UsageError(f"{flag}: {word} has no value; write {flag} NAME=VALUE NAME=VALUE ...")
            if name in pairs[flag]:
                raise UsageError(f"{flag} names {name} twice: {pairs[flag][name]} and {value}; give each its own name")
            pairs[flag][name] = value
        else:
            plain.append(word)
    return plain + [word for flag, named in pairs.items() for word in (flag, *itertools.chain(*named.items()))]


def _switch(typed: str, value: str) -> str:
    """``--a.flag`` or ``--a.no-flag`` for a value such as "true" or "0"."""
    if value.lower() in ("true", "1", "yes", "on"):
        return f"--{typed}"
    if value.lower() in ("false", "0", "no", "off"):
        group, dot, last = typed.rpartition(".")
        return f"--{group}{dot}no-{last}"
    raise UsageError(f"--{typed} is true or false, not {value!r}")


def _without_no(name: str) -> str:
    """``a.flag`` for ``a.no_flag``; other names as they are."""
    group, dot, last = name.rpartition(".")
    return f"{group}{dot}{last.removeprefix('no_')}"


def _is_sequence(hint: Any) -> bool:
    """Whether ``hint`` is a tuple or list, or may be one."""
    if get_origin(hint) in (Union, types.UnionType):
        return any(_is_sequence(member) for member in get_args(hint))
    return get_origin(hint) in (tuple, list)


def _is_mapping(hint: Any) -> bool:
    """Whether ``hint`` maps names to values."""
    return get_origin(hint) in (Mapping, dict)


def _no_such(typed: str, known: Mapping[str, Any], command: str) -> str:
    """What to say of a setting that does not exist: the likeliest meant one, if any is like it."""
    name = typed.replace("-", "_")
    last = {candidate.rpartition(".")[2]: candidate for candidate in known}  # people forget the group
    close = difflib.get_close_matches(name, known, n=1) or [
        last[match] for match in difflib.get_close_matches(name.rpartition(".")[2], last, n=1)
    ]
    mend = f"did you mean {close[0].replace('_', '-')}?" if close else f"{command} --help lists them"
    return f"no setting {typed}; {mend}"


def _gist(box: str) -> str:
    """The first paragraph inside the box that tyro draws around a complaint, below its title, on one line."""
    texts = [line.strip(" │╭╮╰╯─|+-") for line in box.strip().splitlines()]
    below = itertools.dropwhile(lambda text: not text, texts[1:])
    gist = " ".join(itertools.takewhile(bool, below)).rstrip(".").removeprefix("Error parsing ")
    for words, said in _SAID.items():
        gist = gist.replace(words, said)
    return gist or "the command line cannot be understood"
