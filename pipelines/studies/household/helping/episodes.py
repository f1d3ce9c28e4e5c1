"""Episodes of the help stage, played and kept in files: one for each helper and try."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pipelines.studies.config import slug
from pipelines.studies.household.helping.methods import Method, goal_for, players
from rlhf.store.files.durable import write_file
from worlds.household.homes.placing import place
from worlds.household.navigation.ways import Ways
from worlds.household.players.demonstrations import Demonstration, play
from worlds.household.players.planner import NO_PLAN
from worlds.household.state.vocabulary import Verb
from worlds.household.tasks.benchmark import BenchmarkTask
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.progress import GoalCheck

TRIES = 5  # of each task (Watch-And-Help, Appendix B.2)
_STRIDE = 2  # seeds of an episode: Alice's, and the next one for her helper


@dataclass(frozen=True)
class HelpEpisode:
    """What came of one episode.

    Args:
      task: its name.
      sets: names of the predicate sets of its goal.
      attempt: number of the try.
      success: True if Alice's goal was reached within the horizon.
      steps: that were played.
      waits: steps at which Alice and her helper found no plan.
      undone: things that satisfied Alice's goal and that the helper took away.
    """

    task: str
    sets: tuple[str, ...]
    attempt: int
    success: bool
    steps: int
    waits: tuple[int, int]
    undone: int


def seed_of(seed: int, task_number: int, attempt: int) -> int:
    """Return the seed of an episode's players; all helpers meet the same Alice."""
    return _STRIDE * ((seed * TRIES + attempt) * 1000 + task_number)


def play_episode(
    method: Method, task: BenchmarkTask, number: int, attempt: int, seed: int, inferred: Mapping[str, Goal] | None
) -> HelpEpisode:
    """Play one task with one helper.

    Args:
      method: of the helper.
      task: to play.
      number: of the task.
      attempt: number of the try.
      seed: of the study.
      inferred: goals by the names of tasks; None if there are none.
    """
    home, state = place(task.help)
    own = seed_of(seed, number, attempt)
    alice, bob = players(method, home, task, goal_for(method, task, inferred, own), own)
    check = GoalCheck(home, task.goal, home.persons[0])
    played = play(home, state, Ways(home, state), check, alice, bob, own)
    waits = [sum(notes[person] == NO_PLAN for notes in played.notes) for person in (0, 1)]
    return HelpEpisode(
        task.name, task.sets, attempt, played.success, played.steps, (waits[0], waits[1]), times_undone(played)
    )


def times_undone(played: Demonstration) -> int:
    """Return how often the helper took away what satisfied Alice's goal."""
    fell = [after < before for before, after in zip([0, *played.satisfied], played.satisfied, strict=False)]
    took = [both[1][0] == Verb.GRAB and not why[1] for both, why in zip(played.acts, played.reasons, strict=True)]
    return sum(one and other for one, other in zip(fell, took, strict=True))


def episodes_file(folder: Path, seed: int, split: str, name: str, attempt: int) -> Path:
    """Return the file of the episodes of one helper and try.

    Args:
      folder: of the whole study.
      seed: of the study.
      split: of the tasks.
      name: of the helper.
      attempt: number of the try.
    """
    return folder / "help" / f"seed-{seed}" / split / f"{slug(name)}-{attempt}.json"


def save_episodes(path: Path, episodes: Sequence[HelpEpisode]) -> None:
    """Write episodes; a reader sees the whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, json.dumps([asdict(each) for each in episodes], indent=0).encode())


def load_episodes(path: Path) -> list[HelpEpisode]:
    """Return the episodes of a file; none if it does not exist."""
    if not path.is_file():
        return []
    rows = json.loads(path.read_bytes())
    return [HelpEpisode(**{**row, "sets": tuple(row["sets"]), "waits": tuple(row["waits"])}) for row in rows]
