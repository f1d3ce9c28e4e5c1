"""Settings of the world and the scripted players, which several commands share."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import fields, replace
from typing import Annotated, Any, Protocol, TypeVar

from pydantic import BeforeValidator

from rlhf.records.episode import WORLD_OPTIONS, Episode
from rlhf.run.setting_forms import OwnSettings
from worlds import registry
from worlds.checks.problems import check_conforms, refuse, space_problems
from worlds.contract import SETTER, SOLVER, World, WorldError
from worlds.contract.own_settings import own_settings
from worlds.contract.tiers import RECORDED, SEEDED
from worlds.errors import UserError
from worlds.foreign_code.faults import named_failure
from worlds.ranges import Count, Weight
from worlds.registry import WorldEntry
from worlds.settings import settings
from worlds.spaces.differences import differences
from worlds.spaces.observation import PlayerSpec

Settings = TypeVar("Settings", "WorldConfig", "PlayersConfig")


class MadeForSpaces(Protocol):
    """Configuration of an agent, as far as its spaces are concerned."""

    @property
    def player(self) -> PlayerSpec: ...


@settings
class WorldConfig:
    """A world and its settings.

    A setting that is None comes from the play settings of the agent or dataset (see ``play_settings``), or else is the
    default.

    Args:
      name: name of the registered world, path of the Python file that registers it, or an environment as gym:ID,
        pettingzoo:MODULE or FILE.py:CLASS; playhouse by default.
      height: height of the image in pixels; 72 by default.
      width: width of the image in pixels; 96 by default.
      settings: the world's own settings for sampling a house, e.g. {"rooms": [1, 1]}.
      options: the world's own settings for playing in it, e.g. {"fov_y_deg": 60}.
    """

    name: str | None = None
    height: Count | None = None
    width: Count | None = None
    settings: OwnSettings = None
    options: OwnSettings = None

    def __post_init__(self) -> None:
        if self.name is not None:
            object.__setattr__(self, "name", registry.absolute_name(self.name))

    def or_else(self, other: WorldConfig) -> WorldConfig:
        """Return this world, with None replaced from ``other``; if its name differs, only the size of the image."""
        if not self.is_the_world_of(other):
            other = WorldConfig(height=other.height, width=other.width)
        return _filled(self, other)

    def is_the_world_of(self, other: WorldConfig) -> bool:
        """Return True if both name the same world, or one of them names none."""
        if None in (self.name, other.name) or self.name == other.name:
            return True
        try:
            return self.entry().name == other.entry().name  # one name may be the file that registers it
        except WorldError:
            return False

    def complete(self) -> WorldConfig:
        """Return this world, with None replaced by the default."""
        return _filled(self, DEFAULT_WORLD)

    @property
    def world_name(self) -> str:
        """The registered name."""
        return self.name or _DEFAULT_NAME

    @property
    def image_size(self) -> tuple[int, int]:
        """(height, width) of the solver's view, in pixels."""
        height, width = _DEFAULT_SIZE
        return (height if self.height is None else self.height, width if self.width is None else self.width)

    def by_name(self) -> WorldConfig:
        """Return the same with the registered name instead of a file, as files may be moved."""
        return replace(self, name=self.entry().name)

    def sampling(self) -> dict[str, Any]:
        """Return the settings for sampling a house; none if they are None."""
        return dict(self.settings or {})

    def play_options(self) -> dict[str, Any]:
        """Return the settings for playing; none if they are None."""
        return dict(self.options or {})

    def entry(self) -> WorldEntry:
        """Return the registered world."""
        return registry.get(self.world_name)

    def make(self, count: int, images: bool = True, setter_sees: bool = False) -> list[World]:
        """Create ``count`` worlds.

        Args:
          count: their number.
          images: draw what the solver sees; False saves time where only scripted players play.
          setter_sees: draw what the setter sees, too.
        """
        entry, settings = self.entry(), self._making(images, setter_sees)
        entry.check_tier(SEEDED, "playing in it")
        with named_failure(entry.name, "making the world"):
            worlds = [entry.make(**settings) for _ in range(count)]
        if worlds:
            refuse(entry.name, space_problems(worlds[0], *self.image_size))
        return worlds

    def check(self, step_limit_sec: float | None = None) -> None:
        """Create the world, reset it and play a step, so that a world that cannot be played is refused at once.

        Args:
          step_limit_sec: seconds that the reset and the step may take; None sets no limit.

        Raises:
          UserError: a setting is not one of the world's.
          WorldError: the world does not keep the contract, or its code fails.
        """
        check_conforms(self.entry(), self._making(images=True), self.sample_config(0), step_limit_sec)

    def _making(self, images: bool, setter_sees: bool = False) -> dict[str, Any]:
        """Return the keywords that the world is created with."""
        (height, width), options = self.image_size, self.play_options()
        views = ((SETTER,) if setter_sees else ()) + ((SOLVER,) if images else ())
        given = {"height": height, "width": width, "views": views}
        check_names(self.entry().make, options, given, "world.options")
        return given | options

    @contextmanager
    def opened(self, count: int, images: bool = True, setter_sees: bool = False) -> Iterator[list[World]]:
        """Create worlds as :meth:`make` does, and close them at the end of the block."""
        with ExitStack() as opened:
            worlds = self.make(count, images, setter_sees)
            for world in worlds:
                opened.callback(world.close)
            yield worlds

    def solver_spec(self) -> PlayerSpec:
        """Return the spaces of the solver in this world."""
        return self.player_spec(SOLVER)

    def player_spec(self, role: str) -> PlayerSpec:
        """Return the spaces of a player in this world, the solver or the setter."""
        entry = self.entry()
        with named_failure(entry.name, "declaring its spaces"):
            return entry.player_specs(**self._making(images=False))[role]

    def check_fits(self, config: MadeForSpaces, agent: object, hint: str = "", role: str = SOLVER) -> None:
        """Refuse an agent that is made for other spaces than those of a player in this world.

        Args:
          config: the agent's.
          agent: its folder, for the message.
          hint: what the user can do; by default, where only the size of the images differs, the flags that set it.
          role: the player.

        Raises:
          UserError: naming the differences.
        """
        wanted, found = config.player, self.player_spec(role)
        if wanted == found:
            return
        theirs, mine = wanted.observation.image, found.observation.image
        if theirs is not None and mine is not None and _with_image_of(found, wanted) == wanted:
            hint = hint or f"use --world.height {theirs.height} --world.width {theirs.width}"
            raise UserError(
                f"{agent} was made for images of {theirs.height}x{theirs.width} pixels, the world's are "
                f"{mine.height}x{mine.width}; {hint}"
            )
        different = differences(wanted, found)
        more = f" (and {len(different) - 1} more)" if len(different) > 1 else ""
        name = self.entry().name
        raise UserError(
            f"{agent} was made for other spaces than those of the world {name}: {different[0]}{more}; "
            f"{hint or 'name an agent that was cloned from play in it'}"
        )

    def check_known(self, world: str | None, data: object) -> None:
        """Refuse to replay play of a world that is not known here, so that there is nothing but its recordings.

        Args:
          world: name of the world of the recordings.
          data: their dataset, for the message.

        Raises:
          UserError: there is no such world.
        """
        if world is None or world == self.entry().name:
            return
        try:
            registry.get(world)
        except WorldError:
            raise UserError(
                f"{data} holds play of the world {world!r}, which is not known here, so that its tier is {RECORDED}; "
                f"replay needs the tier {SEEDED}: name the file that registers that world with --world.name"
            ) from None

    def note(self) -> dict[str, Any]:
        """Return the notes of recordings made with these settings, for :meth:`check_recorded`."""
        return {WORLD_OPTIONS: self.play_options()}

    def check_recorded(self, episode: Episode, data: object) -> None:
        """Check that ``episode`` was not recorded in this world with other options: its replay would look different.

        Args:
          episode: recorded episode. One without a note of options passes.
          data: its dataset, for the message.

        Raises:
          UserError: naming both options.
        """
        recorded, mine = episode.notes.get(WORLD_OPTIONS), self.note()[WORLD_OPTIONS]
        if episode.world == self.entry().name and recorded is not None and recorded != mine:
            raise UserError(
                f"{data} was recorded with world.options {json.dumps(recorded)}, this is to be played with "
                f"{json.dumps(mine)}; use --world.options '{json.dumps(recorded)}'"
            )

    def sample_config(self, seed: int) -> dict[str, Any]:
        """Sample a configuration of the world, e.g. a house, from ``seed``."""
        entry, settings = self.entry(), self.sampling()
        with named_failure(entry.name, f"sampling the place of seed {seed}"):
            return entry.sample_config(seed, **settings)


def _with_image_of(found: PlayerSpec, wanted: PlayerSpec) -> PlayerSpec:
    return replace(found, observation=replace(found.observation, image=wanted.observation.image))


_DEFAULT_NAME, _DEFAULT_SIZE = "playhouse", (72, 96)
DEFAULT_WORLD = WorldConfig(_DEFAULT_NAME, *_DEFAULT_SIZE, settings={}, options={})


def _from_text(given: Any) -> Any:
    return own_settings(given, example='{"lift": 1, "tower": 2}') if isinstance(given, str) else given


@settings
class PlayersConfig:
    """Settings of the scripted players.

    A setting that is None comes from the play settings of the agent or dataset, or else is the default.

    Args:
      tasks: relative frequency of each kind of request, e.g. lift=1 tower=2; kinds that are not named are not
        requested. By default all probes of the world, equally often.
      setter: the scripted setter's own settings, e.g. {"pause": [1, 3]}.
      solver: the scripted solver's own settings, e.g. {"reaction": 0}.
    """

    tasks: Annotated[Mapping[str, Weight] | None, BeforeValidator(_from_text)] = None
    setter: OwnSettings = None
    solver: OwnSettings = None

    def or_else(self, other: PlayersConfig) -> PlayersConfig:
        """Return these players, with None replaced from ``other``."""
        return _filled(self, other)

    def complete(self) -> PlayersConfig:
        """Return these players, with None replaced by the default."""
        return _filled(self, DEFAULT_PLAYERS)

    def weights(self, entry: WorldEntry) -> dict[str, float]:
        """Return the relative frequency of each kind of request in a world."""
        return dict.fromkeys(entry.probes, 1.0) if self.tasks is None else dict(self.tasks)

    def of_world(self, entry: WorldEntry) -> PlayersConfig:
        """Return the same with the default of ``tasks`` replaced by the probes of a world."""
        return replace(self, tasks=self.weights(entry))

    def setter_settings(self) -> dict[str, Any]:
        """Return the setter's settings. Raises UserError for those that are set elsewhere."""
        settings = dict(self.setter or {})
        for name, instead in (("tasks", "players.tasks"), ("split", "split")):
            if name in settings:
                raise UserError(f"players.setter: {name} is not set here but by --{instead}")
        return settings

    def solver_settings(self) -> dict[str, Any]:
        """Return the solver's settings."""
        return dict(self.solver or {})

    def demonstrator_settings(self, name: str) -> dict[str, Any]:
        """Return the settings of the demonstrator "scripted", or of "perfect", which has no imperfections."""
        perfect = name == "perfect"
        return {**({} if perfect else self.solver_settings()), "perfect": perfect}


DEFAULT_PLAYERS = PlayersConfig(setter={}, solver={})


def _filled(settings: Settings, other: Settings) -> Settings:
    """Return ``settings``, with None replaced from ``other``."""
    missing = [field.name for field in fields(settings) if getattr(settings, field.name) is None]
    return replace(settings, **{name: getattr(other, name) for name in missing})


def check_names(make: Callable[..., Any], settings: Mapping[str, Any], given: Collection[str], where: str) -> None:
    """Check the names of settings against a callable's keywords.

    A callable that accepts any keyword has to refuse unknown ones itself.

    Args:
      make: callable that gets the settings.
      settings: settings by name.
      given: names of keywords that the command gives.
      where: name of the setting that holds them, for the message.

    Raises:
      UserError: for the first name that is unknown or given by the command.
    """
    parameters = inspect.signature(make).parameters
    known = [name for name in parameters if name not in given]
    for name in settings:
        if name in given:
            raise UserError(f"{where}: {name} is not set here but by the command")
        if name not in known and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            raise UserError(f"{where}: no setting {name}; known: {', '.join(known)}")
