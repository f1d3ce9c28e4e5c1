"""Acting: one agent plays N slots at once. Text goes in and comes out; memory is kept by slot."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from agents.agent import AgentState, InteractiveAgent
from agents.batch import ObservationArrays, ObservationBatch, map_parts, send
from agents.config import AgentConfig
from agents.encoding import decoded_actions, observed_arrays
from agents.roles import read_as_setter
from agents.tokenizer import Tokenizer
from worlds.contract import Action, Observation
from worlds.spaces.steps import stack_observations


def observation_arrays(
    observations: Sequence[Mapping[str, Any]], tokenizer: Tokenizer, config: AgentConfig
) -> ObservationArrays:
    """Encode one step of N slots as arrays [N, ...], texts as tokens."""
    player = config.player
    texts = {name: [seen[name] for seen in observations] for name in player.texts}
    movement, continuous = (
        np.stack([seen[f"previous_{name}"] for seen in observations]) if name in player.action.arrays else None
        for name in ("movement", "continuous")
    )
    assert movement is not None
    before = config.columns.encode(movement, continuous)
    return observed_arrays(stack_observations(player, observations), texts, before, tokenizer, config)


def encode_observations(
    observations: Sequence[Observation],
    tokenizer: Tokenizer,
    config: AgentConfig,
    device: torch.device | str = "cpu",
) -> ObservationBatch:
    """Encode one step of N slots as a batch [1, N, ...] on ``device``."""
    arrays = observation_arrays(observations, tokenizer, config)
    return map_parts(lambda array: send(array[None], device), arrays)


class AgentSolvers:
    """One agent as the solver of N slots, in one batch.

    Args:
      greedy: take the likeliest action instead of a sample.
      greedy_words: take the likeliest words, whatever else is a sample.
    """

    def __init__(
        self,
        agent: InteractiveAgent,
        tokenizer: Tokenizer,
        slots: int,
        seed: int = 0,
        greedy: bool = False,
        greedy_words: bool = False,
    ) -> None:
        self._agent, self._tokenizer = agent, tokenizer
        self._greedy, self._greedy_words = greedy, greedy_words
        self._state = agent.initial_state(slots)
        self._generator = torch.Generator(agent.device).manual_seed(seed)

    def act(self, observations: Sequence[Observation], resets: np.ndarray) -> list[Action]:
        """Return the solver's action in every slot; ``resets`` bool [N] is True where an episode begins now."""
        device = self._agent.device
        batch = encode_observations(observations, self._tokenizer, self._agent.config, device)
        begins = send(resets[None], device)
        with torch.inference_mode():
            actions, _, _, self._state = self._agent.act(
                batch, self._state, begins, self._generator, self._greedy, self._greedy_words
            )
        moved, said = (part[0].cpu().numpy() for part in (actions.movement, actions.utterance))
        return decoded_actions(moved, said, self._tokenizer, self._agent.config)


class AgentSetters(AgentSolvers):
    """One agent as the setter of N slots, in one batch. Its arguments are those of :class:`AgentSolvers`."""

    @property
    def prompted(self) -> bool:
        """True if it learned from setters who were prompted, and has to be as well."""
        return bool(self._agent.config.prompted)

    def set(self, observations: Sequence[Observation], prompts: Sequence[str], resets: np.ndarray) -> list[Action]:
        """Return the setter's action in every slot.

        Args:
          prompts: N, what each is prompted to ask for; "" without one.
          resets: bool [N], True in slots whose episode begins now.
        """
        return self.act([read_as_setter(*seen) for seen in zip(observations, prompts, strict=True)], resets)

    def state_dict(self) -> dict[str, Any]:
        """Return what determines the actions to come beside what is observed: memory and choices."""
        return {
            "memory": [part.cpu().clone() for part in self._state],
            "generator": self._generator.get_state(),
            "device": self._generator.device.type,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from what :meth:`state_dict` returned; its memory counts where it is of as many slots."""
        if len(state["memory"][0]) == len(self._state[0]):
            self._state = AgentState(*(part.to(self._agent.device) for part in state["memory"]))
        set_generator(self._generator, state["generator"], state["device"])


def set_generator(generator: torch.Generator, state: torch.Tensor, device: str | None) -> None:
    """Set ``generator`` to ``state``, or to a seed made of it where that is of another kind of device.

    Args:
      device: the kind that ``state`` is of; None in older checkpoints, where it follows from the length.
    """
    alike = len(state) == len(generator.get_state()) if device is None else device == generator.device.type
    if alike:
        generator.set_state(state)
    else:
        generator.manual_seed(zlib.crc32(state.numpy().tobytes()))
