"""What a watcher sees of a demonstration: the states at which a thing was moved, and in each the things that matter.

Most steps are walks, and many of the others open and close. A frame is the first state, every state after a step that
moved a thing or sat Alice down, and the last state. Its entities are Alice, what she holds, what was moved, what these
are on or in, and then what is near her, the nearest first: as she sees them, but also what is in closed containers
(:mod:`worlds.household.observing.entities`). The watcher is not told which things of a frame were moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from experiments.watch_and_help.watching.shown import Shown
from worlds.household.drawing.camera import Pictures
from worlds.household.observing.entities import ENTITIES, entities
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.tables import tables
from worlds.household.state.vocabulary import Held, Property, Verb
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.sets import PREDICATES

MOST_SEEN = 12  # entities of a frame
MOST_IN_LAST = 224  # entities of the last state by itself: whatever can be grabbed, and Alice
_CLASS, _NEAR, _HAND, _HELD = (
    [each.name for each in ENTITIES.categorical].index(name) for name in ("class", "near", "hand", "held")
)
_FORWARD, _LEFT = (ENTITIES.real.index(name) for name in ("forward", "left"))
_ALICE = 0


@dataclass(frozen=True)
class Frames:
    """Frames of demonstrations, one demonstration after the other.

    Args:
      categories: int16 [frames, E, categorical features of ENTITIES].
      values: float16 [frames, E, real features].
      present: bool [frames, E], rows that are entities.
      action: int16 [frames, 2], the verb that led to it and the class of the thing it was done to, as in
        ``categories``; of the first frame, waiting and Alice's own class.
      step: int16 [frames], steps that had passed.
      first: int64 [demonstrations + 1], where each demonstration begins, and the end of the last.
      steps: int16 [demonstrations], their lengths.
      goal: int8 [demonstrations, predicates], counts, in the order of PREDICATES.
      picture: uint8 [frames, height, width, 3], what Alice has before her eyes; without pixels where nothing was drawn.
        It is not stored with the others.
    """

    categories: np.ndarray
    values: np.ndarray
    present: np.ndarray
    action: np.ndarray
    step: np.ndarray
    first: np.ndarray
    steps: np.ndarray
    goal: np.ndarray
    picture: np.ndarray

    def __len__(self) -> int:
        return len(self.goal)

    def save(self, path: Path) -> None:
        """Write it as NumPy arrays, without pickle."""
        with path.open("wb") as file:
            np.savez_compressed(file, **{name: getattr(self, name) for name in _STORED})

    @classmethod
    def load(cls, path: Path) -> Frames:
        """Read what :meth:`save` wrote."""
        with np.load(path, allow_pickle=False) as stored:
            every = {name: stored[name] for name in _STORED}
        return cls(**every, picture=no_pictures(len(every["step"])))

    @classmethod
    def join(cls, parts: Sequence[Frames]) -> Frames:
        """Return the demonstrations of all parts, in their order."""
        ends = np.cumsum([0, *(part.first[-1] for part in parts)])
        first = np.concatenate(
            [part.first[:-1] + end for part, end in zip(parts, ends[:-1], strict=True)] + [ends[-1:]]
        )
        every = {each.name: np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(cls)}
        return cls(**every | {"first": first})

    def pick(self, numbers: Iterable[int]) -> Frames:
        """Return some of the demonstrations, in this order."""
        numbers = np.fromiter(numbers, np.int64)
        lengths = np.diff(self.first)[numbers]
        ends = np.cumsum([0, *lengths])
        rows = np.repeat(self.first[numbers] - ends[:-1], lengths) + np.arange(ends[-1])
        each = {name: getattr(self, name)[rows] for name in (*SEEN, "step")}
        return Frames(**each, first=ends, steps=self.steps[numbers], goal=self.goal[numbers])


SEEN = ("categories", "values", "present", "action", "picture")  # what a frame shows, each frame for itself
_STORED = tuple(each.name for each in fields(Frames) if each.name != "picture")


def no_pictures(count: int) -> np.ndarray:
    """Return the pictures of frames of which none was drawn."""
    return np.zeros((count, 0, 0, 3), np.uint8)


def empty_handed(frames: Frames) -> np.ndarray:
    """Return in which frames Alice holds nothing and does not sit: bool [frames]."""
    holds = ((frames.categories[..., _HAND] == 1) & frames.present).any(1)
    return ~holds & (frames.categories[:, _ALICE, _HELD] != Held.SITS)


def draw(shown: Shown, steps: Sequence[int], pictures: Pictures) -> np.ndarray:
    """Return what Alice has before her eyes after some steps of a demonstration: uint8 [steps, height, width, 3]."""
    wanted = set(steps)
    drawn = [
        pictures.from_eyes(home, state, _ALICE) for step, (home, state) in enumerate(shown.states()) if step in wanted
    ]
    return np.stack(drawn)


def watched(shown: Shown) -> tuple[Frames, Frames]:
    """Return the frames of a demonstration, and its last state by itself, in which all that can be grabbed is seen."""
    seen, actions, steps = [], [], []
    before: State | None = None
    home: Home | None = None
    count = len(shown.acts)
    for step, (home, state) in enumerate(shown.states()):  # noqa: B007
        moved = np.zeros(len(home), np.bool_) if before is None else _moved(home, before, state)
        if step in (0, count) or moved.any():
            everything = entities(home, tables(home, state), _ALICE, full=True)[1:]
            seen.append(_pick(everything, _chosen(home, state, moved, everything), MOST_SEEN))
            verb, thing = (int(Verb.WAIT), NO_ROW) if step == 0 else shown.acts[step - 1][:2]
            actions.append((verb, everything[0][home.persons[_ALICE] if thing == NO_ROW else thing, _CLASS]))
            steps.append(step)
            before = state.copy()
    assert home is not None
    last = _pick(everything, _grabbable(home), MOST_IN_LAST)
    goal = counts_of(shown.goal)
    return _frames(seen, actions, steps, count, goal), _frames([last], actions[-1:], steps[-1:], count, goal)


def counts_of(goal: Goal) -> np.ndarray:
    """Return the counts of a goal in the order of PREDICATES: int8 [predicates]. Others cannot be told apart."""
    return np.array([goal.get(text, 0) for text in PREDICATES], np.int8)


def goal_of(counts: np.ndarray) -> dict[str, int]:
    """Return the goal of counts in the order of PREDICATES."""
    return {text: int(count) for text, count in zip(PREDICATES, counts, strict=True) if count}


def _moved(home: Home, before: State, state: State) -> np.ndarray:
    """Return which things were moved, or sat down: bool [N]."""
    moved = before.parent != state.parent
    moved[list(home.persons)] = False  # into another room
    return moved | (before.held != state.held)


def _grabbable(home: Home) -> np.ndarray:
    """Rows of Alice and of everything that can be grabbed."""
    rows = np.flatnonzero((home.properties & int(Property.GRABBABLE)) != 0)
    return np.concatenate([[home.persons[_ALICE]], rows])


def _chosen(home: Home, state: State, moved: np.ndarray, everything: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Rows that matter in a state, the most important first; see the head of this file."""
    alice, bob = home.persons
    categories, values = everything
    near = np.flatnonzero(categories[:, _NEAR] == 1)
    near = near[np.argsort(np.hypot(values[near, _FORWARD], values[near, _LEFT]), kind="stable")]
    held = np.flatnonzero((state.parent == alice) & (state.held != Held.SITS))
    mattering = np.concatenate([[alice], held, np.flatnonzero(moved)])
    above = state.parent[mattering]
    above = above[above != NO_ROW]
    rows = np.concatenate([mattering, above, near])
    rows = rows[(rows != bob) & (state.held[rows] != Held.NOWHERE)]
    return rows[np.sort(np.unique(rows, return_index=True)[1])]


def _pick(
    everything: tuple[np.ndarray, np.ndarray], rows: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Categories, values and presence of the first rows, filled up to ``most``."""
    rows = rows[:most]
    categories, values = (np.zeros((most, each.shape[1]), each.dtype) for each in everything)
    categories[: len(rows)], values[: len(rows)] = (each[rows] for each in everything)
    return categories, values.astype(np.float16), np.arange(most) < len(rows)


def _frames(
    seen: Sequence[tuple[np.ndarray, ...]],
    actions: Sequence[tuple[int, int]],
    steps: Sequence[int],
    count: int,
    goal: np.ndarray,
) -> Frames:
    categories, values, present = (np.stack(each) for each in zip(*seen, strict=True))
    return Frames(
        categories, values, present, np.array(actions, np.int16), np.array(steps, np.int16),
        np.array([0, len(seen)]), np.array([count], np.int16), goal[None], no_pictures(len(seen)),
    )  # fmt: skip
