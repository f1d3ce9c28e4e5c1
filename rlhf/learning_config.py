"""The settings of BC+RL's learner and of its execution on one machine. Imports nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from tyro.conf import arg

from agents.computing_config import ComputingConfig


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

    movement_weight: float = 0.5
    language_weight: float = 0.1
    value_weight: float = 1.0
    bc_movement_weight: float = 1.0
    bc_language_weight: float = 5.0
    css_weight: float = 1.0
    no_op_kl_weight: float = 1e-3
    entropy_weight: float = 0.0
    discount: float = 0.96
    clip_rho: float = 1.0
    clip_pg_rho: float = 1.0
    lambda_: Annotated[float, arg(name="lambda")] = 1.0
    learning_rate: float = 1e-4
    beta1: float = 0.0
    beta2: float = 0.999
    clip: float = 10.0
    carry_memory: bool = True
    computing: ComputingConfig = field(default_factory=ComputingConfig)

    def __post_init__(self) -> None:
        for name in vars(self):
            if name.endswith("_weight") and getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}: below 0 it maximises what is to be minimised")
        _within("discount", self.discount, 0.0, 1.0, "beyond 1 the return has no end, below 0 no meaning")
        _within("lambda_", self.lambda_, 0.0, 1.0, "it interpolates between one step and the whole trace")
        _within("beta1", self.beta1, 0.0, 1.0, "it is the share of the past in an average")
        _within("beta2", self.beta2, 0.0, 1.0, "it is the share of the past in an average")
        for name in ("clip_rho", "clip_pg_rho", "learning_rate", "clip"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} is {getattr(self, name)}: at 0 or below nothing would be learned")


@dataclass(frozen=True)
class ExecutorConfig:
    """How playing and learning take turns on one machine.

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
    reuse: int = 1
    recent: int = 8
    stall_sec: float = 300.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.reuse < 1:
            raise ValueError(f"reuse is {self.reuse}: every fragment played has to be learned from at least once")
        if self.recent < 1:
            raise ValueError(f"recent is {self.recent}: at least the newest fragment has to be kept")
        if self.stall_sec <= 0:
            raise ValueError(f"stall_sec is {self.stall_sec}: no fragment can be played in no time")


def _within(name: str, value: float, low: float, high: float, why: str) -> None:
    if not low <= value <= high:
        raise ValueError(f"{name} is {value}, outside [{low}, {high}]: {why}")


@dataclass(frozen=True)
class ReadingConfig:
    """How recorded play is read. What is learned does not depend on it, to the last bit.

    Args:
      in_memory_gb: gigabytes above which recordings are streamed from their datasets during training; 0 streams all,
        None takes half of the memory that this process may use. A frame of 96x72 pixels takes 21 KB, so an hour of play
        0.3 GB (twice that while it is put together).
      cache_gb: gigabytes of a streamed recording that are kept in memory, with frames as PNG files (a tenth of their
        size). Fastest if it holds the episodes of all trajectories of a batch: 96 of five minutes take about 0.2 GB.
      threads: number of threads that read and draw.
      ahead: windows that are prepared before they are needed.
    """

    in_memory_gb: float | None = None
    cache_gb: float = 1.0
    threads: int = 2
    ahead: int = 2

    def __post_init__(self) -> None:
        for name in ("in_memory_gb", "cache_gb"):
            if (value := getattr(self, name)) is not None and not 0.0 <= value < float("inf"):
                raise ValueError(f"{name} is {value}; it is a number of gigabytes, from 0 on")
        for name in ("threads", "ahead"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: at least 1 is needed to read anything")
