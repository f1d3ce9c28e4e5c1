"""Settings of play that are remembered: where agents and datasets were played, as the defaults of what follows.

`rlhf record` notes them in ``dataset.json``, `rlhf clone` and `rlhf improve` beside the agent that learned from it.
A setting that is typed, or given by a preset, wins; then come the agent, the dataset and the default, in an order that
each command chooses::

    settings = settle(PlaySettings(config.world, config.players), of_agent(folder), of_datasets(data))
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
from rlhf.records.json_records import BadRecord, from_json, to_json, with_new_settings
from rlhf.run.progress import announce
from rlhf.store import ParquetStore, open_store
from rlhf.store.description import DESCRIPTION_FILE
from worlds import registry
from worlds.errors import UserError


@dataclass(frozen=True)
class PlaySettings:
    """Where play happens and who the scripted people are; None where a setting is not known."""

    world: WorldConfig = field(default_factory=WorldConfig)
    players: PlayersConfig = field(default_factory=PlayersConfig)

    def or_else(self, other: PlaySettings) -> PlaySettings:
        """These settings, with what is None as ``other`` has it; scripted people of another world are no help."""
        world = self.world.or_else(other.world)
        same = self.world.is_the_world_of(other.world)
        return PlaySettings(world, self.players.or_else(other.players) if same else self.players)

    def complete(self) -> PlaySettings:
        """These settings, with the default where something is None."""
        return PlaySettings(self.world.complete(), self.players.complete())


UNKNOWN = PlaySettings()


def resolve_play_settings(given: PlaySettings, *remembered: PlaySettings) -> PlaySettings:
    """The settings to play with: those that are ``given``, then those of each that remembers some, then the default."""
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
    """``config`` with world and players as :func:`settle` says."""
    settings = resolve_play_settings(PlaySettings(config.world, config.players), *remembered)
    return replace(config, world=settings.world, players=settings.players)  # type: ignore[type-var]


def settings_of_agent(folder: str | Path) -> PlaySettings:
    """The settings of the play that the agent in ``folder`` learned from; all None where it does not say.

    Raises:
      UserError: if the file that says so is damaged.
    """
    try:
        noted = load_play_settings(folder)
    except ValueError as error:
        raise UserError(f"{error}; put back a copy of it, or remove it and name the world yourself") from None
    return UNKNOWN if noted is None else _from_json(noted, Path(folder) / PLAY_SETTINGS_FILE)


def settings_of_dataset(folder: Path) -> tuple[PlaySettings, ...]:
    """The settings that the play in the dataset ``folder`` was recorded with, in the order in which they came.

    A dataset of play from elsewhere, or of an older version, has none noted; its first episode says what it can. There
    are none where there is no dataset, or nothing in it.

    Raises:
      UserError: if what is noted is damaged.
    """
    folder = folder.expanduser()
    if not (folder / DESCRIPTION_FILE).is_file():
        return ()
    store = open_store(folder)
    noted = store.description.play_settings
    return tuple(_from_json(one, folder / DESCRIPTION_FILE) for one in noted) or _as_recorded(store)


def _as_recorded(store: ParquetStore) -> tuple[PlaySettings, ...]:
    """What the first episode of ``store`` says of its world; nothing of a world that cannot be played here."""
    ids, about = store.ids(), store.description
    if not ids or about.world not in registry.names() or about.image_size is None:
        return ()
    options = store.read_transcript(ids[0]).notes.get(WORLD_OPTIONS)
    height, width = about.image_size
    return (PlaySettings(WorldConfig(about.world, height, width, options=options)),)


def settings_of_datasets(folders: Sequence[Path], given: PlaySettings = UNKNOWN) -> PlaySettings:
    """The settings of the first play in the datasets.

    Args:
      folders: of the datasets, in the order of their importance.
      given: settings that come before these. Where they leave open what play in the datasets differs in, that is
        announced.
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
            f"play in {where} differs in {', '.join(dict.fromkeys(different))}; that of the first episodes is taken"
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
        return from_json(PlaySettings, with_new_settings(PlaySettings, noted))
    except BadRecord as error:
        raise UserError(f"{path} is damaged (settings of play: {error}); put back a copy of it") from None


def world_differences(here: WorldConfig, remembered: WorldConfig) -> list[str]:
    """What of ``here`` is not as it is ``remembered``, for people: e.g. "rooms [1, 5] instead of [1, 1]".

    Nothing is said of what is not remembered.
    """
    here, there = here.complete(), remembered
    if not here.is_the_world_of(there):
        return [f"world {here.name} instead of {there.name}"]
    said = []
    if None not in (there.height, there.width) and here.image_size != there.image_size:
        said.append(f"{_pixels(here)} pixels instead of {_pixels(there)}")
    if there.settings is not None:
        said += _differences(here.sampling(), there.sampling())
    if there.options is not None:
        said += _differences(here.play_options(), there.play_options())
    return said


def _pixels(world: WorldConfig) -> str:
    height, width = world.image_size
    return f"{height}x{width}"


def _differences(here: Mapping[str, Any], there: Mapping[str, Any]) -> list[str]:
    names = [name for name in dict.fromkeys([*here, *there]) if here.get(name) != there.get(name)]
    return [f"{name} {_value(here, name)} instead of {_value(there, name)}" for name in names]


def _value(settings: Mapping[str, Any], name: str) -> str:
    return json.dumps(settings[name], ensure_ascii=False) if name in settings else "the default"


def announce_world_differences(doing: str, here: WorldConfig, remembered: WorldConfig, whose: str) -> None:
    """Say in one line where play happens in other places than ``whose``, e.g. "the agent learned in"."""
    if different := world_differences(here, remembered):
        announce(f"{doing} in other places than {whose}: {', '.join(different)}")


def world_flags(world: WorldConfig, remembered: WorldConfig) -> str:
    """The settings of ``world`` that differ from those ``remembered``, as one types them."""
    world, remembered = world.complete(), remembered.complete()
    pairs = [(f.name, getattr(world, f.name), getattr(remembered, f.name)) for f in fields(WorldConfig)]
    return "".join(f" --world.{name} {shlex.quote(_typed(mine))}" for name, mine, theirs in pairs if mine != theirs)


def _typed(value: Any) -> str:
    return json.dumps(dict(value)) if isinstance(value, Mapping) else str(value)
