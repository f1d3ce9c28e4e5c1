"""The learner of BC+RL (paper, section 5 and A.7): one update from played fragments and recorded windows together.

Plain PyTorch: it knows neither files nor processes, and runs the same under any executor.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from agents.agent import AgentOutput, AgentState, InteractiveAgent
from agents.batch import ActionBatch, ObservationBatch, PolicyLogProbs, RecordedWindow, map_parts
from agents.computing import autocast, prepare
from agents.learning.cloning import bc_loss, masked_mean
from agents.learning.contrastive import css_loss
from agents.learning.optimization import Optimizer
from agents.learning.workers import SINGLE_WORKER, Workers
from agents.tokenizer import PAD_ID
from rlhf.learning.config import LearnerConfig
from rlhf.learning.losses import no_op_kl, policy_gradient_loss, value_loss
from rlhf.learning.vtrace import VTraceReturns, vtrace
from rlhf.replay.fragment import Fragment, FragmentTensors

__all__ = ["Learner", "LearnerConfig", "RecordedWindow"]


class _Forward(NamedTuple):
    """Output of one pass over fragment (first N columns) and window (the other B), in float32."""

    log_probs: PolicyLogProbs  # [T+1, N+B] each
    entropy: Tensor  # [T+1, N+B]
    value: Tensor  # [T+1, N+B]
    speak_logit: Tensor  # [T+1, N+B]
    output: AgentOutput
    state: AgentState  # [N+B, D]


class Learner:
    """Learner that improves one agent, in place.

    Args:
      config: settings of the update; None: the defaults.
      device: device of the update; the agent is moved there.
      workers: learners of the same agent, each with other columns of the same batches, as many each. Together they
        make the update that a single learner would make of the whole batch, up to rounding.
      last_update: number of updates of the whole run, over which the learning rate falls; None keeps it as it is.
    """

    def __init__(
        self,
        agent: InteractiveAgent,
        config: LearnerConfig | None = None,
        device: torch.device | str = "cpu",
        workers: Workers = SINGLE_WORKER,
        last_update: int | None = None,
    ) -> None:
        self.agent = agent.to(device)  # type: ignore[arg-type]
        self.workers = workers
        self.config = config or LearnerConfig()
        self.device = torch.device(device)
        self.updates, self._last_update = 0, last_update
        self._memory: AgentState | None = None  # of the recorded windows
        if self.config.frozen_vision:
            self.agent.freeze_vision()
        self._optimizer = Optimizer(self.agent, self.config, workers)
        prepare(agent, self.config.computing)

    def update(self, fragment: Fragment, window: RecordedWindow | None = None) -> dict[str, float]:
        """Make one gradient step.

        Args:
          fragment: T transitions of N slots, played by this agent or a recent version of it.
          window: [T+1, B] of recorded play, as long as the fragment with its last row. Only what was demonstrated in
            it is imitated. With ``config.carry_memory`` column b continues the last window's. Without a window nothing
            is imitated: reinforcement learning alone.

        Returns:
          Metrics by name; losses before they are weighted.

        Raises:
          ValueError: if fragment and window differ in length, or the fragment is of other spaces than the agent.
          FloatingPointError: naming the term, if a loss or the gradient is not finite; the weights are as they were.
        """
        fragment.check(self.agent.config)
        played = fragment.to_tensors(self.device)
        if window is None:
            return self._update_from_play(played)
        window = window.to(self.device)
        if played.resets.shape[0] != window.resets.shape[0]:
            raise ValueError(
                f"the fragment has {len(played.resets)} rows and the window of recorded play {len(window.resets)}; "
                "both need T + 1"
            )
        forward = self._forward(played, window)
        terms, statistics = self._reinforcement(forward, played)
        terms |= self._imitation(forward, window, columns=slice(fragment.columns, None))
        metrics = self._optimizer.step(terms, self.updates, self._progress, statistics)
        memory = [part[fragment.columns :].detach().float() for part in forward.state]
        self._memory = AgentState(*memory) if self.config.carry_memory else None
        self.updates += 1
        return metrics

    @property
    def _progress(self) -> float:
        """Progress of the whole run, from 0 to 1 at the last update; 0 where its length is not known."""
        return 0.0 if self._last_update is None else self.updates / max(1, self._last_update - 1)

    def _update_from_play(self, played: FragmentTensors) -> dict[str, float]:
        """Make one gradient step of reinforcement learning alone."""
        with autocast(self.config.computing, self.device):
            output, state = self.agent(self._seen(played.observations), played.state, played.resets)
        log_probs, entropy = self.agent.log_probs_and_entropy(output, played.actions)
        forward = _Forward(log_probs, entropy, output.value.float(), output.speak_logit.float(), output, state)
        terms, statistics = self._reinforcement(forward, played)
        metrics = self._optimizer.step(terms, self.updates, self._progress, statistics)
        self.updates += 1
        return metrics

    def _forward(self, played: FragmentTensors, window: RecordedWindow) -> _Forward:
        """Run the agent once over both kinds of trajectories, side by side."""
        with autocast(self.config.computing, self.device):
            observations = map_parts(_beside, *map(self._seen, (played.observations, window.observations)))
        actions = ActionBatch(*map(_beside, played.actions, window.actions))
        resets = torch.cat([played.resets, window.resets], dim=1)
        state = AgentState(*(torch.cat(pair) for pair in zip(played.state, self._window_memory(window), strict=True)))
        with autocast(self.config.computing, self.device):
            output, state = self.agent(observations, state, resets)
        log_probs, entropy = self.agent.log_probs_and_entropy(output, actions)
        return _Forward(
            log_probs,
            entropy,
            output.value.float(),
            output.speak_logit.float(),
            output,
            state,
        )

    def _seen(self, observations: ObservationBatch) -> ObservationBatch:
        """Return observations as the agent takes them: tokens of a frozen image encoder, which played ones may have."""
        return self.agent.see(observations) if self.config.frozen_vision else observations

    def _window_memory(self, window: RecordedWindow) -> AgentState:
        batch = window.resets.shape[1]
        if self._memory is None or len(self._memory.hidden) != batch:
            return self.agent.initial_state(batch, self.device)
        return self._memory

    def _reinforcement(
        self, forward: _Forward, played: FragmentTensors
    ) -> tuple[dict[str, tuple[float, Tensor]], dict[str, Tensor]]:
        """Return the weighted terms of reinforcement learning, and statistics of the play.

        Rows that close a truncated play have a value, from which returns bootstrap, but no action. They count in no
        term.
        """
        config, columns, over = self.config, slice(None, played.resets.shape[1]), (played.acted, self.workers)
        log_probs = PolicyLogProbs(*(part[:-1, columns] for part in forward.log_probs))
        log_rhos = _joint(log_probs) - _joint(PolicyLogProbs(*(part[:-1] for part in played.behaviour)))
        values, speak_logit = forward.value[:, columns], forward.speak_logit[:-1, columns]
        returns = vtrace(
            log_rhos,
            config.discount * (~played.terminated[1:]).float(),
            played.reward[1:],
            values[:-1],
            values[-1],
            config.clip_rho,
            config.clip_pg_rho,
            config.lambda_,
            played.acted,
        )
        terms = {
            "movement": (
                config.rl_movement_weight,
                policy_gradient_loss(log_probs.movement, returns.pg_advantages, *over),
            ),
            "language": (
                config.rl_language_weight,
                policy_gradient_loss(log_probs.language, returns.pg_advantages, *over),
            ),
            "value": (config.value_weight, value_loss(values[:-1], returns.vs, *over)),
            "no_op_kl": (config.no_op_kl_weight, no_op_kl(speak_logit, played.reference_speak_logit[:-1], *over)),
        }
        if config.entropy_weight:
            terms["negative_entropy"] = (config.entropy_weight, -masked_mean(forward.entropy[:-1, columns], *over))
        statistics = _statistics(log_rhos, returns, values[:-1], played)
        statistics["policy/entropy"] = masked_mean(forward.entropy[:-1, columns].detach(), played.acted)
        return {f"rl/{name}": term for name, term in terms.items()}, statistics

    def _imitation(self, forward: _Forward, window: RecordedWindow, columns: slice) -> dict[str, tuple[float, Tensor]]:
        """Return the weighted terms of imitation."""
        config, output = self.config, forward.output
        log_probs = PolicyLogProbs(*(part[:, columns] for part in forward.log_probs))
        cloning = bc_loss(log_probs, window.demonstrated, self.workers)
        words = window.observations.setter_tokens
        asked = words[..., 0] != PAD_ID  # before its first word there is nothing to match
        vision, language = output.vision[:, columns], output.language[:, columns]
        seen = None if output.seen is None else output.seen[:, columns]
        css = css_loss(self.agent.discriminator, vision, language, words, asked, self.workers, seen)
        return {
            "bc/movement": (config.bc_movement_weight, cloning["movement"]),
            "bc/language": (config.bc_language_weight, cloning["language"]),
            "bc/css": (config.css_weight, css),
        }

    def state_dict(self) -> dict[str, Any]:
        """Return everything that determines the updates to come but the agent's weights."""
        return {
            "optimizer": self._optimizer.state_dict(),
            "memory": None if self._memory is None else tuple(self._memory),
            "updates": self.updates,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from what :meth:`state_dict` returned, bit-exactly on the same machine.

        The agent must have its weights already.
        """
        self._optimizer.load_state_dict(state["optimizer"])
        memory = state["memory"]
        self._memory = None if memory is None else AgentState(*(part.to(self.device) for part in memory))
        self.updates = state["updates"]


def _joint(log_probs: PolicyLogProbs) -> Tensor:
    """Return the log-probability [T, B] of the whole action: movement, the decision to speak, and the words."""
    return log_probs.movement + log_probs.language


def _beside(played: Tensor, recorded: Tensor) -> Tensor:
    return torch.cat([played, recorded], dim=1)


@torch.no_grad()
def _statistics(log_rhos: Tensor, returns: VTraceReturns, values: Tensor, played: FragmentTensors) -> dict[str, Tensor]:
    """Return statistics that tell a healthy update from a sick one.

    ``rho`` is the mean importance weight before it is clipped, ``behind`` the mean of log mu - log pi (an estimate
    of how far the player's policy is from the learner's), ``explained`` the share of the targets' variance that V
    explains.
    """
    mean = partial(masked_mean, mask=played.acted)  # no indexing by a mask: it would wait for the GPU
    rhos = log_rhos.masked_fill(~played.acted, 0.0)  # where nothing was done the ratio may be infinite

    def variance(x: Tensor) -> Tensor:
        return mean((x - mean(x)).square())

    return {
        "play/reward": mean(played.reward[1:]),
        "play/spoke": mean((played.actions.utterance[:-1, :, 0] != PAD_ID).float()),
        "vtrace/rho": mean(rhos.exp()),
        "vtrace/behind": -mean(rhos),
        "vtrace/value": mean(values),
        "vtrace/target": mean(returns.vs),
        "vtrace/advantage": mean(returns.pg_advantages.abs()),
        "vtrace/explained": 1.0 - variance(returns.vs - values) / variance(returns.vs).clamp_min(1e-8),
    }
