"""Games of Overcooked-AI that two people played with each other, each game seen by either of them.

Carroll et al., 2019, "On the utility of learning about humans for human-AI coordination". The user downloads the source
package that has them; ``docs/own-recordings.md`` says how.
"""

from __future__ import annotations

import json
import tarfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np

from experiments.overcooked.pickle_reading import read_table
from experiments.overcooked.view import DIRECTIONS, OBSERVATION, InvalidState, Layout, view
from rlhf.records.episode import AGENT, Episode
from rlhf.records.marks import PROGRESS, Mark
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import EpisodeStore
from worlds.errors import UserError
from worlds.spaces.action import ActionSpec, Discrete
from worlds.spaces.observation import PlayerSpec

WORLD = "overcooked_ai"
INSTRUCTION = "cook onion soups and deliver them"
ACTIONS = (*DIRECTIONS.values(), "stay", "interact")
STAY = ACTIONS.index("stay")
PLAYERS = 2
RATER = "score"  # name of the stand-in for a rater whose marks are the deliveries
FILES: Mapping[str, str] = {"train": "clean_train_trials.pickle", "held_out": "clean_test_trials.pickle"}  # by split
LAYOUTS: Mapping[str, str] = {
    "cramped_room": "cramped_room",
    "asymmetric_advantages": "asymmetric_advantages",
    "coordination_ring": "coordination_ring",
    "random0": "forced_coordination",
    "random3": "counter_circuit",
}  # names of the files, and of the paper
_GAME = ("layout_name", "workerid_num", "run", "round_num")  # columns that distinguish the games
_COLUMNS = (*_GAME, "cur_gameloop", "layout", "state", "joint_action", "reward", "score")
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)  # of a bad cell

SPACES = EpisodeSpaces(
    PlayerSpec(OBSERVATION, ActionSpec((Discrete("action", ACTIONS, neutral=STAY),), tick_sec=0.15)),
    ActionSpec(()),
)


@dataclass(frozen=True)
class Imported:
    """Numbers of records that were imported."""

    games: int
    joint_steps: int
    marks: int


def import_overcooked(source: Path, store: EpisodeStore) -> Imported:
    """Write the games into ``store``: an episode for each of the two players, and a (+) where a soup was delivered.

    Args:
      source: folder of the two published files, or of the package overcooked_ai-1.1.0.tar.gz that has them.
      store: an empty dataset.

    Raises:
      UserError: a file is missing, damaged, or has other columns or values; nothing is imported then.
    """
    games = [game for split, name in FILES.items() for game in _games(source, split, name)]
    names = Counter(episode.episode_id for game in games for episode in game.episodes)
    if twice := next((name for name, count in names.items() if count > 1), None):
        raise UserError(f"the files of {source} have two games that are called {twice.rpartition('-')[0]}")
    for game in games:
        for episode in game.episodes:
            store.write(episode)
    store.write_marks([mark for game in games for mark in game.marks])
    return Imported(len(games), sum(game.steps for game in games), sum(len(game.marks) for game in games))


@dataclass(frozen=True, eq=False)
class _Game:
    """One game of two people: an episode and the marks of each of them."""

    episodes: tuple[Episode, ...]
    marks: tuple[Mark, ...]

    @property
    def steps(self) -> int:
        """Joint steps."""
        return len(self.episodes[0])


@lru_cache(maxsize=16)
def _kitchen(rows: tuple[str, ...]) -> Layout:
    return Layout(rows)


@contextmanager
def _opened(source: Path, name: str) -> Iterator[tuple[IO[bytes], str]]:
    """Yield the file ``name``, from the folder or from the package in it, and its name for messages."""
    if (source / name).is_file():
        with (source / name).open("rb") as file:
            yield file, str(source / name)
        return
    for package in sorted(source.glob("overcooked_ai-*.tar.gz")):
        try:
            with tarfile.open(package) as archive:
                found = next((each for each in archive if each.isfile() and each.name.endswith(f"/{name}")), None)
                file = None if found is None else archive.extractfile(found)
                if file is not None:
                    yield file, f"{name} of {package}"
                    return
        except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
            raise UserError(f"{package} is no package that can be read ({error})") from error
    raise UserError(
        f"{source} has neither {name} nor a package overcooked_ai-1.1.0.tar.gz with it; docs/own-recordings.md says "
        "where to download it"
    )


def _games(source: Path, split: str, file_name: str) -> list[_Game]:
    """Return the games of one of the files, in its order.

    Raises:
      UserError: naming the file, and the game that cannot be read.
    """
    with _opened(source, file_name) as (file, name):
        table = read_table(file, name, _COLUMNS)
    rows = defaultdict[tuple[Any, ...], list[int]](list)
    for row, key in enumerate(zip(*(table[column].tolist() for column in _GAME), strict=True)):
        rows[key].append(row)
    games = []
    for (layout, pair, *_), those in rows.items():
        try:
            games.append(_game(split, layout, int(pair), {column: values[those] for column, values in table.items()}))
        except _UNREADABLE as error:
            raise UserError(f"{name}: the game of pair {pair} in {layout} cannot be read: {_short(error)}") from error
    return games


def _game(split: str, layout: str, pair: int, table: Mapping[str, np.ndarray]) -> _Game:
    """Return the game of the rows of ``table``.

    Args:
      table: columns of the game, one row a joint step.
    """
    if layout not in LAYOUTS:
        raise InvalidState(f"the kitchen is none of {', '.join(LAYOUTS)}")
    if table["cur_gameloop"].tolist() != list(range(len(table["state"]))):
        raise InvalidState("its steps are not numbered from 0 in order")
    name = f"{LAYOUTS[layout]}-{'train' if split == 'train' else 'test'}-{pair:02d}"
    rewards, scores = (table[column].astype(np.float64) for column in ("reward", "score"))
    if not np.isfinite([rewards, scores]).all():
        raise InvalidState("a reward or a score is not finite")
    delivered = np.flatnonzero(rewards) + 1  # the steps at which it is first seen
    marked = [int(step) for step in delivered if step < len(table["state"])]
    states = [_parsed(state) for state in table["state"]]
    return _Game(
        tuple(_episode(name, split, player, states, table) for player in range(PLAYERS)),
        tuple(Mark(_name(name, player), RATER, step, PROGRESS, True) for player in range(PLAYERS) for step in marked),
    )


def _name(game: str, player: int) -> str:
    return f"{game}-{player}"


def _episode(
    game: str, split: str, player: int, states: Sequence[Mapping[str, Any]], table: Mapping[str, np.ndarray]
) -> Episode:
    """Return the game as ``player`` saw and played it.

    The partner is part of what is seen. Nobody asks for anything, so the setter has an instruction and no body.
    """
    steps, rows = len(states), tuple(str(row) for row in _parsed(table["layout"][0]))
    seen = [view(_kitchen(rows), state, player) for state in states]
    actions = [_action(_parsed(joint)[player]) for joint in table["joint_action"]]
    silence: dict[str, Any] = dict.fromkeys(("setter_utterance", "solver_text", "utterance"), ("",) * steps)
    layout, _, pair = game.split("-")
    return Episode(
        episode_id=_name(game, player),
        world=WORLD,
        config={"layout": layout},
        setter="instruction",
        solver=f"human:{pair}-{player}",
        image=None,
        setter_text=(INSTRUCTION,) * steps,
        movement=np.array(actions, np.int8).reshape(steps, 1, 1),
        setter_movement=np.zeros((steps, 1, 0), np.int8),
        controller=np.full(steps, AGENT, np.uint8),
        split=split,
        spaces=SPACES,
        seen={"grid": np.stack([grid for grid, _ in seen]), "vector": np.stack([vector for _, vector in seen])},
        notes={
            "layout": list(rows),
            "score": float(table["score"][-1]),
            "rewards": table["reward"].astype(np.float64).tolist(),
        },
        **silence,
    )


def _parsed(text: str) -> Any:
    """Return the value of a published cell: JSON but for its quotation marks and truth values."""
    return json.loads(text.replace("'", '"').replace("False", "false").replace("True", "true"))


def _action(published: Any) -> int:
    """Return the bin of a published action: a direction, [0, 0] or "INTERACT"."""
    if published == "INTERACT":
        return ACTIONS.index("interact")
    direction = tuple(published)
    if direction != (0, 0) and direction not in DIRECTIONS:
        raise InvalidState(f"an action is {published!r}")
    return STAY if direction == (0, 0) else ACTIONS.index(DIRECTIONS[direction])


def _short(error: Exception) -> str:
    """Return the reason in one line; a missing key alone would say nothing."""
    if isinstance(error, KeyError):
        return f"there is no {error}"
    return " ".join(str(error).split()) or type(error).__name__
