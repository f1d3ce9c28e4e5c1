"""Goals to choose from, which a world may offer: what people can say that a setter wanted whom they have watched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from worlds.contract import WorldError


@dataclass(frozen=True)
class GoalChoice:
    """A predicate of goals, with its words.

    Args:
      group: heading above it, e.g. "on the kitchen table".
    """

    name: str
    group: str
    words: str
    most: int

    def __post_init__(self) -> None:
        if not self.name or not self.group or not self.words:
            raise ValueError(f"a choice of goals has a name, a group and words, not {self!r}")
        if isinstance(self.most, bool) or not isinstance(self.most, int) or self.most < 1:
            raise ValueError(f"the largest count of {self.name} is {self.most!r}; give a whole number from 1 up")


@dataclass(frozen=True)
class GoalChoices:
    """All predicates that people choose from, and the goals that setters have.

    Args:
      goal_of: returns the counts of the predicates that the setter of a place pursues, or None if it pursues nothing.
    """

    choices: tuple[GoalChoice, ...]
    goal_of: Callable[[Mapping[str, Any]], Mapping[str, int] | None]

    def __post_init__(self) -> None:
        names = [choice.name for choice in self.choices]
        if len(set(names)) < len(names):
            raise ValueError("two choices of goals have one name")
        groups = [choice.group for choice in self.choices]
        changes = [group for before, group in zip([None, *groups], groups, strict=False) if group != before]
        if len(set(changes)) < len(changes):
            raise ValueError("the choices of a group of goals do not follow each other")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the predicates."""
        return tuple(choice.name for choice in self.choices)

    def check(self, counts: Mapping[str, int]) -> None:
        """Refuse counts that nobody can choose.

        Raises:
          WorldError: a name is not known, or its count is not from 0 to its largest.
        """
        most = {choice.name: choice.most for choice in self.choices}
        for name, count in counts.items():
            if name not in most:
                raise WorldError(f"goal: there is no predicate {name!r} to choose; known: {_some(most)}")
            if not 0 <= count <= most[name]:
                raise WorldError(f"goal: the count of {name!r} is from 0 to {most[name]}, not {count}")

    def knows(self, goal: Mapping[str, int]) -> bool:
        """Return whether a goal can be put together of these choices."""
        try:
            self.check(goal)
        except WorldError:
            return False
        return True


def _some(names: Iterable[str]) -> str:
    first = list(names)
    return ", ".join(first[:3]) + (" and others" if len(first) > 3 else "")
