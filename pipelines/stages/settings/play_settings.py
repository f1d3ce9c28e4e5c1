"""Play settings: the world and players of agents and datasets, which later commands use as defaults.

`rlhf record` saves them in ``dataset.json``, `rlhf clone` and `rlhf improve` beside the agent that learned from it.
A setting that is typed, or given by a preset, comes first; then agent, dataset and default, in an order that each
command chooses::

    given = PlaySettings(config.world, config.players)
    settings = resolve_play_settings(given, settings_of_agent(folder), settings_of_datasets(data))
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from agents.play_settings import PLAY_SETTINGS_FILE, load_play_settings
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.records.episode import WORLD_OPTIONS
from rlhf.records.json_records import from_json, to_json
from rlhf.run.progress import announce
from rlhf.store import ParquetStore, open_store
from rlhf.store.folder.description import DESCRIPTION_FILE
from worlds import registry
from worlds.errors import UserError
from worlds.settings import BadValue


@dataclass(frozen=True)
class PlaySettings:
    """World and scripted players of play; None where a setting is not known."""

    world: WorldConfig = field(default_factory=WorldConfig)
    players: PlayersConfig = field(default_factory=PlayersConfig)

    def or_else(self, other: PlaySettings) -> PlaySettings:
        """Return these settings, with None replaced from ``other``; players only if both are of the same world."""
        world = self.world.or_else(other.world)
        same = self.world.is_the_world_of(other.world)
        return PlaySettings(world, self.players.or_else(other.players) if same else self.players)

    def complete(self) -> PlaySettings:
        """Return these settings, with None replaced by the default."""
        return PlaySettings(self.world.complete(), self.players.complete())


UNKNOWN = PlaySettings()


def resolve_play_settings(given: PlaySettings, *remembered: PlaySettings) -> PlaySettings:
    """Return the settings to play with: ``given``, completed by each of ``remembered`` in turn, then by the default."""
    for one in remembered:
        given = given.or_else(one)
    return given.complete()


class PlayingConfig(Protocol):
    """Settings of a command that plays."""

    @property
    def world(self) -> WorldConfig: ...
    @property
    def players(self) -> PlayersConfig: ...


Command = TypeVar("Command", bound=PlayingConfig)


def with_play_settings(config: Command, *remembered: PlaySettings) -> Command:
    """Return ``config`` with world and players from :func:`resolve_play_settings`."""
    settings = resolve_play_settings(PlaySettings(config.world, config.players), *remembered)
    return replace(config, world=settings.world, players=settings.players)  # type: ignore[type-var]


def settings_of_agent(folder: str | Path) -> PlaySettings:
    """Return the settings of the play that the agent in ``folder`` learned from; all None if they are not saved.

    Raises:
      UserError: if the file of settings is damaged.
    """
    try:
        noted = load_play_settings(folder)
    except ValueError as error:
        raise UserError(f"{error}; put back a copy of it, or remove it and name the world yourself") from None
    return UNKNOWN if noted is None else _from_json(noted, Path(folder) / PLAY_SETTINGS_FILE)


def settings_of_dataset(folder: Path) -> tuple[PlaySettings, ...]:
    """Return the settings that play in the dataset ``folder`` was recorded with, in the order of recording.

    A dataset of imported play, or of an older version, has none saved; some are known from its first episode. A folder
    without episodes has none.

    Raises:
      UserError: if the saved settings are damaged.
    """
    folder = folder.expanduser()
    if not (folder / DESCRIPTION_FILE).is_file():
        return ()
    store = open_store(folder)
    noted = store.description.play_settings
    return tuple(_from_json(one, folder / DESCRIPTION_FILE) for one in noted) or _as_recorded(store)


def _as_recorded(store: ParquetStore) -> tuple[PlaySettings, ...]:
    """Return the settings known from the first episode of ``store``; none if its world is not registered."""
    ids, about = store.ids(), store.description
    if not ids or about.world not in registry.names():
        return ()
    options = store.read_transcript(ids[0]).notes.get(WORLD_OPTIONS)
    height, width = about.image_size or (None, None)
    return (PlaySettings(WorldConfig(about.world, height, width, options=options)),)


def settings_of_datasets(folders: Sequence[Path], given: PlaySettings = UNKNOWN) -> PlaySettings:
    """Return the settings of the first play in the datasets.

    Args:
      folders: dataset folders, by priority.
      given: settings of higher priority. A difference between datasets is announced if these do not decide it.
    """
    found = [settings for folder in folders for settings in settings_of_dataset(folder)]
    if not found:
        return UNKNOWN
    first, *others = found
    undecided = {name for name, value in _named(given) if value is None}
    different = [name for other in others for name in _differing(first, other) if name in undecided]
    if different:
        where = ", ".join(map(str, folders))
        announce(
            f"play in {where} differs in {', '.join(dict.fromkeys(different))}; that of the first episodes is used"
        )
    for other in others:
        first = first.or_else(other)
    return first


def _differing(one: PlaySettings, other: PlaySettings) -> list[str]:
    """Names of the settings that are known of both and differ."""
    pairs = zip(_named(one), _named(other), strict=True)
    return [name for (name, mine), (_, theirs) in pairs if None not in (mine, theirs) and mine != theirs]


def _named(settings: PlaySettings) -> list[tuple[str, Any]]:
    """Dotted name and value of every setting."""
    groups = (("world", settings.world), ("players", settings.players))
    return [(f"{group}.{one.name}", getattr(each, one.name)) for group, each in groups for one in fields(each)]


def note_settings(store: ParquetStore, settings: PlaySettings) -> None:
    """Write down in ``store`` that its play was recorded with ``settings``."""
    store.note_play_settings(to_json(settings))


def _from_json(noted: Mapping[str, Any], path: Path) -> PlaySettings:
    try:
        return from_json(PlaySettings, noted)
    except BadValue as error:
        raise UserError(f"{path} is damaged (settings of play: {error}); put back a copy of it") from None


def world_differences(here: WorldConfig, remembered: WorldConfig) -> list[str]:
    """List the settings in which ``here`` differs from ``remembered``, e.g. "rooms [1, 5] instead of [1, 1]".

    Settings that are None in ``remembered`` are not compared.
    """
    here, there = here.complete(), remembered
    if not here.is_the_world_of(there):
        return [f"world {here.name} instead of {there.name}"]
    found = []
    if None not in (there.height, there.width) and here.image_size != there.image_size:
        found.append(f"{_pixels(here)} pixels instead of {_pixels(there)}")
    if there.settings is not None:
        found += _differences(here.sampling(), there.sampling())
    if there.options is not None:
        found += _differences(here.play_options(), there.play_options())
    return found


def _pixels(world: WorldConfig) -> str:
    height, width = world.image_size
    return f"{height}x{width}"


def _differences(here: Mapping[str, Any], there: Mapping[str, Any]) -> list[str]:
    names = [name for name in dict.fromkeys([*here, *there]) if here.get(name) != there.get(name)]
    return [f"{name} {_value(here, name)} instead of {_value(there, name)}" for name in names]


def _value(settings: Mapping[str, Any], name: str) -> str:
    return json.dumps(settings[name], ensure_ascii=False) if name in settings else "the default"


def announce_world_differences(doing: str, here: WorldConfig, remembered: WorldConfig, whose: str) -> None:
    """Announce differences from a remembered world.

    Args:
      doing: name of the activity, e.g. "recording".
      here: world of the activity.
      remembered: world to compare with.
      whose: clause that names it, e.g. "the agent learned in".
    """
    if different := world_differences(here, remembered):
        announce(f"{doing} in other places than {whose}: {', '.join(different)}")


def world_flags(world: WorldConfig, remembered: WorldConfig) -> str:
    """Return the flags of the settings in which ``world`` differs from ``remembered``."""
    world, remembered = world.complete(), remembered.complete()
    pairs = [(f.name, getattr(world, f.name), getattr(remembered, f.name)) for f in fields(WorldConfig)]
    return "".join(f" --world.{name} {shlex.quote(_typed(mine))}" for name, mine, theirs in pairs if mine != theirs)


def _typed(value: Any) -> str:
    return json.dumps(dict(value)) if isinstance(value, Mapping) else str(value)
