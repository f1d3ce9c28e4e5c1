"""The losses of the first few updates of BC, IBT and BC+RL on a small fixed recording, and where they are written down.

A change that is not meant to change what is learned leaves them as they are, to the last bit. One that is meant to
renews the record, and says so in its message:

    python -m tests.unit.rlhf.learning.loss_record

Floating-point sums depend on the order in which they are made, which PyTorch chooses by its version, the processor
and the number of threads. The record says what it was made with; threads are always one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import tokenizers
import torch

from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.learning.training import RewardTrainer, RewardTrainingConfig
from reward_models.marks.marked_play import mark_play
from rlhf.data.memory import encode_episodes
from rlhf.data.windows import EpisodeStream
from rlhf.learning.cloner import Cloner, CloningConfig
from rlhf.learning.learner import Learner, LearnerConfig, RecordedWindow
from rlhf.records.episode import Episode
from rlhf.records.marks import Mark
from rlhf.run.machine import cpu_name
from tests.unit.rlhf import tiny_agent, tiny_world

PATH = Path(__file__).with_name("loss_record.json")
UPDATES = 4
Losses = dict[str, list[dict[str, float]]]


def made_with() -> dict[str, str]:
    """All that the last bits are known to depend on."""
    return {
        "torch": torch.__version__,
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "processor": cpu_name(),
        "numpy": np.__version__,
        "tokenizers": tokenizers.__version__,
    }


def measure() -> Losses:
    """The losses of every update by the name of what is learned, each update a mapping by the name of the term."""
    with _one_thread():
        return {"BC": _bc(), "IBT": _ibt(), "BC+RL": _bc_rl()}


def read() -> tuple[dict[str, str], Losses]:
    """What the record was made with, and the losses in it."""
    record = json.loads(PATH.read_text(encoding="utf-8"))
    losses = {
        name: [{term: float.fromhex(value) for term, value in update.items()} for update in updates]
        for name, updates in record["losses"].items()
    }
    return record["made_with"], losses


def write(losses: Losses) -> None:
    """Make ``losses`` the record."""
    exact = {
        name: [{term: value.hex() for term, value in update.items()} for update in updates]
        for name, updates in losses.items()
    }
    PATH.write_text(json.dumps({"made_with": made_with(), "losses": exact}, indent=1) + "\n", encoding="utf-8")


def _episodes() -> list[Episode]:
    return [tiny_world.record(number, 6 + number, requests=((1, 3 + number % 2),)) for number in range(6)]


def _bc() -> list[dict[str, float]]:
    play = encode_episodes(_episodes(), tiny_agent.tokenizer(), tiny_agent.config())
    config = CloningConfig(updates=UPDATES, steps=5, batch=4, learning_rate=1e-3, warmup=2)
    cloner = Cloner(tiny_agent.agent(), play, config)
    return [cloner.update(index / UPDATES) for index in range(UPDATES)]


def _ibt() -> list[dict[str, float]]:
    episodes, words, sizes = _episodes(), tiny_agent.tokenizer(), tiny_agent.config()
    marks = [
        Mark(episode.episode_id, "ann", step, 1 if (step + number) % 2 else -1, scripted=True)
        for number, episode in enumerate(episodes)
        for step in (3, 5)
    ]
    play, validation = (mark_play(some, marks, words, sizes) for some in (episodes[:4], episodes[4:]))
    config = RewardTrainingConfig(
        updates=UPDATES, steps=5, batch=4, learning_rate=1e-3, warmup=2, unmarked_drift_weight=0.5
    )
    model = InterTemporalRewardModel.from_agent(tiny_agent.agent(), seed=0)
    trainer = RewardTrainer(model, play, validation, config)
    return [trainer.update(index / UPDATES) for index in range(UPDATES)] + [trainer.evaluate()]


def _bc_rl() -> list[dict[str, float]]:
    player = tiny_agent.agent()
    fragments = [tiny_agent.fragment(player, seed=seed, off_policy=0.1) for seed in range(UPDATES)]
    play = encode_episodes(_episodes(), tiny_agent.tokenizer(), tiny_agent.config())
    stream = EpisodeStream(play, steps=6, batch=3, seed=0)
    learner = Learner(player, LearnerConfig(learning_rate=1e-3, entropy_weight=0.01))
    return [learner.update(fragment, RecordedWindow(*stream.next())) for fragment in fragments]


@contextmanager
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


if __name__ == "__main__":
    write(measure())
    print(f"{PATH} renewed; `git diff` shows what has changed")
