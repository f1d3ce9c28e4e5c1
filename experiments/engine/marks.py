"""Numbers of marks that each arm of an experiment learned from, reported beside its success."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from annotation.next_requests import NEXT_REQUEST
from experiments.engine.config import ExperimentConfig, data_of, folder_of, learns_from_marks, marking_of, marks_stage
from experiments.engine.results_docs import ResultTable
from experiments.engine.rows import Row, Rows
from experiments.engine.table import mean, seeds, table
from pipelines.stages.mark import marks_in_five_minutes
from pipelines.stages.running.staged_run import finished_stages
from rlhf.store import open_store

MARKS = "marks"
ABOUT = "Marks in training houses that reward models learned from, mean of a seed."


def mark_rows(config: ExperimentConfig, title: str) -> Iterator[Row]:
    """Yield the marks of every arm that learns from marks, for the seeds whose marks are complete.

    Of play in training houses: ``marks`` is the number of raters' marks, ``before requests`` that of marks of setters'
    next requests, ``marked`` that of episodes with raters' marks, ``episodes`` that of all, ``density`` the marks of a
    rater in five minutes, where raters mark all that they notice.
    """
    known: dict[tuple[str | None, int], Mapping[str, float]] = {}
    for name, arm in config.arms.items():
        for seed in config.seeds if learns_from_marks(arm) else ():
            if marks_stage(arm.marks) in {stage.name for stage in finished_stages(folder_of(config, seed))}:
                if (arm.marks, seed) not in known:
                    known[arm.marks, seed] = _count(config, arm.marks, seed)
                yield Row(f"{title}/{MARKS}", name, seed, measures=known[arm.marks, seed])


def marks_table(rows: Rows) -> ResultTable:
    """Return the numbers of every arm, means over seeds."""
    columns = (
        ("marks of raters", mean("marks", ",.0f")),
        ("before requests", mean("before requests", ",.0f")),
        ("in five minutes, of a rater", mean("density", ".1f")),
        ("episodes with marks", mean("marked", ",.0f")),
        ("of episodes", mean("episodes", ",.0f")),
        ("seeds", seeds),
    )
    return table(rows, "agent", columns)


def _count(config: ExperimentConfig, marks: str | None, seed: int) -> Mapping[str, float]:
    store = open_store(data_of(config, marks, seed))
    rows = {row.episode_id for row in store.rows(split="train")}
    given = [mark for mark in store.marks() if mark.episode_id in rows]
    rated = [mark for mark in given if mark.rater != NEXT_REQUEST]
    found: dict[str, float] = {"marks": len(rated), "before requests": len(given) - len(rated), "episodes": len(rows)}
    found["marked"] = len({mark.episode_id for mark in rated})
    density = marks_in_five_minutes(store, marking_of(config, marks)[0], "train")
    return found if density is None else {**found, "density": density}
