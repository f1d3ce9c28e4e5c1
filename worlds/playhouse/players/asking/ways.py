"""A setter's ways with people, as settings; without any it asks, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from worlds.contract import WorldError
from worlds.playhouse.players.setting_numbers import MOST_STEPS, is_number, is_whole

Steps = tuple[int, int]  # (fewest, most)


@dataclass(frozen=True)
class Ways:
    """What a setter does besides asking; settings of the same names of ``ScriptedSetter``, which describes them."""

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
        for field in fields(self):
            (check_steps if field.name.endswith("_after") else check_chance)(field.name, getattr(self, field.name))


def check_chance(name: str, value: Any) -> None:
    """Raise WorldError if ``value`` is no probability."""
    if not is_number(value) or not 0.0 <= value <= 1.0:
        raise WorldError(f"setter setting {name}: {value!r} is not a probability between 0 and 1")


def check_steps(name: str, pair: Any) -> None:
    """Raise WorldError if ``pair`` is no (fewest, most) steps."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise WorldError(f"setter setting {name}: {pair!r} is not (fewest, most) steps")
    low, high = pair
    if not (is_whole(low) and is_whole(high) and 0 <= low <= high < MOST_STEPS):
        raise WorldError(f"setter setting {name}: {low}..{high} is not a range of steps")
