"""Parsing of a command line into one frozen configuration.

tyro documents the settings and creates the configuration; this module checks the words first, so that errors are one
line each.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import io
import itertools
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import tyro
from tyro.constructors import PrimitiveConstructorSpec

from agents.ranges import ranges_of, refusal, shortened
from pipelines.cli import own_settings
from pipelines.cli.shown import SHOWN, others, part_of
from pipelines.cli.typed_words import members_of, value_of
from pipelines.cli.usage import UsageError
from rlhf.records.json_records import earlier_names
from rlhf.run.terminal import Unguarded

Config = TypeVar("Config")


def parse(
    kind: type[Config], words: Sequence[str], *, command: str, default: Config | None = None, about: str = ""
) -> Config:
    """Parse the words of a command line into a configuration.

    Settings are written ``--a.b=c`` or ``--a.b c``; switches also ``--flag`` and ``--no-flag``; sequences ``--x 1 2``
    or ``--x=1,2``; mappings ``--x a=1 b=2``, ``--x a 1 b 2`` or ``--x=a=1,b=2``.

    Args:
      kind: class of the configuration.
      words: words of the command line.
      command: the command before ``words``, e.g. "rlhf record".
      default: configuration that ``words`` override; None starts from the class's defaults.
      about: line of the help text.

    Raises:
      UsageError: for a setting that does not exist, a value of the wrong kind, a number outside the range of its
        setting, or a name that is given two values.
      UserError: for settings that contradict each other.
      SystemExit: with status 0, after ``--help``.
    """
    known = _by_typed_name(settings_of(kind, default))
    words = own_settings.expand(words, {setting.name for setting in known.values()}, default)
    words = _pair_up([word for typed in words for word in _translate(typed, known, command)], known)
    if {"-h", "--help"}.isdisjoint(words):
        _check_words(words, kind, known, command, default)
    shown = None if {"-h", "--help"}.isdisjoint(words) or "all" in words else SHOWN.get(kind.__name__)
    parsed, start = (kind, default) if shown is None else part_of(kind, default, shown)
    try:
        coloured: Any = Unguarded(sys.stdout)  # the help is tyro's text
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(coloured):
            return tyro.cli(
                tyro.conf.AvoidSubcommands[parsed],  # type: ignore[valid-type]
                args=words if shown is None else ["--help"],
                default=tyro.MISSING_NONPROP if start is None else start,
                prog=command,
                description=about or None,
            )
    except SystemExit as stop:
        if not stop.code:
            names = list(dict.fromkeys(setting.name for setting in known.values()))
            print(own_settings.help_text(set(names), words, default))
            if shown is not None:
                print(others(names, shown, command))
            raise
        raise UsageError(f"{_refusal(stop)} (see {command} --help)") from None


def _refusal(error: BaseException | None) -> str:
    """Return the message of the ValueError, e.g. of a configuration, that led to ``error``."""
    while error is not None and not isinstance(error, ValueError):
        error = error.__context__
    return " ".join(str(error or "").split()) or "the command line cannot be understood"


@dataclass(frozen=True)
class Setting:
    """One setting of a configuration.

    Args:
      name: dotted name, as in the configuration, e.g. "learner.lambda_".
      hint: annotation; ``str`` for a value with its own format, e.g. a JSON object.
      ranges: annotation with the ranges of its numbers; see :mod:`agents.ranges`.
      earlier: dotted names in earlier versions.
    """

    name: str
    hint: Any
    ranges: Any = None
    earlier: tuple[str, ...] = ()

    @property
    def flag(self) -> str:
        """The setting as typed, e.g. "--learner.lambda" for "learner.lambda_", as "lambda" is a Python keyword."""
        return "--" + ".".join(part.rstrip("_") for part in self.name.split(".")).replace("_", "-")


def settings_of(kind: type, default: Any = None, prefix: str = "") -> Iterator[Setting]:
    """Yield all settings of a dataclass that have flags, including those of nested dataclasses.

    Positional fields have no flag.

    Args:
      kind: class of the configuration.
      default: its default value, which decides the classes of nested settings; None leaves them as annotated.
      prefix: dotted prefix of the names.
    """
    hints, annotated = _annotations(kind)
    for field in fields(kind):
        marks = _marks(annotated[field.name])
        if not field.init or tyro.conf.Positional in marks:
            continue
        value = getattr(default, field.name, None)
        nested = type(value) if is_dataclass(value) else hints[field.name]
        if is_dataclass(nested) and isinstance(nested, type):
            yield from settings_of(nested, value, f"{prefix}{field.name}.")
        else:
            own_form = any(isinstance(mark, PrimitiveConstructorSpec) for mark in marks)
            hint, ranges = (str, str) if own_form else (nested, annotated[field.name])
            earlier = tuple(prefix + old for old, new in earlier_names(kind).items() if new == field.name)
            yield Setting(prefix + field.name, hint, ranges, earlier)


@functools.cache
def _annotations(kind: type) -> tuple[dict[str, Any], dict[str, Any]]:
    return get_type_hints(kind), get_type_hints(kind, include_extras=True)


def _by_typed_name(settings: Iterable[Setting]) -> dict[str, Setting]:
    """Return settings by their names and by their flags, both with "_" for "-" and without the flag's dashes."""
    known = {}
    for setting in settings:
        known[setting.name] = known[_plain(setting.flag)] = setting
    return known


def _plain(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def _translate(word: str, known: Mapping[str, Setting], command: str) -> list[str]:
    """Translate a typed word into words for tyro. Raises UsageError if it names a setting that does not exist."""
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
    """Collect all pairs of each mapping behind one flag, as NAME VALUE.

    Raises:
      UsageError: for a name without a value, or with two, of which tyro would keep the last without a message.
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


def _check_words(words: Sequence[str], kind: type, known: Mapping[str, Setting], command: str, default: Any) -> None:
    """Check every word before the configuration is created: tyro's own messages are boxes of many lines.

    Raises:
      UsageError: for a value of the wrong type or out of range, a missing one, and a word that belongs to no setting.
    """
    by_position, remaining = [], list(words)
    while remaining:
        flag, equals, value = remaining.pop(0).partition("=")
        setting = known.get(_plain(flag)) if flag.startswith("--") else None
        if setting is None or setting.hint is bool:
            by_position += [] if flag.startswith("--") else [flag + equals + value]
            continue
        values, most = [value] if equals else [], 0 if equals else _most_values(setting.hint)
        while remaining and len(values) < most and not remaining[0].startswith("--"):
            values.append(remaining.pop(0))
        _check_values(setting, values, command)
    _check_positions(by_position, kind, command, default)
    _check_required({word.partition("=")[0] for word in words}, kind, command, default)


def _check_values(setting: Setting, values: Sequence[str], command: str) -> None:
    """Check the values of one setting; those of mappings are pairs already. Raises UsageError naming the flag."""
    if _is_mapping(setting.hint):
        return
    if not values:
        raise UsageError(f"{setting.flag} needs {'at least one' if _is_sequence(setting.hint) else 'a'} value")
    for value in values:
        _check_number(setting, value, command)
    value_of(setting.hint, values, setting.flag)


def _check_positions(words: Sequence[str], kind: type, command: str, default: Any) -> None:
    """Check the number of words without a flag. Raises UsageError for one too many, and for those that are missing."""
    hints, annotated = _annotations(kind)
    places = [field for field in fields(kind) if tyro.conf.Positional in _marks(annotated[field.name])]
    single = [field for field in places if not _is_sequence(hints[field.name])]
    if len(words) > len(places) == len(single):
        raise UsageError(f"{words[len(places)]} belongs to no setting (see {command} --help)")
    if missing := [field for field in single[len(words) :] if _is_required(field) and default is None]:
        raise UsageError(f"{command} needs {' and '.join(_metavar(annotated[field.name]) for field in missing)}")


def _check_required(flags: Collection[str], kind: type, command: str, default: Any) -> None:
    """Check that settings without a default are given. Raises UsageError naming those that are not."""
    places = {field.name for field in fields(kind) if tyro.conf.Positional in _marks(_annotations(kind)[1][field.name])}
    wanted = [Setting(f.name, None).flag for f in fields(kind) if _is_required(f) and f.name not in places]
    if default is None and (missing := [flag for flag in wanted if flag not in flags]):
        raise UsageError(f"{command} needs {' and '.join(missing)} (see {command} --help)")


def _is_required(field: Field[Any]) -> bool:
    return field.init and field.default is field.default_factory is MISSING


def _metavar(annotated: Any) -> str:
    """Return the name of a setting without a flag in the help text."""
    return next(mark.metavar for mark in _marks(annotated) if hasattr(mark, "metavar"))


def _marks(annotated: Any) -> tuple[Any, ...]:
    return getattr(annotated, "__metadata__", ())


def _check_number(setting: Setting, text: str, command: str) -> None:
    kinds = list(ranges_of(setting.ranges))
    if not kinds or _allows_text(setting.hint) or (text == "None" and type(None) in members_of(setting.hint)):
        return
    kind, own = kinds[0]
    try:
        number = kind(text)
    except ValueError:
        raise UsageError(
            f"{setting.flag} is {'a whole number' if kind is int else 'a number'}, not {shortened(text)} "
            f"(see {command} --help)"
        ) from None
    if refused := own.refusal(number) if own is not None else refusal(kind, number):
        raise UsageError(f"{setting.flag} is {refused}")


def _most_values(hint: Any) -> float:
    """Return the largest number of words after the flag of a setting of this annotation."""
    if not _is_sequence(hint) and not _is_mapping(hint):
        return 1
    members = get_args(hint)
    return len(members) if get_origin(hint) is tuple and Ellipsis not in members else float("inf")


def _allows_text(hint: Any) -> bool:
    return hint in (str, Path) or any(_allows_text(member) for member in get_args(hint))


def _switch(setting: Setting, value: str) -> str:
    """Return ``--a.flag`` or ``--a.no-flag`` for a value such as "true" or "0"."""
    if value_of(bool, [value], setting.flag):
        return setting.flag
    group, dot, last = setting.flag.removeprefix("--").rpartition(".")
    return f"--{group}{dot}no-{last}"


def _without_no(name: str) -> str:
    """Return ``a.flag`` for ``a.no_flag``; other names as they are."""
    group, dot, last = name.rpartition(".")
    return f"{group}{dot}{last.removeprefix('no_')}"


def _is_sequence(hint: Any) -> bool:
    """Return True if ``hint`` is a tuple or list, or a union with one."""
    return any(get_origin(member) in (tuple, list) for member in members_of(hint))


def _is_mapping(hint: Any) -> bool:
    """Return True if ``hint`` maps names to values."""
    return get_origin(hint) in (Mapping, dict)


def _no_such(typed: str, known: Mapping[str, Setting], command: str) -> str:
    """Return the message about a setting that does not exist, with the most similar one if there is one."""
    name = _plain(typed)
    for setting in known.values():
        if name in setting.earlier:
            return f"no setting {typed.removeprefix('--')}; it is called {setting.flag.removeprefix('--')} now"
    last = {candidate.rpartition(".")[2]: candidate for candidate in known}  # the group is often left out
    close = difflib.get_close_matches(name, known, n=1) or [
        last[match] for match in difflib.get_close_matches(name.rpartition(".")[2], last, n=1)
    ]
    hint = f"did you mean {known[close[0]].flag.removeprefix('--')}?" if close else f"{command} --help lists them"
    return f"no setting {typed.removeprefix('--')}; {hint}"
