"""Which world is played, in which places, and what for: the part of a configuration that several journeys share."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

from tyro.constructors import PrimitiveConstructorSpec

from agents.ranges import Count, Weight, check_ranges
from rlhf.records.episode import WORLD_OPTIONS, Episode
from rlhf.run.setting_forms import OwnSettings
from worlds import registry
from worlds.conformance import check_conforms, refuse, space_problems
from worlds.contract import SOLVER, World, WorldError
from worlds.errors import UserError
from worlds.faults import named_failure
from worlds.own_settings import own_settings, read_own_settings
from worlds.plugins import FILE_SUFFIX
from worlds.registry import WorldEntry

Settings = TypeVar("Settings", "WorldConfig", "PlayersConfig")


@dataclass(frozen=True)
class WorldConfig:
    """A world and how its places are made.

    What is None is as the agent or the dataset at hand remembers it (see ``play_settings``), and else the
    default.

    Args:
      name: name of the registered world, or path of the Python file that registers it; playhouse by default.
      height: height of the image in pixels; 72 by default.
      width: width of the image in pixels; 96 by default.
      settings: the world's own settings for sampling a place, e.g. {"rooms": [1, 1]}.
      options: the world's own settings for playing in it, e.g. {"fov_y_deg": 60}.
    """

    name: str | None = None
    height: Count | None = None
    width: Count | None = None
    settings: OwnSettings = None
    options: OwnSettings = None

    def __post_init__(self) -> None:
        check_ranges(self, UserError)
        read_own_settings(self, "world", ("settings", "options"))
        # Other processes and resumed runs may begin in another folder.
        if self.name is not None and self.name.endswith(FILE_SUFFIX):
            object.__setattr__(self, "name", str(Path(self.name).absolute()))

    def or_else(self, other: WorldConfig) -> WorldConfig:
        """This world, with what is None as ``other`` has it; of a world of another name, only the image's size."""
        if not self.is_the_world_of(other):
            other = WorldConfig(height=other.height, width=other.width)
        return _filled(self, other)

    def is_the_world_of(self, other: WorldConfig) -> bool:
        """Whether both name the same world, as far as they name one."""
        if None in (self.name, other.name) or self.name == other.name:
            return True
        try:
            return self.entry().name == other.entry().name  # one may name the file that registers it
        except WorldError:
            return False

    def complete(self) -> WorldConfig:
        """This world, with the default where something is None."""
        return _filled(self, DEFAULT_WORLD)

    @property
    def world_name(self) -> str:
        """The registered name."""
        return self.name or _DEFAULT_NAME

    @property
    def image_size(self) -> tuple[int, int]:
        """Of the solver's view, (height, width) in pixels."""
        height, width = _DEFAULT_SIZE
        return (height if self.height is None else self.height, width if self.width is None else self.width)

    def by_name(self) -> WorldConfig:
        """The same with the name of the world, also where its file was given: files may be moved."""
        return replace(self, name=self.entry().name)

    def sampling(self) -> dict[str, Any]:
        """The settings for sampling a place; none where they are not known."""
        return dict(self.settings or {})

    def play_options(self) -> dict[str, Any]:
        """The settings for playing; none where they are not known."""
        return dict(self.options or {})

    def entry(self) -> WorldEntry:
        """The registered world."""
        return registry.get(self.world_name)

    def make(self, count: int, images: bool = True) -> list[World]:
        """``count`` worlds; without ``images`` nothing is drawn (for scripted players that need no eyes)."""
        entry, settings = self.entry(), self._making(images)
        with named_failure(entry.name, "making the world"):
            worlds = [entry.make(**settings) for _ in range(count)]
        if worlds:
            refuse(entry.name, space_problems(worlds[0], *self.image_size))
        return worlds

    def check(self) -> None:
        """Make the world, enter a place and play a step, so that a world that cannot be played is refused at once.

        Raises:
          UserError: a setting is not one of the world's.
          WorldError: the world does not keep the contract, or its code fails.
        """
        check_conforms(self.entry(), self._making(images=True), self.sample_config(0))

    def _making(self, images: bool) -> dict[str, Any]:
        """The keywords that the world is made with."""
        (height, width), options = self.image_size, self.play_options()
        given = {"height": height, "width": width, "views": (SOLVER,) if images else ()}
        _check_names(self.entry().make, options, given, "world.options")
        return given | options

    @contextmanager
    def opened(self, count: int, images: bool = True) -> Iterator[list[World]]:
        """Worlds as :meth:`make` makes them, which are closed in the end, however it comes."""
        with ExitStack() as opened:
            worlds = self.make(count, images)
            for world in worlds:
                opened.callback(world.close)
            yield worlds

    def check_fits(self, image_size: Sequence[int], agent: object, hint: str = "") -> None:
        """Refuse an agent that is made for images of another size.

        Args:
          image_size: (height, width) in pixels of the images that the agent is made for.
          agent: its folder, for the message.
          hint: what the user can do; by default the flags that set the world's size.

        Raises:
          UserError: naming both sizes.
        """
        if tuple(image_size) != self.image_size:
            (height, width), mine = image_size, self.image_size
            hint = hint or f"use --world.height {height} --world.width {width}"
            raise UserError(
                f"{agent} was made for images of {height}x{width} pixels, the world's are {mine[0]}x{mine[1]}; {hint}"
            )

    def note(self) -> dict[str, Any]:
        """What recordings made with these settings say of them, for :meth:`check_recorded`."""
        return {WORLD_OPTIONS: self.play_options()}

    def check_recorded(self, episode: Episode, data: object) -> None:
        """Raises UserError if ``episode`` of ``data`` was recorded in this world with other options.

        Replayed with others it would look different to the agent. Recordings from elsewhere need not say.
        """
        recorded, mine = episode.notes.get(WORLD_OPTIONS), self.note()[WORLD_OPTIONS]
        if episode.world == self.entry().name and recorded is not None and recorded != mine:
            raise UserError(
                f"{data} was recorded with world.options {json.dumps(recorded)}, this is to be played with "
                f"{json.dumps(mine)}; use --world.options '{json.dumps(recorded)}'"
            )

    def sample_config(self, seed: int) -> dict[str, Any]:
        """The configuration of the place that ``seed`` stands for."""
        entry, settings = self.entry(), self.sampling()
        with named_failure(entry.name, f"sampling the place of seed {seed}"):
            return entry.sample_config(seed, **settings)


_DEFAULT_NAME, _DEFAULT_SIZE = "playhouse", (72, 96)
DEFAULT_WORLD = WorldConfig(_DEFAULT_NAME, *_DEFAULT_SIZE, settings={}, options={})


def _weights(text: str) -> Mapping[str, float] | None:
    """The weights that a JSON object of numbers stands for; None for "None".

    Raises:
      UserError: if ``text`` is something else.
    """
    if text == "None":
        return None
    weights = own_settings(text, "players.tasks", example='{"lift": 1, "tower": 2}')
    for name, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            raise UserError(f"players.tasks: the weight of {name} is a number, not {json.dumps(weight)}")
    return {name: float(weight) for name, weight in weights.items()}


# On the command line one JSON object, so that names can be left out and added.
_WEIGHTS = PrimitiveConstructorSpec(
    nargs=1,
    metavar="JSON",
    instance_from_str=lambda words: _weights(words[0]),
    is_instance=lambda value: value is None or isinstance(value, Mapping),
    str_from_instance=lambda weights: ["None" if weights is None else json.dumps(dict(weights))],
)


# The default, spelled out for the Playhouse; in another world it stands for that world's probes.
_EVERY_PROBE: Mapping[str, float] = dict.fromkeys(("go", "lift", "position", "color", "count", "exist"), 1.0)


@dataclass(frozen=True)
class PlayersConfig:
    """The scripted people: how they ask, and how well they do.

    What is None is as the agent or the dataset at hand remembers it, and else the default.

    Args:
      tasks: how often each kind of request is made, relative to the others, as JSON, e.g. '{"lift": 1, "tower": 2}';
        what is not named is not asked for. By default each of the world's probes, equally often.
      setter: the scripted setter's own settings, e.g. {"pause": [1, 3]}.
      solver: the scripted solver's own settings, e.g. {"reaction": 0}.
    """

    tasks: Annotated[Mapping[str, Weight] | None, _WEIGHTS] = None
    setter: OwnSettings = None
    solver: OwnSettings = None

    def or_else(self, other: PlayersConfig) -> PlayersConfig:
        """These players, with what is None as ``other`` has it."""
        return _filled(self, other)

    def complete(self) -> PlayersConfig:
        """These players, with the default where something is None."""
        return _filled(self, DEFAULT_PLAYERS)

    def __post_init__(self) -> None:
        check_ranges(self, UserError)
        read_own_settings(self, "players", ("setter", "solver"))

    def weights(self, entry: WorldEntry) -> dict[str, float]:
        """How often each kind of request is made in a world; by default each of its probes equally often."""
        every = self.tasks is None or self.tasks == _EVERY_PROBE
        return dict.fromkeys(entry.probes, 1.0) if every else dict(self.tasks or {})

    def setter_settings(self) -> dict[str, Any]:
        """The setter's settings. Raises UserError for those that are set elsewhere."""
        settings = dict(self.setter or {})
        for name, instead in (("tasks", "players.tasks"), ("split", "split")):
            if name in settings:
                raise UserError(f"players.setter: {name} is not set here but by --{instead}")
        return settings

    def solver_settings(self) -> dict[str, Any]:
        """The solver's settings."""
        return dict(self.solver or {})


DEFAULT_PLAYERS = PlayersConfig(_EVERY_PROBE, setter={}, solver={})


def _filled(settings: Settings, other: Settings) -> Settings:
    """``settings``, with what is None as ``other`` has it."""
    missing = [field.name for field in fields(settings) if getattr(settings, field.name) is None]
    return replace(settings, **{name: getattr(other, name) for name in missing})


def _check_names(make: Callable[..., Any], settings: Mapping[str, Any], given: Collection[str], where: str) -> None:
    """Raises UserError for the first setting that ``make`` does not know, or is ``given`` already.

    A callable that takes any keyword has to refuse those it does not know by itself.
    """
    parameters = inspect.signature(make).parameters
    known = [name for name in parameters if name not in given]
    for name in settings:
        if name in given:
            raise UserError(f"{where}: {name} is not set here but by the command")
        if name not in known and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            raise UserError(f"{where}: no setting {name}; known: {', '.join(known)}")
