"""What studies have in common is made by one of them: the next one finds it beside itself and takes it over.

The studies of :mod:`pipelines.runs` begin with the same demonstrations, cloned agents, play and marks, which are half
of a study's hours. Play and weights, which are never changed, are linked where the file system can, the rest is
copied: whatever happens to one study, the other stays whole.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from pipelines.stages.running.staged_run import FinishedStage, Stage, finished_stages, save_finished_stages
from pipelines.studies.config import StudyConfig, folder_of
from pipelines.studies.steps import serves, study_steps
from rlhf.run.config import CONFIG_FILE, load_config, lock_run
from rlhf.run.progress import announce
from rlhf.store.durable import UNFINISHED, write_file
from rlhf.store.shared_play import share_file
from worlds.errors import UserError

_NEVER_CHANGED = (".parquet", ".safetensors", ".pt")  # suffixes of recorded play and of weights


def take_over(config: StudyConfig) -> None:
    """Take what the studies in folders beside this one have made of the very same settings and this one has not.

    What a study holds in one folder is taken as a whole or not at all, and nothing from a study that is at work.

    Raises:
      UserError: if what a study notes of its stages cannot be read.
    """
    for other in _studies_beside(config):
        try:
            with lock_run(other.run):
                for seed in config.seeds:
                    if taken := _take(config, other, seed):
                        announce(f"seed {seed}: taken over from {other.run}: {', '.join(taken)}")
        except UserError as error:
            announce(f"nothing more is taken over from {other.run}: {error}")


def _studies_beside(config: StudyConfig) -> Iterator[StudyConfig]:
    for path in sorted(config.run.parent.glob(f"*/{CONFIG_FILE}")):
        if path.parent != config.run:
            try:
                yield replace(load_config(path.parent, StudyConfig, older=True), run=path.parent)
            except UserError:
                continue  # another kind of run, or of another version


def _take(config: StudyConfig, other: StudyConfig, seed: int) -> list[str]:
    """Link what can be taken from one study; the names of the stages that are done with it."""
    here, ours = folder_of(config, seed), _all_works(config, seed)
    seconds = {stage.name: stage.seconds for stage in finished_stages(folder_of(other, seed))}
    taken = list[str]()
    for theirs in _by_place([work for work in _all_works(other, seed) if work.name in seconds]):
        pairs = [(work, own) for work in theirs for own in ours if serves(work, own)]
        places = {own.makes for _, own in pairs}
        if len(pairs) < len(theirs) or len(places) != 1 or (place := places.pop()).exists():
            continue
        _link(theirs[0].makes, place)
        done = [FinishedStage(own.name, seconds[work.name], own.note) for work, own in pairs]
        save_finished_stages(here, [*finished_stages(here), *done])
        taken += [stage.name for stage in done]
    return taken


def _all_works(config: StudyConfig, seed: int) -> list[Stage]:
    """Every stage of every arm, once."""
    return list({work.name: work for arm in config.arms for work in study_steps(config, arm, seed)}.values())


def _by_place(done: list[Stage]) -> Iterable[list[Stage]]:
    """Stages that write into one folder together."""
    places = dict[Path, list[Stage]]()
    for work in done:
        places.setdefault(work.makes, []).append(work)
    return places.values()


def _link(source: Path, into: Path) -> None:
    """``source``, a file or a folder, at ``into``, too; whole or not at all."""
    unfinished = into.with_name(into.name + UNFINISHED)
    shutil.rmtree(unfinished, ignore_errors=True)
    into.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, unfinished, symlinks=True, copy_function=_share_or_copy)
        unfinished.rename(into)
    else:
        write_file(into, source.read_bytes())


def _share_or_copy(source: str, into: str) -> None:
    """What is never changed is shared; an index, a log or a lock is each study's own, as lines are added to it."""
    if Path(source).suffix in _NEVER_CHANGED:
        share_file(Path(source), Path(into))
    else:
        shutil.copy2(source, into)
