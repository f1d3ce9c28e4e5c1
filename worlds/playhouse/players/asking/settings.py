"""Settings of the scripted setter: what it asks for, and its ways with people. Without any of these it only asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worlds.contract import WorldError
from worlds.playhouse.games.splits import SPLITS
from worlds.playhouse.players.setting_numbers import MOST_STEPS, is_number, is_whole

Steps = tuple[int, int]  # (fewest, most)
Tasks = Sequence[str] | Mapping[str, float] | None


@dataclass(frozen=True)
class SetterSettings:
    """Settings of the scripted setter.

    Args:
      tasks: names of its tasks, all equally often, or a weight for each; None for all six probes.
        Games are asked for only by name; "all games" in place of a name makes every prompt of the paper equally likely.
      split: "train" or "held_out": it asks only for combinations of that split.
      first_request: (fewest, most) steps before it first speaks.
      pause: (fewest, most) steps between the end of a request and the next one; by default about 20 seconds, as
        between people, which makes some eight requests in five minutes.
      patience: steps after which it gives a request up; None for the task's own time limit.
      follow_up: ask for more after the first request.
      wander: chance per step of setting out for another place, for a setter that stands.
      modifiers: chance per request of a language game that its words keep to one of the ten modifiers.
      chain: chance per request of asking for one thing and then another.
      follow_on: chance, after a success, of asking for something else about the same thing.
      correct: chance of saying so when the solver takes or goes to a wrong thing, or answers wrong.
      correct_after: (fewest, most) steps until it does.
      praise: chance of praise after a success.
      praise_after: (fewest, most) steps until then.
      ask_again: chance of asking in other words, each time the solver has done nothing for long.
      encourage: chance of encouraging it then, if it does not ask again.
      idle_after: (fewest, most) steps that are long.
      talk: chance of small talk in each pause between requests, and before the first.
      face: chance per request of turning to what it speaks of.
      accompany: chance per request of walking up to that.
      hold_out: chance, when it wants to be handed something, of turning to the solver who has it.
    """

    tasks: Tasks = None
    split: str = "train"
    first_request: Steps = (0, 2)
    pause: Steps = (60, 120)
    patience: int | None = None
    follow_up: bool = True
    wander: float = 0.0
    modifiers: float = 0.0
    chain: float = 0.0
    follow_on: float = 0.0
    correct: float = 0.0
    correct_after: Steps = (2, 5)
    praise: float = 0.0
    praise_after: Steps = (1, 3)
    ask_again: float = 0.0
    encourage: float = 0.0
    idle_after: Steps = (12, 25)
    talk: float = 0.0
    face: float = 0.0
    accompany: float = 0.0
    hold_out: float = 0.0

    def __post_init__(self) -> None:
        if self.split not in SPLITS:
            raise WorldError(f"no split named {self.split!r}; known: {', '.join(SPLITS)}")
        if self.patience is not None and not (is_whole(self.patience) and self.patience >= 1):
            raise WorldError(f"setter setting patience: {self.patience!r} steps; give 1 or more, or None")
        if not isinstance(self.follow_up, bool):
            raise WorldError(f"setter setting follow_up: {self.follow_up!r} is neither true nor false")
        for name in ("first_request", "pause", "correct_after", "praise_after", "idle_after"):
            _check_steps(name, getattr(self, name))
        for name in (
            "wander", "modifiers", "chain", "follow_on", "correct", "praise", "ask_again", "encourage", "talk", "face",
            "accompany", "hold_out",
        ):  # fmt: skip
            _check_chance(name, getattr(self, name))


def _check_chance(name: str, value: Any) -> None:
    if not is_number(value) or not 0.0 <= value <= 1.0:
        raise WorldError(f"setter setting {name}: {value!r} is not a probability between 0 and 1")


def _check_steps(name: str, pair: Any) -> None:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise WorldError(f"setter setting {name}: {pair!r} is not (fewest, most) steps")
    low, high = pair
    if not (is_whole(low) and is_whole(high) and 0 <= low <= high < MOST_STEPS):
        raise WorldError(f"setter setting {name}: {low}..{high} is not a range of steps")
