"""Own settings of a world or its scripted players, as typed flags: ``--world.rooms 1 3 --players.pause 1 2``.

For the parser of the command line they are one JSON object each (``--world.settings``, ``--world.options``,
``--players.setter``, ``--players.solver``). This module builds that object from flags, from a JSON or TOML file, or
from both. Names and types are those that the world declares (:attr:`worlds.registry.WorldEntry.declares`).
"""

from __future__ import annotations

import difflib
import inspect
import json
import re
import textwrap
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_type_hints

from pipelines.cli.typed_words import form_of, value_of
from pipelines.cli.usage import UsageError
from worlds import registry
from worlds.contract import WorldError
from worlds.errors import UserError

PARTS = {"world": ("settings", "options"), "players": ("setter", "solver")}
# Settings that have flags of their own, or that the command gives.
_NOT_OWN = ("self", "height", "width", "views", "settings", "tasks", "split", "seed", "perfect")
_FILES = (".json", ".toml")


@dataclass(frozen=True)
class OwnSetting:
    """One setting that a world declares.

    Args:
      name: name of the setting, e.g. "rooms".
      part: field of the configuration that holds it, e.g. "settings".
      hint: annotation of its values.
      default: value where it is not set.
      about: description, from the docstring of what declares it.
    """

    name: str
    part: str
    hint: Any
    default: Any
    about: str

    @property
    def form(self) -> str:
        """Placeholder of its values in the help text."""
        return form_of(self.hint)


def declared(world: str | None, group: str) -> dict[str, OwnSetting]:
    """Return the own settings of a world ("world") or of its scripted players ("players"), by name.

    Args:
      world: name of the world, or its Python file; None is the Playhouse.
      group: "world" or "players".

    Raises:
      WorldError: there is no such world.
    """
    entry = registry.get(world or "playhouse")
    found: dict[str, OwnSetting] = {}
    for part in PARTS[group]:
        for setting in _settings_of(entry.declares[part](), part):
            found.setdefault(setting.name, setting)
    return found


def expand(words: Sequence[str], fields: Collection[str], default: Any) -> list[str]:
    """Return ``words`` with all own settings of each world and group of players as one JSON object.

    An object replaces the default, and an object typed earlier. Flags change single settings of it, in any order.

    Args:
      words: the words of a command line.
      fields: dotted names of all settings of the command.
      default: configuration that the words override, or None.

    Raises:
      UsageError: for a name that the world does not declare, or a value of another type; the right ones are listed.
    """
    owners = {name.rpartition(".")[0] for name in fields if name.split(".")[-2:] in _HOLDERS}
    rest: list[str] = []
    whole: dict[str, dict[str, Any] | None] = {}  # by the name of the field, e.g. "world.settings"
    flagged: dict[str, dict[str, Any]] = {}  # likewise
    place = 0
    while place < len(words):
        word, place = words[place], place + 1
        flag, equals, value = word.partition("=")
        name = flag.removeprefix("--").replace("-", "_")
        owner = next((one for one in owners if name.startswith(one + ".")), None)
        if not word.startswith("--") or owner is None or (name in fields and name.split(".")[-2:] not in _HOLDERS):
            rest.append(word)
            continue
        values = value.split(",") if equals else []
        while not equals and place < len(words) and not words[place].startswith("--"):
            values, place = [*values, words[place]], place + 1
        if name in fields:
            text = value if equals else " ".join(values)
            whole[name] = _whole(text, flag) if text != "None" else None
            continue
        setting = _find(name.removeprefix(owner + "."), owner, _world(owner, words, default), flag)
        holder = f"{owner}.{setting.part}"
        flagged.setdefault(holder, {})[setting.name] = value_of(setting.hint, values, flag)
        _check(_world(owner, words, default), setting, flagged[holder], flag)
    for name in whole | flagged:
        settings = whole[name] if name in whole else _value_at(default, name)
        settings = {**(settings or {}), **flagged[name]} if name in flagged else settings
        rest.append(f"--{name}={'None' if settings is None else json.dumps(settings)}")
    return rest


_HOLDERS = [[group, part] for group, parts in PARTS.items() for part in parts]


def help_text(fields: Collection[str], words: Sequence[str], default: Any, width: int = 100) -> str:
    """Describe the flags of all own settings, for the end of a command's help; "" where there are none."""
    owners = sorted({name.rpartition(".")[0] for name in fields if name.split(".")[-2:] in _HOLDERS}, key=len)
    lines: list[str] = []
    for group in PARTS:
        flagged = [owner for owner in owners if owner.rpartition(".")[2] == group]
        if not flagged:
            continue
        world = _world(flagged[0], words, default)
        noun = "the world" if group == "world" else "the scripted players of the world"
        others = f"; also --{', --'.join(one + '.NAME' for one in flagged[1:])}" if flagged[1:] else ""
        lines.append(f"own settings of {noun} {world or 'playhouse'}{others}:")
        for setting in declared(world, group).values():
            lines.append(f"  --{flagged[0]}.{setting.name.replace('_', '-')} {setting.form}")
            about = f"{setting.about or 'no description'} (default: {_shown(setting.default)})"
            lines += textwrap.wrap(about, width, initial_indent=" " * 6, subsequent_indent=" " * 6)
        lines.append("")
    return "\n".join(lines)


def _check(world: str | None, setting: OwnSetting, settings: Mapping[str, Any], flag: str) -> None:
    """Refuse a value that a declared dataclass refuses, without creating the world. Raises UsageError."""
    declares: Any = registry.get(world or "playhouse").declares[setting.part]()
    if not (isinstance(declares, type) and is_dataclass(declares)):
        return
    try:
        declares(**{setting.name: settings[setting.name]})
    except WorldError as error:
        raise UsageError(f"{flag}: {str(error).removeprefix(f'setting {setting.name}: ')}") from None


def _find(name: str, owner: str, world: str | None, flag: str) -> OwnSetting:
    """Return the setting ``name``, which may include its part ("settings.rooms")."""
    group = owner.rpartition(".")[2]
    known = declared(world, group)
    part, dot, last = name.partition(".")
    wanted = last if dot and part in PARTS[group] else name
    if wanted not in known and wanted.removeprefix("no_") in known:
        wanted = wanted.removeprefix("no_")
    if wanted not in known or (dot and known[wanted].part != part):
        fields = ("name", "height", "width", *PARTS[group]) if group == "world" else ("tasks", *PARTS[group])
        close = difflib.get_close_matches(wanted, [*known, *fields], n=1)
        hint = f"did you mean {owner}.{close[0].replace('_', '-')}? " if close else ""
        listed = ", ".join(one.replace("_", "-") for one in (*fields, *known))
        raise UsageError(f"no setting {flag.removeprefix('--')}; {hint}known in {world or 'playhouse'}: {listed}")
    return known[wanted]


def _world(owner: str, words: Sequence[str], default: Any) -> str | None:
    """Return the name of the world that the settings of ``owner`` are for: as typed, or as in ``default``."""
    stem = owner.rpartition(".")[0]
    flag = f"--{stem + '.' if stem else ''}world.name".replace("_", "-")
    for place, word in enumerate(words):
        if word.startswith(flag + "="):
            return word.partition("=")[2]
        if word == flag and place + 1 < len(words):
            return words[place + 1]
    return _value_at(default, flag.removeprefix("--").replace("-", "_"))


def _value_at(config: Any, name: str) -> Any:
    """Return the value of the dotted setting ``name``; None if ``config`` has none."""
    for part in name.split("."):
        config = getattr(config, part, None)
    return config


def _whole(text: str, flag: str) -> dict[str, Any]:
    """Read an object from JSON text, or from a JSON or TOML file."""
    if not text.lstrip().startswith("{") and text.endswith(_FILES):
        try:
            content = Path(text).expanduser().read_text(encoding="utf-8")
            found = tomllib.loads(content) if text.endswith(".toml") else json.loads(content)
        except (OSError, ValueError) as error:
            raise UserError(f"{flag}: {text} cannot be read ({error}); name a JSON or TOML file") from None
        if not isinstance(found, dict):
            raise UserError(f"{flag}: {text} holds no JSON object")
        return found
    from worlds.contract.own_settings import own_settings

    return own_settings(text, flag.removeprefix("--"))


def _settings_of(declares: Callable[..., Any], part: str) -> Iterator[OwnSetting]:
    """Yield the settings that a callable or a dataclass has as keywords."""
    inner: Any = inspect.unwrap(declares)
    while isinstance(inner, partial):
        inner = inspect.unwrap(inner.func)
    init = inner.__init__ if isinstance(inner, type) else inner
    try:
        parameters = inspect.signature(declares).parameters
        hints = get_type_hints(inner if hasattr(inner, "__dataclass_fields__") else init)
    except (TypeError, ValueError, NameError):
        return
    about = _arguments(inspect.getdoc(inner) or "")
    for name, one in parameters.items():
        if name in _NOT_OWN or one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL, one.POSITIONAL_ONLY):
            continue
        default = None if one.default is one.empty else one.default
        yield OwnSetting(name, part, hints.get(name), default, about.get(name, ""))


def _arguments(docstring: str) -> dict[str, str]:
    """Return the description of each argument in a Google-style docstring."""
    section = re.search(r"^Args:\n((?:[ ]+.*\n?|\n)*)", docstring + "\n", re.MULTILINE)
    found: dict[str, str] = {}
    name = ""
    for line in textwrap.dedent(section[1]).splitlines() if section else ():
        if start := re.match(r"(\w+): (.*)", line):
            name, found[start[1]] = start[1], start[2]
        elif name and line.strip():
            found[name] += " " + line.strip()
    return {name: re.sub(r"``|:\w+:`~?([^`]*)`", r"\1", text) for name, text in found.items()}


def _shown(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return " ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
