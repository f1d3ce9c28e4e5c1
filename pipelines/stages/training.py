"""The one resumable training: `rlhf clone`, `reward`, `refine`, `improve` and the learners of experiments declare what
they train, and :func:`train` does the rest.
"""

from __future__ import annotations

import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from agents.agent import InteractiveAgent
from agents.card import ModelCard
from agents.computing import usable_device
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from pipelines.stages.outcomes.cards import latest_metrics
from pipelines.stages.training_config import TrainingRunConfig
from rlhf.learning.alarms import AlarmLog
from rlhf.learning.config import Schedule
from rlhf.learning.guards import Alarm
from rlhf.learning.training import Trainable, Training, crosses
from rlhf.run.checkpoint import Checkpoint, Checkpoints
from rlhf.run.config import locked_run, save_settings
from rlhf.run.progress import announce, bar, duration
from rlhf.run.stopping import between_updates
from rlhf.run.tracking import Tracker

LONG_SEC = 3600.0
_MEASURED = 3  # updates after the first, which compiles and fills caches

Settings = TypeVar("Settings", bound=TrainingRunConfig)
Watch = Callable[[int, Mapping[str, float]], Sequence[Alarm]]
"""Returns what is wrong with an update, by its number and its metrics."""


class TrainingStage(ABC, Generic[Settings]):
    """Declaration of what a stage trains, from its settings. Its methods are called in the order of this class."""

    command: ClassVar[str]  # that resumes a run, without its settings
    made: ClassVar[str] = "agent"  # folder of the result in that of the run
    updates_setting: ClassVar[str] = "--training.updates"
    fixed: ClassVar[Sequence[str]]  # settings that decide what a run is; all others may change when it is resumed
    keep_checkpoints = 3

    config: Settings
    schedule: Schedule
    # From prepare on: what is trained (a reward model, too), its tokenizer, its card without metrics, and the text
    # beside the progress.
    agent: InteractiveAgent
    tokenizer: Tokenizer
    card: ModelCard
    title: str
    watch: Watch | None = None  # without one, the run writes no alarms.jsonl

    @abstractmethod
    def prepare(self, folder: Path, checkpoint: Checkpoint | None) -> Trainable:
        """Read the data and the models, with the weights of a checkpoint to resume from, and return what is trained.

        Raises:
          UserError: if an input is missing or does not fit the others.
        """

    @abstractmethod
    def begin(self, folder: Path) -> None:
        """Write into a new run's folder what it begins with."""

    @property
    def remembered(self) -> Settings:
        """Settings that are written into the run's folder."""
        return self.config

    def first_metrics(self) -> dict[str, float]:
        """Return metrics of a new run before its first update."""
        return {}

    def finish(self, training: Training, folder: Path, tracker: Tracker) -> dict[str, float]:
        """Complete the model, which has the weights that are kept; return further metrics for its card."""
        return {}

    @abstractmethod
    def report(self, training: Training, folder: Path) -> None:
        """Say in a line or two what came of it."""

    def close(self) -> None:  # noqa: B027 - most stages open nothing
        """Close what was opened, as far as it was. Closing twice does no harm."""


def train(stage: TrainingStage[Any]) -> Path:
    """Train what ``stage`` declares, or resume its run, and return the folder of the result."""
    config = stage.config
    usable_device(config.device)
    with locked_run(config, stage.fixed, stage.command) as folder, closing(stage):
        checkpoint = Checkpoints(folder).latest_if_any()
        training = Training(stage.prepare(folder, checkpoint), stage.schedule)
        if checkpoint is None:
            stage.begin(folder)
        else:
            with checkpoint.taken_over() as state:
                training.load_state_dict(state)
        save_settings(folder, stage.remembered)
        further: dict[str, float] = {}

        def save(into: Path) -> Path:
            card = replace(stage.card, metrics=latest_metrics(folder) | further)
            return save_agent(stage.agent, stage.tokenizer, into, card)

        with Tracker(folder, config, config.wandb, resume_step=training.done) as tracker:
            make_updates(
                training, folder, tracker, save, config.checkpoint_every, stage.title, stage.made,
                stage.first_metrics if checkpoint is None else dict, stage.watch,
                stage.keep_checkpoints, stage.updates_setting,
            )  # fmt: skip
            training.keep_best()
            further = stage.finish(training, folder, tracker)
        saved = save(folder / stage.made)
        stage.report(training, folder)
        announce(f"{_words(stage.made)}: {saved}")
        return saved


def train_in(
    folder: Path,
    trained: Trainable,
    schedule: Schedule,
    save: Callable[[Path], object],
    checkpoint_every: int,
    title: str,
    unit: str = "updates",
    between_checkpoints: bool = True,
) -> Training:
    """Train in a folder that has no settings of its own, or resume it: for the learners of experiments.

    Args: as those of :func:`make_updates`.
    """
    training = Training(trained, schedule)
    if (checkpoint := Checkpoints(folder).latest_if_any()) is not None:
        checkpoint.load_weights_into(trained.model)
        with checkpoint.taken_over() as state:
            training.load_state_dict(state)
    folder.mkdir(parents=True, exist_ok=True)
    with Tracker(folder, wandb_mode="disabled", resume_step=training.done) as tracker:
        make_updates(
            training, folder, tracker, save, checkpoint_every, title, keep_checkpoints=1, unit=unit,
            between_checkpoints=between_checkpoints,
        )  # fmt: skip
    training.keep_best()
    return training


def make_updates(
    training: Training,
    folder: Path,
    tracker: Tracker,
    save: Callable[[Path], object],
    checkpoint_every: int,
    title: str,
    made: str | None = None,
    first_metrics: Callable[[], dict[str, float]] = dict,
    watch: Watch | None = None,
    keep_checkpoints: int = 3,
    updates_setting: str | None = None,
    unit: str = "updates",
    between_checkpoints: bool = True,
) -> None:
    """Make the remaining updates of the run in ``folder``, with progress, metrics, alarms and checkpoints.

    Args:
      training: training with the state of the run's last checkpoint, if there is one.
      made: folder of the result in the run's, for the message of a run that is finished.
      watch: returns alarms of an update; None writes no alarms.
      updates_setting: setting of the number of updates, as typed, for a warning of a long training; None: no warning.
      between_checkpoints: whether the state between two checkpoints is complete; else a signal saves nothing, and the
        updates since the last checkpoint are made again.

    Raises:
      Stopped: after a signal, with a checkpoint.
    """
    total, done, share = training.schedule.updates, training.done, training.progress
    if training.finished:
        result = f"; its {_words(made)}: {folder / made}" if made is not None else ""
        announce(f"{folder} is finished: {done} {unit} were made{result}")
        return
    checkpoints = Checkpoints(folder, keep_checkpoints)
    check = DurationCheck(updates_setting, done, share) if updates_setting is not None else None
    with ExitStack() as opened:
        alarms = opened.enter_context(AlarmLog(folder, resume_step=done)) if watch is not None else None

        def look(update: int, metrics: Mapping[str, float]) -> None:
            if watch is not None and alarms is not None:
                for alarm in watch(update, metrics):
                    alarms.add(alarm)
                    warnings.warn(str(alarm), stacklevel=3)
                    if alarm.stops:
                        training.lose_patience()

        shown = opened.enter_context(bar(title, total, unit, done=done, share=share))
        if metrics := first_metrics():
            look(0, metrics)
            training.compare(metrics)
            tracker.log(metrics, 0)
        stop = opened.enter_context(between_updates())
        for report in training.updates():
            look(report.done, report.metrics)
            if report.logged:
                tracker.log(report.metrics, report.done)
            shown.update(report.done, training.trained.note(report.metrics), training.progress)
            if check is not None:
                check.update(report.done, training.progress)
            # Patience may end the run soon: the best so far is saved at once.
            best = report.best and training.schedule.patience is not None
            saves = training.finished or best or crosses(done, report.done, checkpoint_every)
            done = report.done
            if saves or (stop.requested and between_checkpoints):
                # A checkpoint at an interruption is no candidate for the best one.
                kept = checkpoints.write(done, save, training.state_dict(), report.score if saves else None)
                if stop.requested:
                    announce(f"checkpoint of update {kept.step}: {kept.folder}")
            if stop.requested:
                break


class DurationCheck:
    """Announcement, after a few updates, that a training takes more than an hour, with a smaller choice.

    Args:
      setting: the setting of the number of updates, as typed, e.g. "--training.updates".
      share: share of the training made before, from 0 to 1.
      clock: returns the time in seconds.
    """

    def __init__(
        self,
        setting: str,
        done: int,
        share: float,
        smaller: str = "--preset demo",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._setting, self._first, self._begun_at = setting, done, share
        self._smaller, self._clock = smaller, clock
        self._start: tuple[float, int, float] | None = None  # time, updates and share after the first update
        self._over = False

    def update(self, done: int, share: float) -> None:
        """Record that ``done`` updates have been made in all, which is ``share`` of the training."""
        if self._over or done <= self._first:
            return
        if self._start is None:
            self._start = (self._clock(), done, share)
            return
        began, first, before = self._start
        if done < first + _MEASURED or share <= before:
            return
        self._over = True
        gone = self._clock() - began
        left = gone * (1.0 - share) / (share - before)
        if left > LONG_SEC:
            fits = _rounded(int(LONG_SEC * (done - first) / gone))
            announce(
                f"this takes about {duration(left)} on this machine ({gone / (done - first):.1f} s an update); for an "
                f"hour of training set {self._setting} {fits}, or {self._smaller} for a small one"
            )


def _rounded(count: int) -> int:
    """``count`` rounded down to two digits, at least 1."""
    digits = max(0, len(str(count)) - 2)
    return max(1, count // 10**digits * 10**digits)


def _words(made: str) -> str:
    return made.replace("_", " ")
