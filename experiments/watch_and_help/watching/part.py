"""The part "watch": models that infer goals from demonstrations are trained, and measured on both tests.

```
RUN/watch/demonstrations/...: what Alice showed
RUN/watch/frames/GROUP.npz, GROUP-last.npz, GROUP-HxW.npy: what is seen of it, and through Alice's eyes
RUN/watch/seed-S/VARIANT/...: a model; measures.json, written last
RUN/watch/seed-S/goals-SPLIT.json, posteriors-SPLIT.json: what the first variant infers for the tasks of a test
```
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap

from experiments.engine.page import Section, write_page
from experiments.watch_and_help.benchmark import DEMONSTRATIONS
from experiments.watch_and_help.inferred_goals import (
    EARLY,
    save_goals,
    save_posteriors,
)
from experiments.watch_and_help.watching.frames import Frames, draw, goal_of, watched
from experiments.watch_and_help.watching.measures import LEAST, SHARES, accuracy, chance, last_frames, posterior_at
from experiments.watch_and_help.watching.model import Watcher, WatcherConfig, load_watcher, save_watcher
from experiments.watch_and_help.watching.results import (
    Measures,
    measures_file,
    save_measures,
    section_of,
)
from experiments.watch_and_help.watching.shown import TASKS, load_shown, make_demonstrations
from experiments.watch_and_help.watching.training import Watching, WatchTraining
from pipelines.stages.running.staged_run import Stage
from pipelines.stages.training import train_in
from rlhf.run.progress import announce, progress
from worlds.household.drawing.camera import Pictures
from worlds.household.tasks.sets import PREDICATES
from worlds.household.tasks.splits import TEST_1, TEST_2, TRAIN, goals_of

TESTS = (TEST_1, TEST_2)
_CHECKPOINT_EVERY = 500  # updates
_LAST = "-last"


@dataclass(frozen=True)
class Variant:
    """A model that is compared.

    Args:
      spliced: share of the demonstrations of training that are spliced with one of another goal.
    """

    config: WatcherConfig = WatcherConfig()
    spliced: float = 0.7


USUAL = "whole demonstration"
VARIANTS: Mapping[str, Variant] = {
    USUAL: Variant(),
    "not spliced": Variant(spliced=0.0),
    "end known": Variant(WatcherConfig(ended=True)),
    "actions too": Variant(WatcherConfig(actions=True)),
    "last state only": Variant(WatcherConfig(only_last=True), spliced=0.0),
    "pictures": Variant(WatcherConfig(picture=(72, 96))),
}


@dataclass(frozen=True)
class WatchSettings:
    """Size of the part.

    Args:
      demonstrations: successful ones of training and of each test, and tasks of each test, by group; None means the
        published numbers, and all tasks.
      variants: models by name; the first infers the goals for the part "help".
      training: of each model; seed and spliced share are those of the experiment and the variant.
    """

    demonstrations: Mapping[str, int] | None = None
    variants: Mapping[str, Variant] = field(default_factory=lambda: VARIANTS)
    training: WatchTraining = WatchTraining()

    @property
    def counts(self) -> Mapping[str, int]:
        """Demonstrations of each group."""
        if self.demonstrations is not None:
            return self.demonstrations
        return dict(DEMONSTRATIONS) | {group: len(goals_of(split)) for group, split in TASKS.items()}


FULL = WatchSettings()


def stages(folder: Path, seed: int, settings: WatchSettings = FULL) -> list[Stage]:
    """Return the stages that train and measure every model; the first model also infers the goals."""

    def learn(name: str, variant: Variant) -> None:
        make_demonstrations(folder / "watch" / "demonstrations", settings.counts, os.cpu_count() or 1)
        model = _trained(folder, seed, name, variant, settings)
        save_measures(measures_file(folder, seed, name), _measured(folder, model, settings))
        if name == next(iter(settings.variants)):
            _infer_goals(folder, seed, model, settings)
        write_page(folder / "watch", "Watch", [section_of(folder, settings.variants)])

    return [
        Stage(f"watch: {name}", "a model that infers goals", partial(learn, name, variant))
        for name, variant in settings.variants.items()
    ]


def section(folder: Path) -> Section:
    """Return the tables of the part; see :mod:`experiments.watch_and_help.parts`."""
    return section_of(folder, VARIANTS)


def frames_of(folder: Path, group: str, settings: WatchSettings = FULL, last: bool = False) -> Frames:
    """Return what is seen of the demonstrations of a group; it is computed once and stored.

    Args:
      group: see :func:`experiments.watch_and_help.watching.shown.show`.
    """
    where = folder / "watch" / "frames"
    paths = [where / f"{group}{ending}.npz" for ending in ("", _LAST)]
    if not all(path.exists() for path in paths):
        where.mkdir(parents=True, exist_ok=True)
        count = settings.counts[group]
        shown = load_shown(folder / "watch" / "demonstrations", group, count)
        seen = [watched(each) for each in progress(shown, count, f"frames of {group}", "demonstration")]
        for path, parts in zip(paths, zip(*seen, strict=True), strict=True):
            Frames.join(parts).save(unfinished := path.with_name(f".{path.name}"))
            os.replace(unfinished, path)
    return Frames.load(paths[last])


def drawn_frames(folder: Path, group: str, config: WatcherConfig, settings: WatchSettings = FULL) -> Frames:
    """Return what a model sees of the demonstrations of a group, with pictures if it sees by them.

    Args:
      group: see :func:`frames_of`.
    """
    frames = frames_of(folder, group, settings, config.only_last)
    if not any(config.picture):
        return frames
    height, width = config.picture
    path = folder / "watch" / "frames" / f"{group}-{height}x{width}.npy"
    if not path.exists():
        pictures, first = Pictures(height, width), frames.first.tolist()
        unfinished = path.with_name(f".{path.name}")
        drawn = open_memmap(unfinished, "w+", np.uint8, (first[-1], height, width, 3))
        shown = load_shown(folder / "watch" / "demonstrations", group, len(frames))
        for number, each in enumerate(progress(shown, len(frames), f"pictures of {group}", "demonstration")):
            rows = slice(first[number], first[number + 1])
            drawn[rows] = draw(each, frames.step[rows].tolist(), pictures)
        drawn.flush()
        os.replace(unfinished, path)
    return replace(frames, picture=np.load(path, mmap_mode="r"))


def _trained(folder: Path, seed: int, name: str, variant: Variant, settings: WatchSettings) -> Watcher:
    """The trained model, from its folder if it is there."""
    where = measures_file(folder, seed, name).parent
    if (where / "model.safetensors").exists():
        return load_watcher(where)
    frames = drawn_frames(folder, TRAIN, variant.config, settings)
    training = replace(
        settings.training, training=replace(settings.training.training, seed=seed), spliced=variant.spliced
    )
    facts = {"demonstrations": len(frames), "seed": seed, "spliced": variant.spliced, **asdict(training.training)}
    watching = Watching(variant.config, frames, training)

    def save(into: Path) -> None:
        save_watcher(watching.model, into, facts)

    train_in(where, watching, training.training, save, _CHECKPOINT_EVERY, f"model {name!r}, seed {seed}")
    save(where)
    return watching.model.eval()


def _measured(folder: Path, model: Watcher, settings: WatchSettings) -> Measures:
    """Accuracies after the whole demonstrations of each test, and the posterior on the way."""
    goals = frames_of(folder, TRAIN, settings).goal
    accuracies, by_chance, posteriors = {}, {}, {}
    for split in TESTS:
        frames = drawn_frames(folder, split, model.config, settings)
        probabilities = model.probabilities(frames)
        last = probabilities[frames.first[1:] - 1]
        accuracies[split] = accuracy(last.argmax(-1), frames.goal)
        by_chance[split] = chance(goals, frames.goal)
        shares = (1.0,) if model.config.only_last else SHARES
        posteriors[split] = [posterior_at(probabilities, frames, share) for share in shares]
    return Measures(accuracies, by_chance, posteriors)


def _possible(probabilities: np.ndarray) -> dict[str, list[float]]:
    """Probabilities of the counts of the predicates that are possible: float [predicates, counts]."""
    each = zip(PREDICATES, probabilities.tolist(), strict=True)
    return {text: [round(one, 4) for one in counts] for text, counts in each if 1 - counts[0] >= LEAST}


def _infer_goals(folder: Path, seed: int, model: Watcher, settings: WatchSettings) -> None:
    """Write the goals that a model infers for the tasks of both tests, and the posteriors on the way."""
    for group, split in TASKS.items():
        frames = drawn_frames(folder, group, model.config, settings)
        shown = load_shown(folder / "watch" / "demonstrations", group, settings.counts[group])
        names = [each.name for each in shown]
        probabilities = model.probabilities(frames)
        last = probabilities[frames.first[1:] - 1].argmax(-1)
        save_goals(folder, seed, split, {name: goal_of(counts) for name, counts in zip(names, last, strict=True)})
        by_share = {str(share): probabilities[last_frames(frames, share)] for share in EARLY}
        posteriors = {
            share: {name: _possible(each) for name, each in zip(names, every, strict=True)}
            for share, every in by_share.items()
        }
        save_posteriors(folder, seed, split, posteriors)
    announce(f"seed {seed}: goals of the tasks of both tests are inferred")
