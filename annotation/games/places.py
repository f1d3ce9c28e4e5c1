"""Places of people's games: the settings with which houses are sampled, the world's options, and whose they are.

A game takes each from the first that knows it: the project, as the study's leader set it; the agent, from the play that
it learned from; the dataset; the other datasets of the study, where they agree; the world's defaults.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from agents.play_settings import PLAY_SETTINGS_FILE, load_play_settings
from rlhf.records.episode import WORLD_OPTIONS
from rlhf.store import EpisodeStore, ParquetStore
from rlhf.store.folder.description import DESCRIPTION_FILE
from worlds import registry
from worlds.checks.problems import check_conforms
from worlds.contract.own_settings import own_settings
from worlds.errors import UserError
from worlds.foreign_code.faults import named_failure
from worlds.registry import WorldEntry

DEFAULT_WORLD = "playhouse"
PLACE_SETTINGS = "place_settings"  # in the notes of an episode: the settings with which its place was sampled
_LONGEST = 300  # characters of settings in a line

Origin = Literal["project", "agent", "dataset", "study", "default"]


@dataclass(frozen=True)
class KnownPlaces:
    """What a project, an agent or a dataset knows of places; None where it does not."""

    world: str | None = None
    settings: Mapping[str, Any] | None = None
    options: Mapping[str, Any] | None = None

    @classmethod
    def of_play_settings(cls, noted: Mapping[str, Any], path: str) -> KnownPlaces:
        """Read them from the settings of play that agents and datasets keep. Raises UserError if they are damaged."""
        try:
            world = noted["world"]
            name = world["name"]
            found = {part: None if world[part] is None else own_settings(world[part], part) for part in _PARTS}
        except (KeyError, TypeError, UserError) as error:
            raise UserError(f"{path} is damaged (settings of play: {error}); put back a copy of it") from None
        return cls(name if isinstance(name, str) else None, **found)

    def in_world(self, world: str) -> KnownPlaces:
        """Return the same; nothing if they are of another world than ``world``."""
        return self if self.world in (None, world) else KnownPlaces()

    @property
    def known(self) -> bool:
        """True if anything is known."""
        return self.settings is not None or self.options is not None


_PARTS = ("settings", "options")
UNKNOWN = KnownPlaces()


@dataclass(frozen=True)
class Sources:
    """Everything that may say where a game is played; see the module.

    Args:
      agent: the play that the agent learned from; None without an agent.
      agent_name: name of the agent for people; "" where it is hidden.
    """

    project: KnownPlaces = UNKNOWN
    agent: KnownPlaces | None = None
    dataset: KnownPlaces = UNKNOWN
    study: KnownPlaces = UNKNOWN
    agent_name: str = ""

    def by_priority(self) -> list[tuple[Origin, KnownPlaces]]:
        """Return the sources, the one that decides first."""
        agent = UNKNOWN if self.agent is None else self.agent
        return [("project", self.project), ("agent", agent), ("dataset", self.dataset), ("study", self.study)]


@dataclass(frozen=True)
class Places:
    """Where a game is played."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    settings_of: Origin = "default"
    options_of: Origin = "default"
    line: str = ""


def choose_places(world: str, sources: Sources, blind: bool = False) -> Places:
    """Return where a game in ``world`` is played.

    Args:
      blind: the people must not recognise the agent, so the line has neither its name nor its settings.
    """
    chosen: dict[str, tuple[Origin, Mapping[str, Any]]] = {}
    for origin, known in sources.by_priority():
        for part in _PARTS:
            value = getattr(known.in_world(world), part)
            if value is not None:
                chosen.setdefault(part, (origin, value))
    (settings_of, settings), (options_of, options) = (chosen.get(part, ("default", {})) for part in _PARTS)
    line = _line(world, sources, settings_of, settings, options, blind)
    return Places(settings, options, settings_of, options_of, line)


def _line(
    world: str,
    sources: Sources,
    origin: Origin,
    settings: Mapping[str, Any],
    options: Mapping[str, Any],
    blind: bool,
) -> str:
    what = "Houses" if world == DEFAULT_WORLD else "Places"
    agent = f"the agent {sources.agent_name}" if sources.agent_name and not blind else "the agent"
    whose: Mapping[Origin, str] = {
        "project": "as the study's leader set them",
        "agent": f"in which {agent} learned",
        "dataset": "as recorded in this dataset",
        "study": "as recorded in the study's other datasets",
        "default": "of the world's default settings",
    }
    hidden = blind and sources.agent is not None
    details = "" if hidden else in_words({**settings, **options})
    sentence = f"{what} {whose[origin]}{f': {details}' if details else ''}."
    if sources.agent is not None and not sources.agent.in_world(world).known and not blind:
        other = (
            f"learned in the world {sources.agent.world}" if sources.agent.known else "does not say where it learned"
        )
        sentence += f" {agent[0].upper()}{agent[1:]} {other} ({PLAY_SETTINGS_FILE} in its folder)."
    return sentence


def in_words(settings: Mapping[str, Any]) -> str:
    """Return settings as people read them, e.g. "rooms 1, objects 3 to 4, sizes large"."""
    words = ", ".join(f"{name.replace('_', ' ')} {_value(value)}" for name, value in settings.items())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST].rstrip()}…"


def _value(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return " or ".join(value)
    numbers = value if isinstance(value, list) and len(value) == 2 else [value, value]
    if all(type(one) in (int, float) for one in numbers) and numbers[0] <= numbers[1]:
        return f"{numbers[0]:g}" if numbers[0] == numbers[1] else f"{numbers[0]:g} to {numbers[1]:g}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def places_of_agent(folder: Path) -> KnownPlaces:
    """Return the places of the play that the agent in ``folder`` learned from; nothing in folders of older versions.

    Raises UserError if the file that says so is damaged.
    """
    try:
        noted = load_play_settings(folder)
    except ValueError as error:
        raise UserError(f"{error}; put back a copy of it, or remove it") from None
    return UNKNOWN if noted is None else KnownPlaces.of_play_settings(noted, f"{folder}/{PLAY_SETTINGS_FILE}")


def places_of_dataset(store: EpisodeStore | None, world: str) -> KnownPlaces:
    """Return the places of a dataset of ``world``: settings of its first play, options of its last episode.

    What its description says that cannot be read is not known.
    """
    if store is None:
        return UNKNOWN
    first = UNKNOWN
    if isinstance(store, ParquetStore) and store.description.play_settings:
        try:
            noted = store.description.play_settings[0]
            first = KnownPlaces.of_play_settings(noted, f"{store}/{DESCRIPTION_FILE}")
        except UserError:
            first = UNKNOWN
    rows = store.rows()
    if not rows:
        return first
    options = store.read_transcript(rows[-1].episode_id).notes.get(WORLD_OPTIONS)
    return KnownPlaces(world, first.settings, first.options if options is None else options)


def common_places(found: Iterable[KnownPlaces], world: str = DEFAULT_WORLD) -> KnownPlaces:
    """Return the places of ``world`` on which all that know any agree; nothing if they differ."""
    known = [each for each in found if each.world == world and each.settings is not None]
    return known[0] if known and all(each == known[0] for each in known) else UNKNOWN


def check_places(world: str, places: KnownPlaces, height: int, width: int) -> None:
    """Sample a place with settings, and play a step in it, so that impossible ones are refused at once.

    Args:
      height: of the images, pixels.
      width: of the images, pixels.

    Raises UserError if a setting is not one of the world's, or has an impossible value.
    """
    entry = registry.get(world)
    place = sample_place(entry, 0, places.settings or {})
    check_conforms(entry, {"height": height, "width": width, **(places.options or {})}, place)


def sample_place(entry: WorldEntry, seed: int, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Sample the place of a seed, in which people play, with ``settings``."""
    with named_failure(entry.name, f"sampling the place of seed {seed}"):
        return entry.sample_config(seed, **{**entry.people_settings, **settings})
