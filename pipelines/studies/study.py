"""A study: several agents that differ in one thing each, trained from several seeds and compared on the same episodes.

Everything that agents have in common is made once a seed (demonstrations, the cloned agent, its play, its marks), and
so is every reward model that more than one of them is improved against. What another study beside this one has made
already is taken over. The table is written anew whenever another agent has been evaluated; a cell whose agent there is
not yet says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from agents.computing import usable_device
from pipelines.stages.running.staged_run import open_run, run_stages
from pipelines.studies.config import StudyConfig, folder_of, resolve_config
from pipelines.studies.sharing import take_over
from pipelines.studies.steps import study_steps
from rlhf.run.config import lock_run
from worlds.errors import UserError


def study(config: StudyConfig, only: tuple[str, ...] = ()) -> Iterator[tuple[str, int]]:
    """Make and evaluate every arm from every seed, the first arms of all seeds first; yield (arm, seed) after each.

    An interrupted study goes on where it was. What another study in the folder beside it has made is taken over.

    Args:
      only: names of arms to make now; none means all.

    Raises:
      UserError: if the folder holds another study, ``only`` names arms that there are not, or the device is not here.
    """
    if unknown := [name for name in only if name not in config.arms]:
        raise UserError(f"no arm {unknown[0]!r} in this study; known: {', '.join(config.arms)}")
    if config.device is not None:
        usable_device(config.device)  # said now, not when the first agent is to be trained
    config = resolve_config(config)
    open_run(config.run, config, "study", free=("seeds", "device", "also_compared_with"))
    with lock_run(config.run):
        take_over(config)
        for name in only or config.arms:
            for seed in config.seeds:
                run_stages(folder_of(config, seed), study_steps(config, name, seed), title=f"{name}, seed {seed}: ")
                yield name, seed
