"""The settings of BC+RL's learner and of its execution on one machine. Imports nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from tyro.conf import arg

from agents.computing_config import ComputingConfig
from agents.ranges import LARGEST, Decay, Range, Seed, check_ranges

LossWeight = Annotated[float, Range(least=0, why="below 0 it maximises what is to be minimised")]
Learning = Annotated[float, Range(above=0, why="at 0 or below nothing would be learned")]


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
      discount: factor from 0 to 1 by which a reward loses worth with every step, of which there are 3.75 a second. The
        return ends with the recording that is replayed.
      clip_rho: largest importance weight in V-trace's targets.
      clip_pg_rho: largest importance weight in V-trace's policy gradient.
      lambda_: V-trace's trade-off from 0 (one step) to 1 (the whole trace).
      learning_rate: learning rate of Adam.
      beta1: decay of Adam's mean of gradients, from 0 to less than 1.
      beta2: decay of Adam's mean of squared gradients, from 0 to less than 1.
      clip: largest global norm of the gradient (not in the paper).
      carry_memory: let every window of recorded play continue the one before it, and the agent's memory with it; False
        begins every window with an empty memory.
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
    beta1: Decay = 0.0
    beta2: Decay = 0.999
    clip: Learning = 10.0
    carry_memory: bool = True
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
      stall_sec: stop the run if a fragment takes longer than this many seconds to play.
      seed: seed of the draws from recent fragments.
    """

    overlap: bool = False
    reuse: Annotated[
        int, Range(least=1, most=LARGEST, why="every fragment played has to be learned from at least once")
    ] = 1
    recent: Annotated[int, Range(least=1, most=LARGEST, why="at least the newest fragment has to be kept")] = 8
    stall_sec: Annotated[float, Range(above=0, why="no fragment can be played in no time")] = 300.0
    seed: Seed = 0

    def __post_init__(self) -> None:
        check_ranges(self)
