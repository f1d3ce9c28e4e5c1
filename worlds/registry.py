"""Registry of worlds by name.

A world registers itself with one line beside its class. Another package names the module that does so under the entry
point group ``interactive_rlhf.worlds``; a single file is named by its path.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worlds.contract import SETTER, SOLVER, Setter, Solver, Task, TaskSpec, World, WorldError
from worlds.contract.known_settings import check_known
from worlds.contract.requests import AskingSetter
from worlds.contract.tiers import NAMES, includes, promise_of
from worlds.foreign_code.faults import named_failure
from worlds.foreign_code.plugins import FILE_SUFFIX, Registry
from worlds.spaces.observation import PlayerSpec

if TYPE_CHECKING:
    from worlds.contract.goal_choices import GoalChoices
    from worlds.contract.live_play import LivePlay
    from worlds.contract.written_scenarios import Collection

ENTRY_POINT_GROUP = "interactive_rlhf.worlds"


class Later:
    """A callable that is imported at its first call: a world by itself needs no scripted players.

    Args:
      path: "module:name".
    """

    def __init__(self, path: str) -> None:
        self._module, _, self._name = path.partition(":")

    def load(self) -> Callable[..., Any]:
        """Return the callable itself."""
        return getattr(importlib.import_module(self._module), self._name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.load()(*args, **kwargs)


def _asks_for_probes(**settings: Any) -> Setter:
    """Default of ``make_setter``, which an entry replaces by a setter that asks for its probes."""
    raise NotImplementedError


@dataclass(frozen=True)
class WorldEntry:
    """Everything that the pipeline uses of a world.

    Args:
      name: the name under which recordings refer to it.
      make: (height=, width=, views=, **options) -> a world; the size of the players' images in pixels, the players
        whose view is drawn, and the world's own options. All have defaults.
      sample_config: (seed, **settings) -> the JSON configuration of one place.
      make_solver: (perfect=, **settings) -> a scripted solver, deliberately imperfect unless ``perfect``.
      make_task: (spec) -> the success check of a recorded :class:`~worlds.contract.TaskSpec`.
      probe: (name, world, seed, split) -> a probe task's or a game's spec for the place at hand, None where none is
        feasible; see ``splits_requests``.
      probes: names of the probe tasks, in the order reports show them.
      make_setter: (tasks={name: weight}, split=, **settings) -> a scripted setter that asks for these tasks, so often
        relative to each other; by default one that stands still and asks for what ``probe`` offers.
      splits_requests: True if ``probe`` asks in the split "held_out" only for what it never asks for in "train"; False
        if only places differ between the splits.
      games: names of further tasks, which are asked for and evaluated only where they are named.
      people_settings: settings of ``sample_config`` for places in which people play, where they are not set otherwise.
      tier: declared tier, one of :data:`worlds.contract.tiers.NAMES`; None leaves it to ``rlhf world check``.
      spaces: spaces of both players, by name, unless options change them; None reads them from a world made for it.
      live_play: (world) -> how people play it by choosing among things, for a world whose actions point at some; None
        for keys.
      helpers: names of scripted solvers that help a setter with a goal of her own without being asked.
      make_helper: (name) -> one of them; None if there are none.
      declares: () -> the callable or dataclass whose parameters name, type and describe own settings, by the part of
        the configuration that holds them: "settings" (of places), "options" (of the world), "setter" and "solver".
        Unnamed settings are inferred from the function's signature.
      goal_choices: () -> what people who watched a setter can say that she wanted; None if they cannot.
      read_request: (words, world) -> what a setter's words ask for in the place at hand, with a success check; None
        if they ask for nothing that can be checked. It serves setters of whom only the words are known, such as learned
        ones.
      scenarios: () -> a collection of written requests, by name, from which a test suite can be made.
      make_probe_setter: (spec) -> a setter that makes this request and does its own part in it, such as taking what
        it wanted to be handed; None says the words and stands still.
    """

    name: str
    make: Callable[..., World]
    sample_config: Callable[..., dict[str, Any]]
    make_solver: Callable[..., Solver]
    make_task: Callable[[TaskSpec], Task]
    probe: Callable[[str, World, int, str], TaskSpec | None]
    probes: Sequence[str]
    make_setter: Callable[..., Setter] = _asks_for_probes
    splits_requests: bool = False
    games: Sequence[str] = ()
    people_settings: Mapping[str, Any] = field(default_factory=dict)
    tier: str | None = None
    spaces: Mapping[str, PlayerSpec] | None = field(default=None, repr=False)
    live_play: Callable[[Any], LivePlay] | None = None
    helpers: Sequence[str] = ()
    make_helper: Callable[[str], Solver] | None = None
    declares: Mapping[str, Callable[[], Callable[..., Any]]] = field(default_factory=dict, repr=False, compare=False)
    goal_choices: Callable[[], GoalChoices] | None = None
    scenarios: Mapping[str, Callable[[], Collection]] = field(default_factory=dict)
    read_request: Callable[[str, Any], TaskSpec | None] | None = None
    make_probe_setter: Callable[[TaskSpec], Setter] | None = None

    def __post_init__(self) -> None:
        if self.tier is not None and self.tier not in NAMES:
            raise WorldError(f"world {self.name!r} declares the tier {self.tier!r}; known: {', '.join(NAMES)}")
        if self.make_setter is _asks_for_probes:
            known = (*self.probes, *self.games)
            object.__setattr__(self, "make_setter", partial(AskingSetter, self.probe, self.make_task, known))
        taken = {"settings": "sample_config", "options": "make", "setter": "make_setter", "solver": "make_solver"}
        by_signature = {part: _declares(getattr(self, name)) for part, name in taken.items()}
        object.__setattr__(self, "declares", by_signature | dict(self.declares))
        for setting, noun in (("sample_config", "place"), ("make_setter", "setter"), ("make_solver", "solver")):
            object.__setattr__(self, setting, _refusing_unknown(getattr(self, setting), noun))

    def player_specs(self, **options: Any) -> Mapping[str, PlayerSpec]:
        """Return the spaces of both players, by name."""
        if self.spaces is not None:
            return self.spaces
        world = self.make(**options)
        try:
            return {player: world.spec(player) for player in (SETTER, SOLVER)}
        finally:
            world.close()

    def check_tier(self, tier: str, use: str) -> None:
        """Raise WorldError if the world declares too low a tier for a use, e.g. "playing in it"."""
        if self.tier is not None and not includes(self.tier, tier):
            raise WorldError(
                f"world {self.name!r} is of the tier {self.tier}; {use} needs the tier {tier}: {promise_of(tier)}"
            )


def _declares(make: Callable[..., Any]) -> Callable[[], Callable[..., Any]]:
    return make.load if isinstance(make, Later) else lambda: make


def _refusing_unknown(make: Callable[..., Any], noun: str) -> Callable[..., Any]:
    """Return ``make`` with WorldError for a keyword that its signature does not have."""
    if isinstance(make, Later):
        return lambda *args, **settings: _refusing_unknown(make.load(), noun)(*args, **settings)
    try:
        parameters = inspect.signature(make).parameters
    except (TypeError, ValueError):  # a callable that does not say what it takes
        return make
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return make
    known = [name for name, one in parameters.items() if one.kind is not one.POSITIONAL_ONLY]

    @wraps(make)
    def checked(*args: Any, **settings: Any) -> Any:
        free = known[len(args) :]
        check_known(settings, free, noun)
        return make(*args, **settings)

    return checked


_OURS = {"playhouse": "worlds.playhouse", "household": "worlds.household", "school": "worlds.school"}
_registry: Registry[WorldEntry] = Registry("world", ENTRY_POINT_GROUP, _OURS, WorldError)


def register(entry: WorldEntry) -> WorldEntry:
    """Register ``entry`` under its name. Raises WorldError if another world has that name."""
    return _registry.register(entry.name, entry)


def get(name: str) -> WorldEntry:
    """Return the world of this name, or the foreign environment or Python file that it names.

    Raises:
      WorldError: there is none (the message lists the known ones), or its module or file does not register it.
    """
    return _foreign(absolute_name(name)) if is_foreign(name) else _registry.get(name)


def names() -> list[str]:
    """Return the names of all worlds that are registered."""
    return _registry.names()


_FOREIGN = ("gym:", "pettingzoo:")


def is_foreign(name: str) -> bool:
    """Return True if ``name`` names the environment of another library or of a Python file, not a registered world."""
    return name.startswith(_FOREIGN) or f"{FILE_SUFFIX}:" in name


def is_found_anywhere(name: str) -> bool:
    """Return True if ``name`` alone leads another process to the world, whatever this one has imported."""
    return is_foreign(name) or name.endswith(FILE_SUFFIX) or _registry.is_announced(name)


def may_end_process(name: str) -> bool:
    """Return True if the world is not one of this project's, and another process can play it in place of this one."""
    return name not in _OURS and is_found_anywhere(name)


def absolute_name(name: str) -> str:
    """Return ``name``, with one spelling of a Python file's path, which is absolute.

    Other processes may begin in another folder, and one file is one world.
    """
    if name.startswith(_FOREIGN):
        return name
    path, suffix, rest = name.partition(f"{FILE_SUFFIX}:")
    if suffix:
        return f"{Path(path + FILE_SUFFIX).resolve()}:{rest}"
    return str(Path(name).resolve()) if name.endswith(FILE_SUFFIX) else name


@cache
def _foreign(name: str) -> WorldEntry:
    """Return the environment of an absolute name."""
    from worlds.foreign import entries

    if name.startswith("gym:"):
        return entries.gym_entry(name)
    if name.startswith("pettingzoo:"):
        return entries.pettingzoo_entry(name)
    path, _, maker = name.rpartition(":")
    module = _registry.import_file(Path(path))
    if not callable(getattr(module, maker, None)):
        raise WorldError(f"world file {path} has no class or function {maker!r}")
    with named_failure(maker, "its making"):
        return register(entries.class_entry(maker, getattr(module, maker)))
