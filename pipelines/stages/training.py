"""The running of a training in a stage: with progress, metrics and checkpoints, until its end or a signal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agents.card import ModelCard
from agents.tokenizer import Tokenizer
from pipelines.stages.outcomes.cards import latest_metrics
from pipelines.stages.running.duration import DurationCheck
from rlhf.learning.trainer import Trainer
from rlhf.run.checkpoint import Checkpoint, Checkpoints
from rlhf.run.progress import announce, bar
from rlhf.run.stopping import between_updates
from rlhf.run.tracking import Tracker


def run_training(
    trainer: Trainer,
    folder: Path,
    tokenizer: Tokenizer,
    tracker: Tracker,
    card: ModelCard,
    checkpoint_every: int,
    title: str,
    noted: Sequence[str],
) -> None:
    """Make the remaining updates of a run.

    Args:
      trainer: with the state of the run's last checkpoint, if there is one.
      folder: folder of the run.
      tokenizer: saved in checkpoints.
      tracker: of the run's metrics.
      card: model card without metrics, saved in checkpoints.
      checkpoint_every: updates between checkpoints.
      title: text beside the progress.
      noted: terms of the loss beside the progress.

    Raises:
      Stopped: after a signal, with a checkpoint.
    """
    if trainer.finished:
        announce(f"{folder} is finished: {trainer.update_index} updates were made")
        return
    checkpoints, done, share = Checkpoints(folder), trainer.update_index, trainer.progress
    duration = DurationCheck("--training.updates", done, share)
    with bar(title, trainer.config.updates, "updates", done=done, share=share) as shown, between_updates() as stop:

        def on_metrics(update: int, metrics: dict[str, float]) -> None:
            tracker.log(metrics, update)
            note = ", ".join(f"{name} {metrics[f'{trainer.prefix}/{name}']:.3f}" for name in noted)
            shown.update(update, note, trainer.progress)

        def on_checkpoint() -> Checkpoint:
            current = replace(card, metrics=latest_metrics(folder))
            return checkpoints.save(trainer.update_index, trainer.model, tokenizer, trainer.state_dict(), card=current)

        def on_progress(progress: float) -> None:
            shown.update(trainer.update_index, share=progress)
            duration.update(trainer.update_index, progress)
            stop.at_update(on_checkpoint)

        trainer.run(on_metrics, on_progress, on_checkpoint, checkpoint_every)
