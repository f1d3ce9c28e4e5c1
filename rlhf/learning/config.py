"""Settings of training on recorded play, of BC+RL's learner and of its execution. Imports nothing heavy."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

from pydantic import Field

from agents.computing_config import ComputingConfig
from agents.learning.config import AdamConfig
from worlds.ranges import LARGEST, Count, CountFromZero, Pixels, Positive, Seconds, Seed, Share, Weight
from worlds.settings import settings

LossWeight = Annotated[float, Field(ge=0)]
Learning = Annotated[float, Field(gt=0)]


@settings
class Schedule:
    """When a training evaluates, and when it ends.

    Args:
      updates: number of gradient steps.
      max_seconds: stop earlier when this many seconds have passed; None has no limit. The schedule of the learning rate
        follows whichever ends first.
      log_every: updates between entries in the metrics.
      evaluate_every: updates between evaluations on the validation episodes; another is made at the end.
      patience: stop after this many evaluations without a better one; None trains to the end.
      keep: weights that are saved: of the "last" update (paper), or of the evaluation that was "best" on the validation
        episodes. Few demonstrations are soon learned by heart, mistakes included.
    """

    updates: Count = 20_000
    max_seconds: Positive | None = None
    log_every: Count = 20
    evaluate_every: Count = 500
    patience: Count | None = None
    keep: Literal["last", "best"] = "last"

    @property
    def needs_evaluation(self) -> bool:
        """True if an evaluation decides when the training ends, or which weights are kept."""
        return self.keep == "best" or self.patience is not None


@settings
class TrainingConfig(AdamConfig, Schedule):
    """Settings that cloning, refining and reward models share.

    Window, batch, weights of the losses and Adam with its learning rate default to the paper's (A.7). The paper names
    no warm-up, no decay of the learning rate, no clipping and no number of updates: these defaults are ours.

    Args:
      steps: consecutive steps T of recorded play in every trajectory of a batch.
      batch: trajectories B in every update.
      movement_weight: weight of imitating the movements in the loss of imitation.
      language_weight: weight of imitating what was said, and when, in the loss of imitation.
      css_weight: weight of the contrastive loss (CSS), which teaches which words belong to which pictures.
      shift: most pixels by which pictures are moved at random in training (paper: 0).
      seed: seed of the order of episodes and of all other draws.
      frozen_vision: keep the image encoder as it is, which saves about half of the work of an update.
      computing: precision, compilation and memory.
    """

    steps: Count = 50
    batch: Count = 96
    movement_weight: Weight = 1.0
    language_weight: Weight = 5.0
    css_weight: Weight = 1.0
    warmup: CountFromZero = 100
    decay: Share = 0.1
    shift: Pixels = 0
    seed: Seed = 0
    frozen_vision: bool = False
    computing: ComputingConfig = field(default_factory=ComputingConfig)


@settings
class LearnerConfig(AdamConfig):
    """The update of BC+RL. Defaults are the paper's (A.7) where it gives them.

    Losses are means over steps and trajectories, so their weights do not depend on the size of the batch.

    Args:
      rl_movement_weight: weight of the policy gradient on movements.
      rl_language_weight: weight of the policy gradient on what is said.
      value_weight: weight of the loss of the value function.
      bc_movement_weight: weight of imitating recorded movements.
      bc_language_weight: weight of imitating what was said in recorded play.
      css_weight: weight of the contrastive loss (CSS).
      no_op_kl_weight: weight of the divergence from the cloned agent's decisions to speak.
      entropy_weight: weight of the movement policy's entropy; 0 leaves it out, as the paper does.
      discount: factor from 0 to 1 by which a reward loses worth with every step, of which there are 3.75 a second. At
        the end of the replayed recording, a time limit, the return bootstraps; so at 1 values of play that only limits
        end grow without bound.
      clip_rho: largest importance weight in V-trace's targets.
      clip_pg_rho: largest importance weight in V-trace's policy gradient.
      lambda_: V-trace's trade-off from 0 (one step) to 1 (the whole trace).
      carry_memory: let every window of recorded play continue the one before it, and the agent's memory with it; False
        begins every window with an empty memory.
      frozen_vision: keep the image encoder as it is, which saves about half of the work of an update.
      computing: precision, compilation and memory.
    """

    rl_movement_weight: LossWeight = 0.5
    rl_language_weight: LossWeight = 0.1
    value_weight: LossWeight = 1.0
    bc_movement_weight: LossWeight = 1.0
    bc_language_weight: LossWeight = 5.0
    css_weight: LossWeight = 1.0
    no_op_kl_weight: LossWeight = 1e-3
    entropy_weight: LossWeight = 0.0
    discount: Annotated[float, Field(ge=0, le=1)] = 0.96
    clip_rho: Learning = 1.0
    clip_pg_rho: Learning = 1.0
    lambda_: Annotated[float, Field(ge=0, le=1)] = 1.0
    learning_rate: Learning = 1e-4
    carry_memory: bool = True
    frozen_vision: bool = False
    computing: ComputingConfig = field(default_factory=ComputingConfig)


@settings
class ExecutorConfig:
    """Schedule of playing and learning on one machine.

    Args:
      overlap: play the next fragment while the learner works on the last one, for a GPU or spare cores. The weights
        that play are then one round older, for which V-trace corrects. Either way a run is determined by its seeds.
      reuse: updates made for every fragment that is played: one on it, the others on fragments drawn from the recent
        ones. 1 learns from every step once, as the paper does.
      recent: number of recent fragments that are kept for reuse.
      stall_sec: stop the run if a fragment takes longer than this many seconds to play, beside the time that a world
        which hangs may take.
      seed: seed of the draws from recent fragments.
    """

    overlap: bool = False
    reuse: Annotated[int, Field(ge=1, le=LARGEST)] = 1
    recent: Annotated[int, Field(ge=1, le=LARGEST)] = 8
    stall_sec: Seconds = 300.0
    seed: Seed = 0
