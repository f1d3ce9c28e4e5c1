"""The check that a training of a reward model which is resumed ends as one that was never interrupted."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import torch

from reward_models.learning.training import RewardTrainer, RewardTraining, finished
from rlhf.learning.training import Training


def ends_the_same(begun: Callable[[], RewardTrainer]) -> RewardTraining:
    """Check it, from the checkpoint after the first evaluation, and return the result."""
    trainer, saved = begun(), list[dict[str, Any]]()
    trainer.model.prepare(trainer.play)
    training = Training(trainer, trainer.config)
    for report in training.updates():
        if report.score is not None and not saved:
            buffer = io.BytesIO()
            torch.save({"model": trainer.model.state_dict(), "training": training.state_dict()}, buffer)
            buffer.seek(0)
            saved.append(torch.load(buffer, weights_only=True))
    training.keep_best()
    whole, again = finished(trainer, training), begun()
    assert 0 < saved[0]["training"]["done"] < training.done
    again.model.load_state_dict(saved[0]["model"])
    resumption = Training(again, again.config)
    resumption.load_state_dict(saved[0]["training"])
    resumption.run()
    resumed, expected = finished(again, resumption), whole.model.state_dict()
    assert resumed.metrics == whole.metrics
    assert all(torch.equal(value, expected[name]) for name, value in resumed.model.state_dict().items())
    return whole
