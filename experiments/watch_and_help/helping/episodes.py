"""Episodes of the help stage, played and kept in files: one for each helper and try."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from experiments.engine.config import slug
from experiments.watch_and_help.benchmark import BenchmarkTask
from experiments.watch_and_help.demonstrations import Demonstration, play
from experiments.watch_and_help.helping.asking import AskingPlayer
from experiments.watch_and_help.helping.methods import Method, goal_for, players
from experiments.watch_and_help.inferred_goals import Inferred, Posteriors
from experiments.watch_and_help.policies.players import Policies
from rlhf.records.json_records import from_json
from rlhf.store.files.durable import write_file
from worlds.household.homes.placing import place
from worlds.household.navigation.ways import Ways
from worlds.household.players.planner import NO_PLAN
from worlds.household.players.revising import RevisingPlayer
from worlds.household.state.home import Home
from worlds.household.state.vocabulary import Verb
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.progress import GoalCheck

TRIES = 5  # of each task (Watch-And-Help, Appendix B.2)
_STRIDE = 2  # seeds of an episode: Alice's, and the next one for her helper


@dataclass(frozen=True)
class HelpEpisode:
    """What came of one episode.

    Args:
      success: True if Alice's goal was reached within the horizon.
      waits: steps at which Alice and her helper found no plan.
      undone: things that satisfied Alice's goal and that the helper took away.
      contradicted: things that the helper had placed and that Alice took away.
      delays: of those, the steps after which the helper wanted fewer such things there; -1 where it never did.
    """

    task: str
    sets: tuple[str, ...]
    attempt: int
    success: bool
    steps: int
    waits: tuple[int, int]
    undone: int
    contradicted: int = 0
    delays: tuple[int, ...] = ()
    questions: int = 0


def seed_of(seed: int, task_number: int, attempt: int) -> int:
    """Return the seed of an episode's players; all helpers meet the same Alice."""
    return _STRIDE * ((seed * TRIES + attempt) * 1000 + task_number)


def play_episode(
    method: Method,
    task: BenchmarkTask,
    number: int,
    attempt: int,
    seed: int,
    inferred: Inferred | None,
    policies: Policies | None = None,
) -> HelpEpisode:
    """Play one task with one helper.

    Args:
      inferred: what was inferred for the tasks; None for nothing.
    """
    home, state = place(task.help)
    own = seed_of(seed, number, attempt)
    alice, bob = players(method, home, task, goal_for(method, task, inferred, own), own, inferred, policies)
    check = GoalCheck(home, task.goal, home.persons[0])
    played = play(home, state, Ways(home, state), check, alice, bob, own)
    waits = [sum(notes[person] == NO_PLAN for notes in played.notes) for person in (0, 1)]
    events = contradictions(home, played)
    revisions = bob.revisions if isinstance(bob, RevisingPlayer) else []
    delays = tuple(_delay(revisions, step, predicate) for step, predicate in events)
    questions = len(bob.asked) if isinstance(bob, AskingPlayer) else 0
    return HelpEpisode(
        task.name, task.sets, attempt, played.success, played.steps, (waits[0], waits[1]), times_undone(played),
        len(events), delays, questions,
    )  # fmt: skip


def times_undone(played: Demonstration) -> int:
    """Return how often the helper took away what satisfied Alice's goal."""
    fell = [after < before for before, after in zip([0, *played.satisfied], played.satisfied, strict=False)]
    took = [both[1][0] == Verb.GRAB and not why[1] for both, why in zip(played.acts, played.reasons, strict=True)]
    return sum(one and other for one, other in zip(fell, took, strict=True))


def contradictions(home: Home, played: Demonstration) -> list[tuple[int, str]]:
    """Return the steps at which Alice took away what her helper had placed, and the predicates that it satisfied."""
    placed: dict[int, str] = {}
    found: list[tuple[int, str]] = []
    for step, ((hers, his), (why_hers, why_his)) in enumerate(zip(played.acts, played.reasons, strict=True)):
        if hers[0] == Verb.GRAB and not why_hers and hers[1] in placed:
            found.append((step, placed.pop(hers[1])))
        words = played.subgoals[step][1].split()
        if his[0] in (Verb.PUT_ON, Verb.PUT_IN) and not why_his and words:
            placed[home.row_of[int(words[1])]] = words[0]
        elif his[0] == Verb.GRAB and not why_his:
            placed.pop(his[1], None)
    return found


def _delay(revisions: Sequence[tuple[int, Mapping[str, int]]], step: int, predicate: str) -> int:
    """Return how many steps after ``step`` a helper wanted fewer things for a predicate; -1 for never."""
    before = next((goal.get(predicate, 0) for at, goal in reversed(revisions) if at <= step), 0)
    later = (at for at, goal in revisions if at > step and goal.get(predicate, 0) < before)
    return next((at - step for at in later), 0 if revisions and not before else -1)


def episodes_file(folder: Path, seed: int, split: str, name: str, attempt: int) -> Path:
    """Return the file of the episodes of one helper and try."""
    return folder / "help" / f"seed-{seed}" / split / f"{slug(name)}-{attempt}.json"


def digest(goals: Mapping[str, Goal] | Posteriors) -> str:
    """Return what tells inferred goals from others: episodes with other ones are played again."""
    return hashlib.sha256(json.dumps(goals, sort_keys=True).encode()).hexdigest()[:16]


def save_episodes(path: Path, episodes: Sequence[HelpEpisode], inferred: str = "") -> None:
    """Write episodes; a reader sees the whole file or none.

    Args:
      inferred: :func:`digest` of the goals that the helper pursued, and what tells its policies from others; "" for
        neither.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    found = {"inferred": inferred, "episodes": [asdict(each) for each in episodes]}
    write_file(path, json.dumps(found, indent=0).encode())


def load_episodes(path: Path) -> list[HelpEpisode]:
    """Return the episodes of a file; none if it does not exist."""
    if not path.is_file():
        return []
    return [from_json(HelpEpisode, row) for row in json.loads(path.read_bytes())["episodes"]]
