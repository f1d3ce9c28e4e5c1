"""Settings of `rlhf improve`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from agents.ranges import Count, Seed, check_ranges
from pipelines.stages.episodes.play_kinds import parse_play_kinds
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.data.config import ReadingConfig
from rlhf.distributed.config import RayConfig
from rlhf.learning.config import ExecutorConfig, LearnerConfig
from rlhf.learning.guards import GuardConfig
from rlhf.run.tracking import WandbMode
from worlds.errors import UserError


@dataclass(frozen=True)
class ImproveConfig:
    """Settings of `rlhf improve`. The learner's defaults are the paper's (A.7).

    Args:
      data: dataset folders.
      imitate: solver whose recorded play BC imitates beside the rewards; None takes all.
      kinds: several kinds of play to imitate, with weights, as in `rlhf clone`. Takes the place of imitate.
      replay: solver of the episodes whose setters are replayed; None takes all. Held-out episodes are never trained on;
        they show whether the modelled reward rises there too.
      agent: folder of the cloned agent to improve.
      reward_model: folder of the reward model that pays.
      runs: folder of all runs.
      name: name of this run's folder in it; the improved agent is written into its folder "agent".
      scripted_reward: reward the ground truth of the tasks instead of the model's opinion (the paper's baseline).
      pays: what a reward model pays at every step: the "change" of its utility (Eq. 2), or the "utility" itself.
      expected_reward: have a reward model that draws marks (AR) pay what it expects to draw, not what it draws.
      slots: places that are played at once.
      steps: length T of every fragment that is played.
      updates: number of gradient steps of the learner.
      batch: trajectories of recorded play in every update; None takes as many as there are slots (2 x B in all).
      evaluate_every: updates between plays of the held-out episodes.
      evaluation_episodes: held-out episodes that are played each time, at most.
      checkpoint_every: updates between checkpoints.
      keep_checkpoints: number of newest checkpoints that stay on disk.
      threads: threads that step the places.
      torch_threads: threads of PyTorch's operations; None leaves the number as it is. Where play and learning overlap
        on few cores, one each is faster than all for both.
      device: device that computes: "cpu", "cuda" or "cuda:1".
      seed: seed of play, of the order of episodes and of all other draws.
      executor: "local" runs here; "ray" on Ray, as an RLlib algorithm.
      resume: folder of a run to resume from its last checkpoint, with its own settings. With the executor "local" it
        ends in the very weights and metrics of a run that was never interrupted; with "ray", plays in progress are
        dropped.
      drop_play: with resume, drop the plays in progress instead of rebuilding them, as where the machine has changed.
      wandb: whether metrics also go to Weights & Biases: "offline" (a local folder), "online" or "disabled".
      world: world that is played, and how its places are made.
      learner: losses and optimiser.
      execution: how playing and learning take turns with the executor "local".
      guards: alarms, and when to stop early.
      ray: processes of the executor "ray"; there, devices follow from the GPUs that learner and runners get, and
        threads from the CPUs.
      replay_data: dataset folders of the episodes whose setters are replayed, where they are not those of the play that
        is imitated; None takes data.
      reading: whether the play to imitate is held in memory or streamed.
      ensemble: folders of further reward models; the mean of what all of them pay is paid. Where one has learned
        something by chance, others have not.
    """

    data: tuple[Path, ...] = (Path("data/play"),)
    imitate: str | None = "scripted"
    kinds: str = "{}"
    replay: str | None = None
    agent: Path = Path("runs/clone/agent")
    reward_model: Path = Path("runs/reward/reward_model")
    runs: Path = Path("runs")
    name: str = "improve"
    scripted_reward: bool = False
    pays: Literal["change", "utility"] = "change"
    expected_reward: bool = False
    slots: Count = 96
    steps: Count = 50
    updates: Count = 10_000
    batch: Count | None = None
    evaluate_every: Count = 500
    evaluation_episodes: Count = 64
    checkpoint_every: Count = 500
    keep_checkpoints: Count = 3
    threads: Count = 2
    torch_threads: Count | None = None
    device: str = "cpu"
    seed: Seed = 0
    executor: Literal["local", "ray"] = "local"
    resume: Path | None = None
    wandb: WandbMode = "offline"
    world: WorldConfig = field(default_factory=WorldConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    execution: ExecutorConfig = field(default_factory=ExecutorConfig)
    guards: GuardConfig = field(default_factory=GuardConfig)
    ray: RayConfig = field(default_factory=RayConfig)
    replay_data: tuple[Path, ...] | None = None
    reading: ReadingConfig = field(default_factory=ReadingConfig)
    ensemble: tuple[Path, ...] = ()
    drop_play: bool = False

    def __post_init__(self) -> None:
        check_ranges(self, UserError)
        parse_play_kinds(self.kinds)
        if self.ensemble and self.scripted_reward:
            raise UserError("with scripted_reward no reward model is asked, so there is no ensemble")
        if len(set(self.reward_models)) < len(self.reward_models):
            raise UserError("one reward model is named twice: ensemble has those beside reward_model, each once")

    @property
    def reward_models(self) -> tuple[Path, ...]:
        """Folders of all reward models that are asked."""
        return (self.reward_model, *self.ensemble)

    @property
    def replay_folders(self) -> tuple[Path, ...]:
        """Dataset folders of the episodes whose setters are replayed."""
        return self.data if self.replay_data is None else self.replay_data

    def from_anywhere(self) -> ImproveConfig:
        """The same with absolute paths, so that a run is gone on with from any folder and any process."""
        replayed = self.replay_data
        return replace(
            self,
            data=tuple(folder.absolute() for folder in self.data),
            replay_data=None if replayed is None else tuple(folder.absolute() for folder in replayed),
            agent=self.agent.absolute(),
            reward_model=self.reward_model.absolute(),
            ensemble=tuple(folder.absolute() for folder in self.ensemble),
        )
