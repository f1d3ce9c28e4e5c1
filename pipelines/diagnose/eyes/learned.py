"""What an agent learned from, as noted by its run and the runs that it started from."""

from __future__ import annotations

from pathlib import Path

from pipelines.stages.episodes.division import noted_division
from pipelines.stages.episodes.noted_episodes import noted_episodes
from pipelines.stages.executors import HELD_OUT
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.config import CONFIG_FILE, read_record


def learned_episodes(agent: Path) -> frozenset[str] | None:
    """Return the ids of the episodes that the agent in a folder learned from, earlier trainings included.

    Episodes on which a training was only evaluated do not count.

    Returns:
      The ids; None if they are not known: the folder does not lie in its run's, or one of the runs noted no episodes.

    Raises UserError if what a run noted is damaged.
    """
    run = _run_of(agent)
    learned = _learned_in(run)
    if learned is None or not (run / CONFIG_FILE).is_file():
        return None
    begun = read_record(run)["config"].get("agent")
    if begun is None:
        return learned
    before = learned_episodes(Path(begun))
    return None if before is None else learned | before


def _run_of(agent: Path) -> Path:
    """Return the folder of the run of an agent, or of an agent in one of the run's checkpoints."""
    folder = agent.resolve().parent
    run = folder.parent.parent
    return run if folder.parent == Checkpoints(run).folder else folder


def _learned_in(run: Path) -> frozenset[str] | None:
    if (division := noted_division(run)) is not None:
        return division.learned
    if (parts := noted_episodes(run).parts) is None:
        return None
    return frozenset().union(*(ids for use, ids in parts.items() if use != HELD_OUT))
