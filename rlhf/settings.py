"""From the words of a command line to one frozen configuration.

tyro parses and documents the settings; this module sees to it that whatever is wrong with them is said in one line.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import itertools
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
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
    known = _by_typed_name(settings_of(kind, default))
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


@dataclass(frozen=True)
class Setting:
    """One setting of a configuration.

    Args:
      name: dotted, as the configuration has it, e.g. "learner.lambda_".
      hint: its annotation; ``str`` for what is written in a form of its own (a JSON object, for example).
    """

    name: str
    hint: Any

    @property
    def flag(self) -> str:
        """The setting as it is typed, e.g. "--learner.lambda": names that Python has for itself end in "_" there."""
        return "--" + ".".join(part.rstrip("_") for part in self.name.split(".")).replace("_", "-")


def settings_of(kind: type, default: Any = None, prefix: str = "") -> Iterator[Setting]:
    """Every setting of the dataclass ``kind`` that has a flag, those of nested dataclasses included.

    Fields that are given by their position have none.
    """
    hints, annotated = get_type_hints(kind), get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        marks = getattr(annotated[field.name], "__metadata__", ())
        if not field.init or tyro.conf.Positional in marks:
            continue
        value = getattr(default, field.name, None)
        nested = type(value) if is_dataclass(value) else hints[field.name]
        if is_dataclass(nested) and isinstance(nested, type):
            yield from settings_of(nested, value, f"{prefix}{field.name}.")
        else:
            own_form = any(isinstance(mark, PrimitiveConstructorSpec) for mark in marks)
            yield Setting(prefix + field.name, str if own_form else nested)


def _by_typed_name(settings: Iterable[Setting]) -> dict[str, Setting]:
    """Settings by their names and by their flags, both with "_" for "-" and without the flag's dashes."""
    known = {}
    for setting in settings:
        known[setting.name] = known[_plain(setting.flag)] = setting
    return known


def _plain(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def _translate(word: str, known: Mapping[str, Setting], command: str) -> list[str]:
    """One typed word as the words tyro wants. Raises UsageError if it names a setting that does not exist."""
    if not word.startswith("--") or word in ("--", "--help"):
        return [word]
    typed, equals, value = word.partition("=")
    setting = known.get(_plain(typed))
    if setting is None:
        if _without_no(_plain(typed)) in known and not equals:
            return [word]
        raise UsageError(_no_such(typed, known, command))
    if equals and setting.hint is bool:
        return [_switch(setting, value)]
    if equals and (_is_sequence(setting.hint) or _is_mapping(setting.hint)):
        return [setting.flag, *(part for part in value.split(",") if part)]
    return [setting.flag + equals + value]


def _pair_up(words: Sequence[str], known: Mapping[str, Setting]) -> list[str]:
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
            setting = known.get(_plain(word))
            flag = setting.flag if setting is not None and _is_mapping(setting.hint) else ""
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


def _switch(setting: Setting, value: str) -> str:
    """``--a.flag`` or ``--a.no-flag`` for a value such as "true" or "0"."""
    if value.lower() in ("true", "1", "yes", "on"):
        return setting.flag
    if value.lower() in ("false", "0", "no", "off"):
        group, dot, last = setting.flag.removeprefix("--").rpartition(".")
        return f"--{group}{dot}no-{last}"
    raise UsageError(f"{setting.flag} is true or false, not {value!r}")


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


def _no_such(typed: str, known: Mapping[str, Setting], command: str) -> str:
    """What to say of a setting that does not exist: the likeliest meant one, if any is like it."""
    name = _plain(typed)
    last = {candidate.rpartition(".")[2]: candidate for candidate in known}  # people forget the group
    close = difflib.get_close_matches(name, known, n=1) or [
        last[match] for match in difflib.get_close_matches(name.rpartition(".")[2], last, n=1)
    ]
    hint = f"did you mean {known[close[0]].flag.removeprefix('--')}?" if close else f"{command} --help lists them"
    return f"no setting {typed.removeprefix('--')}; {hint}"


def _gist(box: str) -> str:
    """The first paragraph inside the box that tyro draws around a complaint, below its title, on one line."""
    texts = [line.strip(" │╭╮╰╯─|") for line in box.strip().splitlines()]
    texts = [text if text.strip("-+") else "" for text in texts]  # a rule is no text, but "-1" at an end is
    below = itertools.dropwhile(lambda text: not text, texts[1:])
    gist = " ".join(itertools.takewhile(bool, below)).rstrip(".").removeprefix("Error parsing ")
    for words, said in _SAID.items():
        gist = gist.replace(words, said)
    return gist or "the command line cannot be understood"
