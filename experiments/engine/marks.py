"""Numbers of marks that each arm of an experiment learned from, reported beside its success."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from experiments.engine.config import ExperimentConfig, data_of, folder_of, learns_from_marks, marks_stage
from experiments.engine.results_docs import markdown_table
from pipelines.stages.mark import marks_in_five_minutes
from pipelines.stages.running.staged_run import finished_stages
from rlhf.store import open_store

Learned = Mapping[str, Mapping[int, "MarksLearned"]]  # arm -> seed -> its marks


@dataclass(frozen=True)
class MarksLearned:
    """Marks on play in training houses.

    Args:
      marks: their number.
      marked: number of episodes with marks.
      episodes: number of all episodes.
      density: marks of a rater in five minutes.
    """

    marks: int
    marked: int
    episodes: int
    density: float


def learned_from(config: ExperimentConfig) -> dict[str, dict[int, MarksLearned]]:
    """Count the marks of every arm that learns from marks, for the seeds whose marks are complete."""
    known: dict[tuple[str | None, int], MarksLearned] = {}
    found: dict[str, dict[int, MarksLearned]] = {}
    for name, arm in config.arms.items():
        if not learns_from_marks(arm):
            continue
        for seed in config.seeds:
            if marks_stage(arm.marks) not in {stage.name for stage in finished_stages(folder_of(config, seed))}:
                continue
            if (arm.marks, seed) not in known:
                known[arm.marks, seed] = _count(config, arm.marks, seed)
            found.setdefault(name, {})[seed] = known[arm.marks, seed]
    return found


def mean_marks(seeds: Mapping[int, MarksLearned]) -> float:
    """Mean number of marks of a seed."""
    return sum(one.marks for one in seeds.values()) / len(seeds)


def marks_table(learned: Learned) -> str:
    """Format the numbers as Markdown, means over seeds."""
    head = ["agent", "marks", "in five minutes, of a rater", "episodes with marks", "of episodes", "seeds"]
    rows = list[tuple[str, ...]]()
    for name, seeds in learned.items():
        density, marked, episodes = (
            sum(getattr(one, field) for one in seeds.values()) / len(seeds)
            for field in ("density", "marked", "episodes")
        )
        cells = [f"{mean_marks(seeds):,.0f}", f"{density:.1f}", f"{marked:,.0f}", f"{episodes:,.0f}"]
        rows.append((name, *cells, ", ".join(map(str, seeds))))
    about = "Marks in training houses that reward models learned from, mean of a seed."
    return f"{about}\n\n{markdown_table(head, rows)}"


def _count(config: ExperimentConfig, marks: str | None, seed: int) -> MarksLearned:
    store = open_store(data_of(config, marks, seed))
    rows = {row.episode_id for row in store.rows(split="train")}
    given = [mark for mark in store.marks() if mark.episode_id in rows]
    density = marks_in_five_minutes(store, config.mark if marks is None else config.marks[marks], "train")
    return MarksLearned(len(given), len({mark.episode_id for mark in given}), len(rows), density or 0.0)
