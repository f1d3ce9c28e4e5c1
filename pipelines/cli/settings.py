"""Words of a command line to one frozen configuration.

Words become values of the settings that they name; pydantic converts and checks them (:mod:`worlds.settings`).
"""

from __future__ import annotations

import difflib
import functools
import json
import tomllib
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from pipelines.cli import own_settings
from pipelines.cli.docstrings import arguments
from pipelines.cli.usage import UsageError
from rlhf.run.setting_forms import Form, Without
from worlds.errors import UserError
from worlds.settings import BadValue, from_words, shortened

Config = TypeVar("Config")
HELP = ("-h", "--help")
_FILES = {".json": json.loads, ".toml": tomllib.loads}


@dataclass(frozen=True)
class Setting:
    """One setting of a configuration.

    Args:
      name: dotted name, as in the configuration, e.g. "learner.lambda_".
      hint: annotation, with its range.
      default: value where it is not given; MISSING if it must be given.
      about: description, from the docstring of its class.
      group: dotted name and description of every group around it, the innermost last.
    """

    name: str
    hint: Any
    default: Any = MISSING
    about: str = ""
    group: tuple[tuple[str, str], ...] = ()

    @property
    def flag(self) -> str:
        """The setting as typed, e.g. "--learner.lambda" for "learner.lambda_", as "lambda" is a Python keyword."""
        return "--" + ".".join(part.rstrip("_") for part in self.name.split(".")).replace("_", "-")

    @property
    def form(self) -> Form | None:
        """How it is typed, where its type does not say."""
        return next((mark for mark in getattr(self.hint, "__metadata__", ()) if isinstance(mark, Form)), None)

    @property
    def by_place(self) -> bool:
        """Whether it has no flag."""
        return self.form is not None and self.form.by_place


def parse(
    kind: type[Config], words: Sequence[str], *, command: str, default: Config | None = None, about: str = ""
) -> Config:
    """Parse the words of a command line into a configuration.

    Settings are written ``--a.b=c`` or ``--a.b c``; switches also ``--flag`` and ``--no-flag``; sequences ``--x 1 2``
    or ``--x=1,2``; mappings ``--x a=1 b=2``, ``--x a 1 b 2``, ``--x=a=1,b=2``, as JSON, or as a JSON or TOML file.

    Args:
      kind: class of the configuration.
      words: words of the command line.
      command: the command before ``words``, e.g. "rlhf record".
      default: configuration that ``words`` override; None starts from the class's defaults.
      about: line of the help text.

    Raises:
      UsageError: for a setting that does not exist, a value of the wrong kind or out of its range, or a name that is
        given two values.
      UserError: for settings that contradict each other.
      SystemExit: with status 0, after ``--help``.
    """
    every = list(all_settings(kind, default))
    if not set(HELP).isdisjoint(words):
        from pipelines.cli.help_text import help_text

        print(help_text(kind, every, words, command, default, about))
        raise SystemExit(0)
    line = _Line({name: one for one in every if not one.by_place for name in (one.name, _plain(one.flag))}, command)
    own = own_settings.Own(line.known, words, default)
    by_place = line.read(words, own)
    values = line.values | own.values() | _placed(by_place, [one for one in every if one.by_place], command)
    needed = [one for one in every if one.default is MISSING and one.name not in values] if default is None else []
    if needed:
        names = " and ".join(one.form.metavar if one.form and one.by_place else one.flag for one in needed)
        raise UsageError(f"{command} needs {names}" + ("" if needed[0].by_place else f" (see {command} --help)"))
    try:
        return _made(kind, default, values)
    except ValueError as error:
        raise UsageError(f"{' '.join(str(error).split())} (see {command} --help)") from None


def settings_of(kind: type, default: Any = None) -> Iterator[Setting]:
    """Yield all settings of a dataclass that have flags, including those of nested dataclasses."""
    return (setting for setting in all_settings(kind, default) if not setting.by_place)


def all_settings(
    kind: type, default: Any = None, prefix: str = "", group: tuple[tuple[str, str], ...] = ()
) -> Iterator[Setting]:
    """Yield all settings of a dataclass, including those of nested dataclasses and those without flags.

    Args:
      kind: class of the configuration.
      default: its default value, which decides the classes of nested settings; None takes the class's defaults.
      prefix: dotted prefix of the names.
      group: name and description of the groups around it.
    """
    hints, about = _hints(kind), arguments(kind)
    for one in fields(kind):
        if not one.init:
            continue
        name, hint = prefix + one.name, hints[one.name]
        value = _default(one) if default is None else getattr(default, one.name)
        if not is_dataclass(value):
            yield Setting(name, hint, value, about.get(one.name, ""), group)
            continue
        given = [mark.names for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, Without)]
        hidden = {f"{name}.{each}" for each in frozenset().union(*given)}
        inner = all_settings(type(value), value, f"{name}.", (*group, (name, about.get(one.name, ""))))
        yield from (setting for setting in inner if not any(f"{setting.name}.".startswith(f"{h}.") for h in hidden))


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _default(one: Field[Any]) -> Any:
    return one.default if one.default_factory is MISSING else one.default_factory()


def _made(kind: type, default: Any, values: Mapping[str, Any]) -> Any:
    """Return a configuration with some values by dotted name, over its default."""
    found = {name: value for name, value in values.items() if "." not in name}
    groups = {name.partition(".")[0] for name in values if "." in name}
    for one in fields(kind):
        if one.name in groups:
            inner = {n.partition(".")[2]: value for n, value in values.items() if n.startswith(f"{one.name}.")}
            base = _default(one) if default is None else getattr(default, one.name)
            found[one.name] = _made(type(base), base, inner)
    return kind(**found) if default is None else replace(default, **found)


@dataclass
class _Line:
    """Values of the settings that the words of a command line name.

    Args:
      known: settings by their names and by their flags, both with "_" for "-" and without the flag's dashes.
      command: the command, for messages.
      values: what is found, by name.
    """

    known: Mapping[str, Setting]
    command: str
    values: dict[str, Any] = field(default_factory=dict)

    def read(self, words: Sequence[str], own: own_settings.Own) -> list[str]:
        """Take the values of all flags, and return the words that belong to none."""
        rest, remaining = [], list(words)
        while remaining:
            word = remaining.pop(0)
            if not word.startswith("--") or word == "--":
                rest.append(word)
                continue
            flag, equals, value = word.partition("=")
            setting = self.known.get(_plain(flag)) or self._switched_off(flag)
            declared = None if setting else own.find(flag)
            found = setting or declared
            if found is None:
                raise UsageError(self._no_such(flag))
            hint = found.hint
            switched = hint is bool and remaining[:1] not in (["true"], ["false"])
            most = 0 if equals or switched else most_values(hint)
            given = _split(value, hint) if equals else []
            while remaining and len(given) < most and not remaining[0].startswith("--"):
                given.append(remaining.pop(0))
            if isinstance(found, own_settings.OwnSetting):
                own.take(flag, found, given)
            elif own.holds(found.name):
                own.whole(found.name, value_of(hint, given, flag))
            else:
                self._take(found, given, flag)
        return rest

    def _take(self, setting: Setting, given: list[str], flag: str) -> None:
        value, before = value_of(setting.hint, given, flag), self.values.get(setting.name)
        if is_mapping(setting.hint) and before and value:
            for name in before.keys() & value.keys():
                raise UsageError(_twice(setting.flag, name, before[name], value[name]))
            value = {**before, **value}
        self.values[setting.name] = value

    def _switched_off(self, flag: str) -> Setting | None:
        group, dot, last = _plain(flag).rpartition(".")
        setting = self.known.get(f"{group}{dot}{last.removeprefix('no_')}")
        return setting if setting is not None and setting.hint is bool else None

    def _no_such(self, flag: str) -> str:
        """Return the message about a setting that does not exist, with the most similar one if there is one."""
        name, known = _plain(flag), self.known
        last = {candidate.rpartition(".")[2]: candidate for candidate in known}  # the group is often left out
        close = difflib.get_close_matches(name, known, n=1) or [
            last[match] for match in difflib.get_close_matches(name.rpartition(".")[2], last, n=1)
        ]
        hint = (
            f"did you mean {known[close[0]].flag.removeprefix('--')}?" if close else f"{self.command} --help lists them"
        )
        return f"no setting {flag.removeprefix('--')}; {hint}"


def _placed(words: list[str], places: Sequence[Setting], command: str) -> dict[str, Any]:
    """Return the values of settings without flags."""
    found: dict[str, Any] = {}
    for setting in places:
        count = len(words) if is_sequence(setting.hint) else 1
        if given := words[:count]:
            found[setting.name] = value_of(setting.hint, given, setting.form.metavar if setting.form else "")
        words = words[count:]
    if words:
        raise UsageError(f"{words[0]} belongs to no setting (see {command} --help)")
    return found


def _plain(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def _split(value: str, hint: Any) -> list[str]:
    several = is_sequence(hint) or (is_mapping(hint) and not value.lstrip().startswith("{"))
    return [part for part in value.split(",") if part] if several else [value]


def value_of(hint: Any, words: Sequence[str], flag: str) -> Any:
    """Convert the words behind a flag to a value.

    Args:
      hint: annotation of the setting.
      words: the words; of a switch, none or one.
      flag: the flag as typed; a name with "no-" makes a switch without a word False.

    Raises:
      UsageError: if the words are no such value.
    """
    if list(words) == ["None"] and type(None) in _members(hint):
        return None
    data: Any = list(words)
    if bool in _members(hint) and not words:
        return not flag.rpartition(".")[2].removeprefix("--").startswith("no-")
    if is_mapping(hint):
        data = _by_name(hint, words, flag)
    elif not words:
        raise UsageError(f"{flag} needs {'at least one' if is_sequence(hint) else 'a'} value")
    elif is_sequence(hint):
        if len(words) != most_values(hint) < float("inf"):
            raise UsageError(f"{flag} is {form_of(hint)}, not {shortened(' '.join(words))}")
    elif len(words) == 1:
        data = words[0]
    try:
        return from_words(hint, data, flag)
    except BadValue as error:
        raise UsageError(str(error)) from None


def _by_name(hint: Any, words: Sequence[str], flag: str) -> dict[str, Any]:
    """Return words as a mapping: a JSON object, the name of a file with one, or names and values."""
    text = " ".join(words)
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{flag} is not JSON ({error})") from None
    if len(words) == 1 and (suffix := Path(text).suffix) in _FILES:
        try:
            return _FILES[suffix](Path(text).expanduser().read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise UserError(f"{flag}: {text} cannot be read ({error}); name a JSON or TOML file") from None
    if any(Any in get_args(member) for member in _members(hint)):  # words do not say the types of its values
        raise UsageError(f"{flag} is a JSON object, or a file with one, not {shortened(text)}")
    found: dict[str, str] = {}
    values = iter(words)
    for word in values:
        name, equals, value = word.partition("=")
        value = value if equals else next(values, "")
        if not name or not value:
            raise UsageError(f"{flag}: {shortened(word)} has no value; write {flag} NAME=VALUE NAME=VALUE ...")
        if name in found:
            raise UsageError(_twice(flag, name, found[name], value))
        found[name] = value
    return found


def _twice(flag: str, name: str, one: Any, other: Any) -> str:
    return f"{flag} names {name} twice: {one} and {other}; give each its own name"


def most_values(hint: Any) -> float:
    """Return the largest number of words after the flag of a setting."""
    for member in _members(hint):
        inner = get_args(member)
        if get_origin(member) is tuple and Ellipsis not in inner:
            return len(inner)
    return float("inf") if is_sequence(hint) or is_mapping(hint) else 1


def form_of(hint: Any) -> str:
    """Return the placeholder of the words of an annotation, e.g. "INT INT"."""
    if get_origin(hint) is Annotated:
        marks = [mark.metavar for mark in hint.__metadata__ if isinstance(mark, Form)]
        return marks[0] if marks else form_of(get_args(hint)[0])
    origin, members = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return "|".join("None" if member is type(None) else form_of(member) for member in members)
    if origin is Literal:
        return "{" + ",".join(map(str, members)) + "}"
    if is_sequence(hint):
        each = [form_of(member) for member in members if member is not Ellipsis] or ["NAME"]
        return " ".join(each) if origin is tuple and Ellipsis not in members else f"{each[0]} [{each[0]} ...]"
    if is_mapping(hint):
        return "JSON" if Any in members or not members else f"NAME={form_of(members[1])} ..."
    return {int: "INT", float: "FLOAT", bool: "[true|false]", str: "NAME", Path: "PATH"}.get(hint, "JSON")


def _members(hint: Any) -> tuple[Any, ...]:
    """Return the members of a union, without their ranges; of any other annotation, itself."""
    if get_origin(hint) is Annotated:
        return _members(get_args(hint)[0])
    if get_origin(hint) in (Union, types.UnionType):
        return tuple(inner for member in get_args(hint) for inner in _members(member))
    return (hint,)


def is_sequence(hint: Any) -> bool:
    """Return True if a setting of this annotation takes several words."""
    return any((get_origin(member) or member) in (tuple, list, Sequence, frozenset) for member in _members(hint))


def is_mapping(hint: Any) -> bool:
    """Return True if ``hint`` maps names to values."""
    return any((get_origin(member) or member) in (Mapping, dict) for member in _members(hint))
