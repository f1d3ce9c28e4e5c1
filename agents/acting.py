"""Acting: one agent plays N slots at once. Text goes in and comes out; memory is kept by slot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from agents.agent import InteractiveAgent
from agents.batch import ObservationArrays, ObservationBatch, send
from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from worlds.contract import Action, Observation


def observation_arrays(
    observations: Sequence[Observation], tokenizer: Tokenizer, config: AgentConfig
) -> ObservationArrays:
    """Encode one step of N slots as arrays [N, ...], texts as tokens.

    Args:
      observations: N, one a slot.
      tokenizer: the agent's.
      config: the agent's; it has the numbers of tokens.
    """
    return ObservationArrays(
        np.stack([o["image"] for o in observations]),
        tokenizer.encode([o["setter_text"] for o in observations], config.setter_text_length),
        tokenizer.encode([o["solver_text"] for o in observations], config.solver_text_length),
        np.stack([o["previous_movement"] for o in observations]),
    )


def encode_observations(
    observations: Sequence[Observation],
    tokenizer: Tokenizer,
    config: AgentConfig,
    device: torch.device | str = "cpu",
) -> ObservationBatch:
    """Encode one step of N slots as a batch [1, N, ...].

    Args:
      observations: N, one a slot.
      tokenizer: the agent's.
      config: the agent's; it has the numbers of tokens.
      device: where the batch is wanted.
    """
    arrays = observation_arrays(observations, tokenizer, config)
    return ObservationBatch(*(send(array[None], device) for array in arrays))


class AgentSolvers:
    """One agent as the solver of N slots, in one batch.

    Args:
      agent: the player.
      tokenizer: the agent's.
      slots: N, number of worlds played at once.
      seed: of the agent's choices.
      greedy: take the likeliest action instead of a sample.
    """

    def __init__(
        self, agent: InteractiveAgent, tokenizer: Tokenizer, slots: int, seed: int = 0, greedy: bool = False
    ) -> None:
        self._agent, self._tokenizer, self._greedy = agent, tokenizer, greedy
        self._state = agent.initial_state(slots)
        self._generator = torch.Generator(agent.device).manual_seed(seed)

    def act(self, observations: Sequence[Observation], resets: np.ndarray) -> list[Action]:
        """Return the solver's action in every slot.

        Args:
          observations: N, one a slot.
          resets: bool [N], True in slots whose episode begins now.
        """
        device = self._agent.device
        batch = encode_observations(observations, self._tokenizer, self._agent.config, device)
        begins = send(resets[None], device)
        with torch.inference_mode():
            actions, _, _, self._state = self._agent.act(batch, self._state, begins, self._generator, self._greedy)
        movement, words = actions.movement[0].cpu().numpy(), actions.utterance[0].tolist()
        return [
            {"movement": move, "utterance": self._tokenizer.decode(word) if word[0] else ""}
            for move, word in zip(movement, words, strict=True)
        ]
