"""A solver's environment in the arrays that an agent computes with, as RLlib wants them: plain boxes of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces

from agents.acting import observation_arrays
from agents.batch import ActionBatch, action_columns, observation_columns
from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from agents.utterances import decode_utterance
from worlds.errors import UserError
from worlds.spaces.action import Grammar

_SEEDS = 2**31
Arrays = dict[str, np.ndarray]


def encoded_observation_space(config: AgentConfig) -> spaces.Dict:
    """Return the space of the fields of :class:`agents.batch.ObservationBatch` that an agent of ``config`` takes."""
    found: dict[str, spaces.Space[Any]] = {}
    for name, (dtype, shape) in observation_columns(config).items():
        limits: tuple[float, float] = (-np.inf, np.inf)
        kind: Any = dtype
        if np.issubdtype(kind, np.integer):
            limits = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
        found[name] = spaces.Box(limits[0], limits[1], shape, kind)
    return spaces.Dict(found)


def encoded_action_space(config: AgentConfig) -> spaces.MultiDiscrete:
    """Return the space of actions as one row of whole numbers: all ticks' columns, then the utterance.

    Raises:
      UserError: the agent points at entities, is told what is legal or says words that it glimpses, which depends on
        more than its memory.
    """
    action = config.player.action
    if action.masked or config.columns.pointers.any():
        raise UserError("PPO learns agents without pointers and without masks of legal actions; choose V-trace")
    speech = action.speech
    if config.glimpse and speech is not None and not isinstance(speech, Grammar):
        raise UserError("PPO learns agents that say words without a glimpse; leave out glimpse, or choose V-trace")
    words = [1 if speech is None else config.vocab_size] * config.utterance_length
    if isinstance(speech, Grammar):
        words = [1 + len(slot) for slot in speech.slots]
    return spaces.MultiDiscrete(np.concatenate([np.tile(config.columns.counts, config.columns.ticks), words]))


def flat_actions(actions: ActionBatch) -> Any:
    """Return actions [...] as rows of :func:`encoded_action_space`: int64 [..., columns]."""
    return torch.cat([actions.movement.flatten(-2).long(), actions.utterance], dim=-1)


def batched_actions(rows: Any, config: AgentConfig) -> ActionBatch:
    """Return what :func:`flat_actions` flattened, of a tensor or an array [..., columns]."""
    _, (ticks, columns) = action_columns(config)["movement"]
    moved = rows[..., : ticks * columns]
    return ActionBatch(moved.reshape(*moved.shape[:-1], ticks, columns), rows[..., ticks * columns :])


class EncodedEnv(gymnasium.Wrapper[Arrays, np.ndarray, Any, Any]):
    """An environment whose observations are an agent's arrays, and whose actions its rows of whole numbers.

    The first reset's seed decides those of all later episodes. Returns of an episode that is truncated bootstrap from
    the value of its last observation, which in the published code is 0.

    Args:
      env: whose observations and actions are those of a solver (:mod:`worlds.contract`).
    """

    def __init__(self, env: gymnasium.Env, tokenizer: Tokenizer, config: AgentConfig, largest_reward: float) -> None:
        super().__init__(env)
        self._tokenizer, self._config, self._largest = tokenizer, config, largest_reward
        self.observation_space, self.action_space = encoded_observation_space(config), encoded_action_space(config)
        self._seeds = np.random.default_rng(0)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Arrays, dict[str, Any]]:
        """Begin an episode."""
        if seed is not None:
            self._seeds = np.random.default_rng([seed, 1])
        seen, info = self.env.reset(seed=int(self._seeds.integers(_SEEDS)), options=options)
        return self._encoded(seen), info

    def step(self, action: np.ndarray) -> tuple[Arrays, float, bool, bool, dict[str, Any]]:
        """Play a step.

        Raises:
          FloatingPointError: the reward is not a finite number.
        """
        rows = batched_actions(np.asarray(action), self._config)
        movement, continuous = self._config.columns.decode(rows.movement)  # type: ignore[arg-type]
        words = rows.utterance.tolist()
        said = decode_utterance(words, self._tokenizer, self._config) if words[0] else ""
        done: dict[str, Any] = {"movement": movement, "utterance": said}
        if continuous is not None:
            done["continuous"] = continuous
        seen, reward, terminated, truncated, info = self.env.step(done)
        given = float(reward)
        if not np.isfinite(given):
            raise FloatingPointError(f"an environment gave the reward {given}")
        clipped = min(max(given, -self._largest), self._largest)
        return self._encoded(seen), clipped, bool(terminated), bool(truncated and not terminated), info

    def _encoded(self, seen: Mapping[str, Any]) -> Arrays:
        arrays = observation_arrays([seen], self._tokenizer, self._config)._asdict()
        return {name: array[0] for name, array in arrays.items() if array is not None}
