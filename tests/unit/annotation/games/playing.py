"""Games without waiting: a clock that only ticks, people who do what a script says at each tick, made-up agents."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from annotation.games import Game, GameConfig
from annotation.games.pace import Pace
from annotation.session.states import Kind, Player, SessionEvent, State
from rlhf.store import MemoryStore
from tests.patience import until
from worlds.contract import Action, neutral_movement, silent

SMALL = {"rooms": (1, 1), "furniture": (0, 2), "objects": (4, 4), "room_size": (4.0, 4.0)}


class ScriptedClock:
    """A clock that stands still but for the ticks; ``at_tick`` is called before each with its number."""

    def __init__(self, at_tick: Callable[[int], None] = lambda tick: None) -> None:
        self.at_tick, self._tick, self._now = at_tick, 0, 0.0

    def pace(self) -> Pace:
        return Pace(clock=lambda: self._now, sleep=self._sleep)

    def _sleep(self, seconds: float) -> None:
        self._now += seconds
        self._tick += 1
        self.at_tick(self._tick)


def config(kind: Kind, **settings: Any) -> GameConfig:
    """A short game in a small house."""
    chosen = {"seed": 3, "steps": 30, "shortest": 5, "place_settings": SMALL, "deadline_sec": 20.0} | settings
    return GameConfig(kind=kind, **chosen)


def everybody_joins(game: Game) -> None:
    """People called p-<role> join and are ready."""
    for event in (SessionEvent.JOIN, SessionEvent.READY):
        for role, player in game.session.cast.items():
            if player is Player.PERSON:
                game.join(role, f"p-{role}") if event is SessionEvent.JOIN else game.do(role, event)


def play(
    game_config: GameConfig, at_tick: Callable[[Game, int], None], store: Any = None, stand_in: Any = None
) -> Game:
    """The game, played to its end in this thread; ``at_tick(game, tick)`` is what people do."""
    clock = ScriptedClock()
    game = Game(game_config, MemoryStore() if store is None else store, stand_in, clock.pace())
    clock.at_tick = lambda tick: at_tick(game, tick)
    everybody_joins(game)
    game.run()
    return game


def live(kind: Kind, world: str, steps: int, stand_in: Any = None, **settings: Any) -> tuple[Game, MemoryStore]:
    """A game in a thread of its own, with people who are ready; a tick is a millisecond."""
    store = MemoryStore()
    chosen = {"shortest": 2} | settings
    game = Game(config(kind, world=world, steps=steps, **chosen), store, stand_in, Pace(tick_sec=0.001))
    everybody_joins(game)
    game.start()
    until(lambda: game.state is State.PLAYING, "the beginning")
    return game, store


class Walker:
    """An agent that walks ahead, and says what it has seen of its own movements: its memory, for all to hear."""

    def __init__(self) -> None:
        self.memory = 0

    def act(self, observations: Any, resets: np.ndarray) -> list[Action]:
        if resets[0]:
            self.memory = 0
        movement = neutral_movement()
        movement[:, 0] = 2
        self.memory = remember(self.memory, observations[0]["previous_movement"], observations[0]["solver_text"])
        return [{"movement": movement, "utterance": str(self.memory)}]


def remember(memory: int, previous: np.ndarray, said: str) -> int:
    """Return the memory of :class:`Walker` after one more step."""
    return hash((memory, int(previous.astype(int).sum()), said.isdigit())) % 10**6


def walker(folder: str, seed: int, image: tuple[int, int]) -> Walker:
    return Walker()


class Sleeper(Walker):
    """Falls asleep in its third step, until there is a file ``alarm``."""

    def __init__(self, alarm: Path) -> None:
        super().__init__()
        self.steps, self._alarm = 0, alarm

    def act(self, observations: Any, resets: np.ndarray) -> list[Action]:
        self.steps += 1
        if self.steps == 4:  # the first is the trial
            until(self._alarm.exists, "the alarm")
        return super().act(observations, resets)


def sleeper(folder: str, seed: int, image: tuple[int, int]) -> Walker:
    return Sleeper(Path(folder))


class Mortal:
    """Dies, as by a kill, in its sixth step."""

    steps = 0

    def act(self, observations: Any, resets: np.ndarray) -> list[Action]:
        self.steps += 1
        if self.steps == 7:
            os._exit(9)
        return [silent()]


def mortal(folder: str, seed: int, image: tuple[int, int]) -> Mortal:
    return Mortal()
