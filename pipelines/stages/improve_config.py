"""Settings of `rlhf improve`."""

from __future__ import annotations

from dataclasses import field, replace
from pathlib import Path
from typing import Literal

from agents.roles import AGENT_PREFIX, folder_of
from pipelines.stages.episodes.play_kinds import PlayKinds
from pipelines.stages.settings.world_config import WorldConfig
from pipelines.stages.training_config import TrainingRunConfig
from rlhf.data.config import ReadingConfig
from rlhf.distributed.config import RayConfig
from rlhf.learning.config import ExecutorConfig, LearnerConfig, Schedule
from rlhf.learning.guards import GuardConfig
from worlds.errors import UserError
from worlds.ranges import Count, Seconds, Seed, Weight
from worlds.settings import settings

REPLAYED_SETTERS, LIVE_SETTERS = "replayed", "live"  # or an agent's folder


@settings
class ImproveConfig(TrainingRunConfig):
    """Settings of `rlhf improve`. The learner's defaults are the paper's (A.7), sizes are for a laptop.

    Args:
      data: dataset folders.
      imitate: solver whose recorded play BC imitates beside the rewards; None takes all.
      kinds: kinds of play to imitate, with weights, as in `rlhf clone`. Replaces imitate.
      replay: solver of the episodes whose setters are replayed; None takes all. Held-out episodes are never trained on;
        they show whether the modelled reward also rises on other play.
      setters: "replayed" setters do again what they did, whatever the agent does. "live" ones are scripted setters that
        begin at the place and the seed of a recording and react to the agent; there are none of recorded people.
        agent:FOLDER is a learned setter that plays, frozen, in the places of recordings (paper, A.6; docs/setters.md).
      agent: folder of the cloned agent to improve.
      reward_model: folder of the reward model.
      second_reward_model: folder of a reward model that rewards nothing: it scores the held-out replays beside the
        first, of other marks or another seed. An alarm is raised where the two disagree on whether the agent became
        better; with guards.patience, it decides which agent is kept.
      scripted_reward: reward success as the simulation knows it instead of the model's reward (the paper's baseline).
      pays: reward of a step: the "change" of the model's utility (Eq. 2), or the "utility" itself.
      expected_reward: reward the expectation of a model that samples marks (AR), not its sample.
      slots: environments that are played at once.
      steps: length T of every fragment that is played.
      updates: number of gradient steps of the learner.
      batch: trajectories of recorded play in every update; None takes as many as there are slots (2 x B in all).
      evaluate_every: updates between evaluations on the held-out episodes.
      evaluation_episodes: largest number of held-out episodes in an evaluation.
      keep_checkpoints: number of newest checkpoints that stay on disk.
      threads: threads that step the environments, without changing the result; None is one a core, 8 at most.
      torch_threads: threads of PyTorch's operations; None leaves the number as it is. Where play and learning overlap
        on few cores, one is fastest.
      seed: seed of play, of the order of episodes and of all other draws.
      executor: "local" runs here; "ray" on Ray, as an RLlib algorithm.
      drop_play: with resume, drop the plays in progress instead of rebuilding them, e.g. on another machine. The
        executor "ray" always does.
      world: world that is played, with its settings.
      learner: losses and optimiser.
      execution: how play and learning alternate with the executor "local".
      guards: alarms, and when to stop early.
      ray: processes of the executor "ray"; there, devices follow from the GPUs that learner and runners get, and
        threads from the CPUs.
      replay_data: dataset folders of the episodes whose setters are replayed; None uses those of data.
      reading: whether the play to imitate is held in memory or streamed.
      ensemble: folders of further reward models. The reward is the mean over all models, which averages out what a
        single one has learned by chance, unless ensemble_by says otherwise.
      ensemble_by: how several models are combined: the "mean" of their rewards, or the change of the "minimum" or of
        the "mean_less_deviation" of what each has given since the episode began, or one model with the mean of their
        "weights". All but the mean take IBT models of one size.
      deviation_weight: standard deviations over the models that "mean_less_deviation" subtracts.
      anyway: begin also against a reward model whose own evaluation says that it would make the agent worse.
      step_limit_sec: seconds that a world may take for a reset or a step; then it hangs, and its play is ended.
    """

    data: tuple[Path, ...] = (Path("data/play"),)
    imitate: str | None = "scripted"
    kinds: PlayKinds = field(default_factory=dict)
    replay: str | None = None
    setters: str = "replayed"
    agent: Path = Path("runs/clone/agent")
    reward_model: Path = Path("runs/reward/reward_model")
    second_reward_model: Path | None = None
    name: str = "improve"
    scripted_reward: bool = False
    pays: Literal["change", "utility"] = "change"
    expected_reward: bool = False
    slots: Count = 16
    steps: Count = 16
    updates: Count = 200
    batch: Count | None = None
    evaluate_every: Count = 100
    evaluation_episodes: Count = 64
    keep_checkpoints: Count = 3
    threads: Count | None = None
    torch_threads: Count | None = None
    seed: Seed = 0
    executor: Literal["local", "ray"] = "local"
    world: WorldConfig = field(default_factory=WorldConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    execution: ExecutorConfig = field(default_factory=ExecutorConfig)
    guards: GuardConfig = field(default_factory=GuardConfig)
    ray: RayConfig = field(default_factory=RayConfig)
    replay_data: tuple[Path, ...] | None = None
    reading: ReadingConfig = field(default_factory=ReadingConfig)
    ensemble: tuple[Path, ...] = ()
    ensemble_by: Literal["mean", "minimum", "mean_less_deviation", "weights"] = "mean"
    deviation_weight: Weight = 1.0
    drop_play: bool = False
    anyway: bool = False
    step_limit_sec: Seconds = 300.0

    def __post_init__(self) -> None:
        if self.ensemble and self.scripted_reward:
            raise UserError("scripted_reward uses no reward model; leave out ensemble")
        if len(set(self.reward_models)) < len(self.reward_models):
            raise UserError("a reward model is named twice; name each once, in reward_model or in ensemble")
        if self.second_reward_model in self.reward_models and not self.scripted_reward:
            raise UserError("second_reward_model rewards the agent, too; name one that the agent does not learn from")
        if self.ensemble_by != "mean" and not self.ensemble:
            raise UserError(f"ensemble_by {self.ensemble_by} needs several reward models; name others with --ensemble")

        if self.setters not in (REPLAYED_SETTERS, LIVE_SETTERS) and self.setter_agent is None:
            raise UserError(f'setters are "replayed", "live" or agent:FOLDER, not {self.setters!r}')

    @property
    def schedule(self) -> Schedule:
        """When to evaluate and to end; with patience the best agent is kept, which may be the first."""
        patience = self.guards.patience
        return Schedule(
            self.updates, log_every=1, evaluate_every=self.evaluate_every, patience=patience,
            keep="last" if patience is None else "best",
        )  # fmt: skip

    @property
    def setter_agent(self) -> str | None:
        """Folder of the learned setter; None without one."""
        return folder_of(self.setters)

    @property
    def reward_models(self) -> tuple[Path, ...]:
        """Folders of all reward models, that of reward_model first."""
        return (self.reward_model, *self.ensemble)

    @property
    def replay_folders(self) -> tuple[Path, ...]:
        """Dataset folders of the episodes whose setters are replayed."""
        return self.data if self.replay_data is None else self.replay_data

    def from_anywhere(self) -> ImproveConfig:
        """Return the same with absolute paths, for resuming from any folder and any process."""
        replayed, setter, second = self.replay_data, self.setter_agent, self.second_reward_model
        return replace(
            self,
            setters=self.setters if setter is None else f"{AGENT_PREFIX}{Path(setter).absolute()}",
            data=tuple(folder.absolute() for folder in self.data),
            replay_data=None if replayed is None else tuple(folder.absolute() for folder in replayed),
            agent=self.agent.absolute(),
            reward_model=self.reward_model.absolute(),
            second_reward_model=None if second is None else second.absolute(),
            ensemble=tuple(folder.absolute() for folder in self.ensemble),
        )
