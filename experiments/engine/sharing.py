"""Reuse of finished stages with the same settings from other experiments in the same folder.

The experiments of :mod:`pipelines.presets` begin with the same demonstrations, cloned agents, play and marks, which
are half of an experiment's hours. Play and weights, which never change, are hard-linked where the file system can, the
rest is copied, so that experiments stay independent of each other.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from experiments.engine.config import ExperimentConfig, folder_of
from experiments.engine.stages import SeedStages, serves
from pipelines.stages.running.staged_run import Stage, finished_stages, save_finished_stages
from rlhf.run.config import CONFIG_FILE, load_config, lock_run
from rlhf.run.progress import announce
from rlhf.store.files.durable import UNFINISHED, sync, sync_tree, write_file
from rlhf.store.transfer.shared_play import share_file
from worlds.errors import UserError

_NEVER_CHANGED = (".parquet", ".safetensors", ".pt")  # suffixes of recorded play and of weights


def reuse_stages(config: ExperimentConfig) -> None:
    """Reuse the finished stages of experiments in neighbouring folders that have the same settings as this one's.

    A folder of another experiment is reused as a whole or not at all, and nothing of an experiment that is running,
    that cannot be read, or whose stages were deleted.
    """
    for other in _studies_beside(config):
        try:
            with lock_run(other.run):
                for seed in config.seeds:
                    if reused := _reuse(config, other, seed):
                        announce(f"seed {seed}: reused from {other.run}: {', '.join(reused)}")
        except (UserError, OSError) as error:
            announce(f"nothing more is reused from {other.run}: {error}")


def _studies_beside(config: ExperimentConfig) -> Iterator[ExperimentConfig]:
    for path in sorted(config.run.parent.glob(f"*/{CONFIG_FILE}")):
        if path.parent != config.run:
            try:
                yield replace(load_config(path.parent, ExperimentConfig), run=path.parent)
            except UserError:
                continue  # another kind of run, or of another version


def _reuse(config: ExperimentConfig, other: ExperimentConfig, seed: int) -> list[str]:
    """Link the stages that can be reused from one experiment; return their names."""
    here, ours = folder_of(config, seed), _all_stages(config, seed)
    finished = {stage.name: stage for stage in finished_stages(folder_of(other, seed))}
    reused = list[str]()
    for theirs in _by_folder([stage for stage in _all_stages(other, seed) if stage.name in finished]):
        pairs = [(stage, own) for stage in theirs for own in ours if serves(stage, own)]
        places = {own.makes for _, own in pairs}
        made = theirs[0].makes
        if len(pairs) < len(theirs) or len(places) != 1 or not made.exists() or (place := places.pop()).exists():
            continue
        _link(made, place)
        done = [replace(finished[stage.name], name=own.name, note=own.note) for stage, own in pairs]
        save_finished_stages(here, [*finished_stages(here), *done])
        reused += [stage.name for stage in done]
    return reused


def _all_stages(config: ExperimentConfig, seed: int) -> list[Stage]:
    """Return every stage of every arm, once."""
    return list({stage.name: stage for arm in config.arms for stage in SeedStages(config, seed).arm(arm)}.values())


def _by_folder(done: list[Stage]) -> Iterable[list[Stage]]:
    """Group stages that write into the same folder."""
    places = dict[Path, list[Stage]]()
    for stage in done:
        places.setdefault(stage.makes, []).append(stage)
    return places.values()


def _link(source: Path, into: Path) -> None:
    """Copy or link ``source``, a file or a folder, to ``into``; whole or not at all, and on disk when this returns."""
    unfinished = into.with_name(into.name + UNFINISHED)
    shutil.rmtree(unfinished, ignore_errors=True)
    into.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, unfinished, symlinks=True, copy_function=_share_or_copy)
        sync_tree(unfinished)
        unfinished.rename(into)
        sync(into.parent)
    else:
        write_file(into, source.read_bytes())


def _share_or_copy(source: str, into: str) -> None:
    """Share files that never change; copy an index, a log or a lock, to which each experiment adds lines."""
    if Path(source).suffix in _NEVER_CHANGED:
        share_file(Path(source), Path(into))
    else:
        shutil.copy2(source, into)
