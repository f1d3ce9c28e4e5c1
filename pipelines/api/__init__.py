"""The loop as Python functions, which take paths and return paths or records.

    import pipelines as rl

    play = rl.record("data/play", episodes=20, seed=0)
    rl.mark(play)
    agent = rl.clone(play, name="clone", updates=200)
    model = rl.train_reward_model(play, agent=agent, updates=100)
    better = rl.improve(play, agent=agent, reward_model=model, updates=20, slots=8)
    results = rl.evaluate({"BC": agent, "BC+RL": better}, episodes=20)

Every function has the most common settings as keywords, and all others in the frozen configuration of the command of
that name: ``rl.clone(play, config=rl.CloneConfig(size="micro", held_out=0.1))``. A keyword that is None or left out
keeps the value of the configuration, which without ``config`` is the command's default. The same call completes an
interrupted recording, marking or evaluation; training is resumed with ``resume``.

Nothing here needs an ``if __name__ == "__main__":``. Progress goes to standard error.
"""

from __future__ import annotations

from pipelines.api.loop import clone, evaluate, improve, mark, record, train_reward_model
from pipelines.api.saved import load_agent, load_reward_model, open_dataset, score
from pipelines.stages.clone import CloneConfig
from pipelines.stages.evaluate import EvaluateConfig
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.outcomes.results_file import ProbeResult
from pipelines.stages.record import RecordConfig
from pipelines.stages.reward import RewardConfig
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from reward_models.learning.config import RewardTrainingConfig
from reward_models.loaded import Scores
from rlhf.learning.cloner import CloningConfig
from rlhf.learning.config import LearnerConfig
from rlhf.records.episode import Episode
from rlhf.records.marks import Mark
from rlhf.store import ParquetStore
from worlds.errors import UserError

__all__ = [
    "CloneConfig",
    "CloningConfig",
    "Episode",
    "EvaluateConfig",
    "ImproveConfig",
    "LearnerConfig",
    "Mark",
    "MarkConfig",
    "ParquetStore",
    "PlayersConfig",
    "ProbeResult",
    "RecordConfig",
    "RewardConfig",
    "RewardTrainingConfig",
    "Scores",
    "UserError",
    "WorldConfig",
    "clone",
    "evaluate",
    "improve",
    "load_agent",
    "load_reward_model",
    "mark",
    "open_dataset",
    "record",
    "score",
    "train_reward_model",
]
