"""Settings of training on recorded play, of BC+RL's learner and of its execution. Imports nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from tyro.conf import arg

from agents.computing_config import ComputingConfig
from agents.ranges import (
    LARGEST,
    Count,
    CountFromZero,
    Decay,
    Pixels,
    Positive,
    Range,
    Seconds,
    Seed,
    Share,
    Weight,
    check_ranges,
)

LossWeight = Annotated[float, Range(least=0, why="below 0 it maximises what is to be minimised")]
Learning = Annotated[float, Range(above=0, why="at 0 or below nothing would be learned")]


@dataclass(frozen=True)
class TrainingConfig:
    """Settings that cloning and reward models share.

    Window, batch, weights of the losses and Adam with its learning rate default to the paper's (A.7). The paper names
    no warm-up, no decay of the learning rate, no clipping and no number of updates: these defaults are ours.

    Args:
      updates: number of gradient steps.
      max_seconds: stop earlier when this many seconds have passed; None has no limit. The schedule of the learning rate
        follows whichever ends first.
      steps: consecutive steps T of recorded play in every trajectory of a batch.
      batch: trajectories B in every update.
      movement_weight: weight of imitating the movements in the loss of imitation.
      language_weight: weight of imitating what was said, and when, in the loss of imitation.
      css_weight: weight of the contrastive loss (CSS), which teaches which words belong to which pictures.
      learning_rate: learning rate of Adam, after the warm-up.
      beta1: decay of Adam's mean of gradients, from 0 to less than 1.
      beta2: decay of Adam's mean of squared gradients, from 0 to less than 1.
      warmup: updates over which the learning rate rises from 0 (not in the paper).
      decay: fraction of the learning rate that is left at the end; it falls along a cosine (not in the paper: 1).
      clip: largest global norm of the gradient.
      log_every: updates between entries in the metrics.
      evaluate_every: updates between evaluations on the validation episodes; another is made at the end.
      shift: most pixels by which pictures are moved at random in training (paper: 0).
      seed: seed of the order of episodes and of all other draws.
      frozen_vision: keep the image encoder as it is, which saves about half of the work of an update.
      computing: precision, compilation and memory.
    """

    updates: Count = 20_000
    max_seconds: Positive | None = None
    steps: Count = 50
    batch: Count = 96
    movement_weight: Weight = 1.0
    language_weight: Weight = 5.0
    css_weight: Weight = 1.0
    learning_rate: Weight = 1e-4
    beta1: Decay = 0.0
    beta2: Decay = 0.999
    warmup: CountFromZero = 100
    decay: Weight = 0.1
    clip: Positive = 10.0
    log_every: Count = 20
    evaluate_every: Count = 500
    shift: Pixels = 0
    seed: Seed = 0
    frozen_vision: bool = False
    computing: ComputingConfig = field(default_factory=ComputingConfig)

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True)
class LearnerConfig:
    """The update of BC+RL. Defaults are the paper's (A.7) where it gives them.

    Losses are means over steps and trajectories, so their weights do not depend on the size of the batch.

    Args:
      movement_weight: weight of the policy gradient on movements.
      language_weight: weight of the policy gradient on what is said.
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
      learning_rate: learning rate of Adam.
      decay: fraction of the learning rate that is left at the last update; it falls along a cosine.
      beta1: decay of Adam's mean of gradients, from 0 to less than 1.
      beta2: decay of Adam's mean of squared gradients, from 0 to less than 1.
      clip: largest global norm of the gradient (not in the paper).
      carry_memory: let every window of recorded play continue the one before it, and the agent's memory with it; False
        begins every window with an empty memory.
      frozen_vision: keep the image encoder as it is, which saves about half of the work of an update.
      computing: precision, compilation and memory.
    """

    movement_weight: LossWeight = 0.5
    language_weight: LossWeight = 0.1
    value_weight: LossWeight = 1.0
    bc_movement_weight: LossWeight = 1.0
    bc_language_weight: LossWeight = 5.0
    css_weight: LossWeight = 1.0
    no_op_kl_weight: LossWeight = 1e-3
    entropy_weight: LossWeight = 0.0
    discount: Annotated[float, Range(least=0, most=1, why="beyond 1 the return has no end, below 0 no meaning")] = 0.96
    clip_rho: Learning = 1.0
    clip_pg_rho: Learning = 1.0
    lambda_: Annotated[
        float, Range(least=0, most=1, why="it interpolates between one step and the whole trace"), arg(name="lambda")
    ] = 1.0
    learning_rate: Learning = 1e-4
    decay: Share = 1.0
    beta1: Decay = 0.0
    beta2: Decay = 0.999
    clip: Learning = 10.0
    carry_memory: bool = True
    frozen_vision: bool = False
    computing: ComputingConfig = field(default_factory=ComputingConfig)

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True)
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
    reuse: Annotated[
        int, Range(least=1, most=LARGEST, why="every fragment played has to be learned from at least once")
    ] = 1
    recent: Annotated[int, Range(least=1, most=LARGEST, why="at least the newest fragment has to be kept")] = 8
    stall_sec: Seconds = 300.0
    seed: Seed = 0

    def __post_init__(self) -> None:
        check_ranges(self)
