"""Own settings of a world, its scripted players or an agent's network, as flags: ``--world.rooms 1 3``.

In the configuration they are one mapping each (``world.settings``, ``world.options``, ``players.setter``,
``players.solver``, ``network``). Names and types are those that the world or the agent declares
(:attr:`worlds.registry.WorldEntry.declares`).
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import partial
from typing import Any, get_type_hints

from pipelines.cli.docstrings import arguments
from pipelines.cli.usage import UsageError
from worlds import registry
from worlds.contract import WorldError

PARTS = {"world": ("settings", "options"), "players": ("setter", "solver"), "network": ("",)}
# Settings that have flags of their own, or that the command gives.
_NOT_OWN = ("self", "height", "width", "views", "settings", "tasks", "split", "seed", "perfect")


@dataclass(frozen=True)
class OwnSetting:
    """One setting that a world or an agent declares.

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
        from pipelines.cli.settings import form_of

        return form_of(self.hint)


def declared(world: str | None, group: str) -> dict[str, OwnSetting]:
    """Return the own settings of a world ("world"), its scripted players ("players") or an agent ("network"), by name.

    Args:
      world: name of the world, or its Python file; None is the Playhouse.
      group: one of :data:`PARTS`.

    Raises:
      WorldError: there is no such world.
    """
    if group == "network":
        return _of_a_network()
    entry = registry.get(world or "playhouse")
    found: dict[str, OwnSetting] = {}
    for part in PARTS[group]:
        for setting in _settings_of(entry.declares[part](), part):
            found.setdefault(setting.name, setting)
    return found


def _of_a_network() -> dict[str, OwnSetting]:
    from agents.config import AgentConfig  # these import much of `transformers`
    from pipelines.stages.agent_network import FIELDS

    about, hints = arguments(AgentConfig), get_type_hints(AgentConfig.__init__)
    return {name: OwnSetting(name, "", hints[name], one.default, about[name]) for name, one in FIELDS.items()}


class Own:
    """Own settings that a command line gives, whole and one by one.

    Args:
      fields: dotted names of the settings of the command.
      words: the words of its line.
      default: configuration that the words override, or None.
    """

    def __init__(self, fields: Collection[str], words: Sequence[str], default: Any) -> None:
        self.owners = sorted({owner for name in fields if (owner := _owner(name))}, key=len, reverse=True)
        self._words, self._default = words, default
        self._whole: dict[str, Mapping[str, Any] | None] = {}  # by the name of the field, e.g. "world.settings"
        self._single: dict[str, dict[str, Any]] = {}  # likewise

    def holds(self, name: str) -> bool:
        """Whether a setting is a mapping of own settings."""
        return _owner(name) in self.owners

    def whole(self, name: str, value: Mapping[str, Any] | None) -> None:
        """Take a whole mapping, which replaces the default and an earlier one."""
        self._whole[name] = value

    def find(self, flag: str) -> OwnSetting | None:
        """Return the setting of a flag, which may include its part (``--world.settings.rooms``).

        Returns None where the command has no such group. Raises UsageError for a name that the world does not declare.
        """
        name = flag.removeprefix("--").replace("-", "_")
        owner = next((one for one in self.owners if name.startswith(f"{one}.")), None)
        if owner is None:
            return None
        name, group, world = name.removeprefix(f"{owner}."), owner.rpartition(".")[2], self.world(owner)
        known = declared(world, group)
        part, dot, last = name.partition(".")
        wanted = last if dot and part in PARTS[group] else name
        if wanted not in known and wanted.removeprefix("no_") in known:
            wanted = wanted.removeprefix("no_")
        if wanted in known and (not dot or known[wanted].part == part):
            return known[wanted]
        fields = {"world": ("name", "height", "width"), "players": ("tasks",), "network": ()}[group]
        names = [*fields, *filter(None, PARTS[group]), *known]
        close = difflib.get_close_matches(wanted, names, n=1)
        hint = f"did you mean {owner}.{close[0].replace('_', '-')}? " if close else ""
        listed = ", ".join(one.replace("_", "-") for one in names)
        where = "agents" if group == "network" else world or "playhouse"
        raise UsageError(f"no setting {flag.removeprefix('--')}; {hint}known in {where}: {listed}")

    def take(self, flag: str, setting: OwnSetting, words: Sequence[str]) -> None:
        """Take the words behind the flag of one setting."""
        from pipelines.cli.settings import value_of

        name = flag.removeprefix("--").replace("-", "_")
        owner = next(one for one in self.owners if name.startswith(f"{one}."))
        value = value_of(setting.hint, words, flag)
        if owner.rpartition(".")[2] != "network":
            _check(self.world(owner), setting, value, flag)
        self._single.setdefault(f"{owner}.{setting.part}".rstrip("."), {})[setting.name] = value

    def values(self) -> dict[str, Any]:
        """Return each mapping: what was given whole, else the default, with what was given one by one."""
        found = {}
        for name in self._whole | self._single:
            base = self._whole[name] if name in self._whole else _value_at(self._default, name)
            found[name] = {**(base or {}), **self._single[name]} if name in self._single else base
        return found

    def world(self, owner: str) -> str | None:
        """Return the name of the world that the settings of ``owner`` are for: as typed, or as in the default."""
        stem = owner.rpartition(".")[0]
        flag = f"--{stem + '.' if stem else ''}world.name".replace("_", "-")
        for place, word in enumerate(self._words):
            if word.startswith(flag + "="):
                return word.partition("=")[2]
            if word == flag and place + 1 < len(self._words):
                return self._words[place + 1]
        return _value_at(self._default, flag.removeprefix("--").replace("-", "_"))


def _owner(name: str) -> str:
    """Return the group of own settings that the setting ``name`` holds; "" if it holds none."""
    if name.rpartition(".")[2] == "network":
        return name
    owner, _, part = name.rpartition(".")
    return owner if part in PARTS.get(owner.rpartition(".")[2], ()) else ""


def _value_at(config: Any, name: str) -> Any:
    """Return the value of the dotted setting ``name``; None if ``config`` has none."""
    for part in name.split("."):
        config = getattr(config, part, None)
    return config


def _check(world: str | None, setting: OwnSetting, value: Any, flag: str) -> None:
    """Refuse a value that a declared dataclass refuses, without creating the world. Raises UsageError."""
    declares: Any = registry.get(world or "playhouse").declares[setting.part]()
    if not (isinstance(declares, type) and is_dataclass(declares)):
        return
    try:
        declares(**{setting.name: value})
    except WorldError as error:
        raise UsageError(f"{flag}: {str(error).removeprefix(f'setting {setting.name}: ')}") from None


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
    about = arguments(inner)
    for name, one in parameters.items():
        if name in _NOT_OWN or one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL, one.POSITIONAL_ONLY):
            continue
        default = None if one.default is one.empty else one.default
        yield OwnSetting(name, part, hints.get(name, Any), default, about.get(name, ""))
