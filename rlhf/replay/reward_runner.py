"""A runner without recordings: an agent plays N environments in lock step, and their own rewards are what it earns.

Plain PyTorch and NumPy, as :class:`rlhf.replay.runner.Runner` is, which replays recorded setters. Here the other side
of the play is part of the environment, e.g. a scripted partner.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import gymnasium
import numpy as np
import torch
from torch import Tensor

from agents.acting import observation_arrays
from agents.agent import InteractiveAgent
from agents.config import AgentConfig
from agents.encoding import decoded_actions
from agents.tokenizer import Tokenizer
from rlhf.replay.fragment import Fragment, FragmentRows
from worlds.contract import Action

_SEEDS = 2**31


@runtime_checkable
class PlaysTogether(Protocol):
    """An environment in which another place of the runner acts at the same time."""

    def prepare(self, action: Action) -> None:
        """Announce the action of the next step; all places announce theirs before any of them is stepped."""
        ...


@dataclass(frozen=True)
class Played:
    """An episode that has ended.

    Args:
      steps: its length.
      reward: sum of the rewards, of a bonus as well if the environment adds one.
      success: what the environment says of it; None if it says nothing.
      info: the environment's last.
    """

    steps: int
    reward: float
    success: bool | None
    info: Mapping[str, Any]


class RewardRunner:
    """Plays N environments with one agent.

    An episode that its environment truncates has a last row with what was seen after its last action, from which
    returns bootstrap (:class:`rlhf.replay.fragment.Fragment`). In its place the environment is reset, not stepped.

    Args:
      agent: that plays; copied, so that learning does not change it within a fragment.
      envs: environments whose observations and actions are those of a solver (:mod:`worlds.contract`).
      steps: T, steps of a fragment.
    """

    def __init__(
        self,
        agent: InteractiveAgent,
        tokenizer: Tokenizer,
        envs: Sequence[gymnasium.Env],
        steps: int,
        seed: int = 0,
        device: torch.device | str = "cpu",
    ) -> None:
        if not envs or steps < 1:
            raise ValueError(f"{len(envs)} environments, {steps} steps: a runner needs one of each at least")
        self.steps, self.device = steps, torch.device(device)
        self._agent: InteractiveAgent = copy.deepcopy(agent).to(self.device).eval()  # type: ignore[arg-type]
        self._config: AgentConfig = agent.config  # type: ignore[assignment]
        self._tokenizer, self._envs = tokenizer, list(envs)
        self._together = [(column, env) for column, env in enumerate(envs) if isinstance(env, PlaysTogether)]
        self._generator = torch.Generator(self.device).manual_seed(seed)
        self._seeds = np.random.default_rng([seed, 1])
        self._ended: list[Played] = []
        self._begin()

    @property
    def columns(self) -> int:
        """N, the number of environments."""
        return len(self._envs)

    @torch.inference_mode()
    def sample(self) -> Fragment:
        """Play T steps in every environment. An episode that ends is followed by the next one.

        Raises:
          FloatingPointError: a reward is not a finite number.
        """
        rows = FragmentRows(self.steps, self.columns, self._config)
        memory = self._memory
        rows.reward[0] = self._reward
        for t in range(self.steps):
            self._see(rows, t)
            batch, resets = rows.observed(slice(t, t + 1), self.device)
            actions, log_probs, _, self._memory = self._agent.act(batch, self._memory, resets, self._generator)
            rows.do(t, actions, log_probs)
            self._step(rows, t)
        self._see(rows, self.steps)
        if not np.isfinite(rows.reward).all():
            t, column = np.argwhere(~np.isfinite(rows.reward))[0]
            raise FloatingPointError(f"environment {column} gave the reward {rows.reward[t, column]}")
        return rows.fragment(memory)

    def set_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Play on with ``weights``, an agent's ``state_dict``."""
        self._agent.load_state_dict(weights)

    def finished(self) -> list[Played]:
        """Return the episodes that ended since the last call, in order."""
        ended, self._ended = self._ended, []
        return ended

    def call(self, method: str, *arguments: Any) -> None:
        """Call a method of every environment, or of what it wraps."""
        for env in self._envs:
            env.get_wrapper_attr(method)(*arguments)

    def state_dict(self) -> dict[str, Any]:
        """Return what determines the play to come: plain values. Episodes in progress are not in it."""
        return {"generator": self._generator.get_state(), "seeds": self._seeds.bit_generator.state}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Resume from what :meth:`state_dict` returned; every environment begins its next episode."""
        self._generator.set_state(state["generator"])
        self._seeds.bit_generator.state = state["seeds"]
        self._begin()

    def close(self) -> None:
        """Close the environments."""
        for env in self._envs:
            env.close()

    def _begin(self) -> None:
        self._memory = self._agent.initial_state(self.columns)
        self._observations = [self._reset(column) for column in range(self.columns)]
        self._resets, self._reward = np.ones(self.columns, np.bool_), np.zeros(self.columns, np.float32)
        self._terminated, self._cut = np.zeros((2, self.columns), np.bool_)
        self._length, self._total = np.zeros(self.columns, np.int64), np.zeros(self.columns)

    def _reset(self, column: int) -> Mapping[str, Any]:
        return self._envs[column].reset(seed=int(self._seeds.integers(_SEEDS)))[0]

    def _see(self, rows: FragmentRows, t: int) -> None:
        rows.see(
            t, observation_arrays(self._observations, self._tokenizer, self._config), self._resets, self._terminated
        )

    def _step(self, rows: FragmentRows, t: int) -> None:
        """Step every environment from row t to the next, or reset it where a limit ended its episode."""
        actions = decoded_actions(rows.movement[t], rows.utterance[t], self._tokenizer, self._config)
        for column, env in self._together:
            if not self._cut[column]:
                env.prepare(actions[column])
        was_cut, self._reward = self._cut, np.zeros(self.columns, np.float32)
        self._resets, self._terminated, self._cut = np.zeros((3, self.columns), np.bool_)
        for column, action in enumerate(actions):
            if not was_cut[column]:
                self._observations[column] = self._play(column, action)
            if was_cut[column] or (self._terminated[column] and not self._cut[column]):
                self._observations[column], self._resets[column] = self._reset(column), True
        rows.reward[t + 1] = self._reward

    def _play(self, column: int, action: Action) -> Mapping[str, Any]:
        """Step an environment and return what is seen then."""
        seen, reward, terminated, truncated, info = self._envs[column].step(action)
        self._reward[column], self._terminated[column], self._cut[column] = reward, terminated, truncated
        self._length[column] += 1
        self._total[column] += float(reward)
        if terminated or truncated:
            success = info.get("success")
            total = float(self._total[column])
            ended = Played(int(self._length[column]), total, None if success is None else bool(success), info)
            self._ended.append(ended)
            self._length[column], self._total[column] = 0, 0.0
        return seen
