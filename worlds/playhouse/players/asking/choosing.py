"""What a setter asks for next: by weight, now and then with a modifier, in a chain, or about the same thing again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from worlds.contract import TaskSpec
from worlds.playhouse.games import registry
from worlds.playhouse.games.asking import Asker
from worlds.playhouse.games.modifiers import MODIFIERS
from worlds.playhouse.games.topics import is_about, main_things
from worlds.playhouse.players.asking.settings import SetterSettings

CHAIN = "do then"  # the game of one thing after another
TRIES = 3  # requests of one game that are looked at for one in other words than the last
MODIFIER = "modifier"  # in the arguments of a request: the name of the one that its words keep to


class Chooser:
    """Choice of requests in one house.

    Args:
      settings: the setter's settings; ``split``, ``modifiers``, ``chain`` and ``follow_on`` decide.
      own_rng: of when to use these ways, so that without them the requests are what they were.
    """

    def __init__(
        self,
        asker: Asker,
        weights: Mapping[str, float],
        settings: SetterSettings,
        rng: np.random.Generator,
        own_rng: np.random.Generator,
    ) -> None:
        self._asker, self._weights, self._split = asker, weights, settings.split
        self._settings, self._rng, self._own_rng = settings, rng, own_rng

    def choose(self, last: TaskSpec | None, succeeded: bool) -> TaskSpec | None:
        """Return something to ask for, in words other than the last; None if there is nothing at present."""
        names, weights = list(self._weights), np.array(list(self._weights.values()))
        order = self._rng.choice(len(names), size=np.count_nonzero(weights), replace=False, p=weights / weights.sum())
        said = last.instruction if last is not None else ""
        if last is not None and succeeded and self._own_rng.random() < self._settings.follow_on:
            spec = self._about(last, [names[i] for i in order])
            if spec is not None:
                return spec
        if self._own_rng.random() < self._settings.chain:
            spec = self._ask(CHAIN, said)
            if spec is not None:
                return spec
        return next((spec for i in order if (spec := self._ask(names[i], said)) is not None), None)

    def _about(self, last: TaskSpec, names: list[str]) -> TaskSpec | None:
        """Something else about what was asked for last; None where none has been found."""
        about = main_things(last)
        if not about:
            return None
        for name in names:
            if name != last.name:
                spec = self._asker.ask(name, self._own_rng, self._split, wanted=lambda said: is_about(said, about))
                if spec is not None:
                    return spec
        return None

    def _ask(self, name: str, last: str) -> TaskSpec | None:
        """A request of this name, in words other than the last."""
        modifier = self._modifier(name)
        for wanted in (modifier, None) if modifier is not None else (None,):
            for _ in range(TRIES):
                spec = self._asker.ask(name, self._rng, self._split, wanted)
                if spec is None:
                    break
                if spec.instruction != last:
                    return spec if wanted is None else replace(spec, arguments={**spec.arguments, MODIFIER: wanted})
        return None

    def _modifier(self, name: str) -> str | None:
        """The name of the modifier that a request of a language game is to keep to; None for free words."""
        if self._own_rng.random() >= self._settings.modifiers or name not in registry.language_games():
            return None
        return tuple(MODIFIERS)[int(self._own_rng.integers(len(MODIFIERS)))]
