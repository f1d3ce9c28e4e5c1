"""Playing many places at once with one agent: text in, text out, memory kept per slot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from agents.agent import InteractiveAgent
from agents.batch import ObservationBatch, send
from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from worlds.contract import Action, Observation


def encode_observations(
    observations: Sequence[Observation],
    tokenizer: Tokenizer,
    config: AgentConfig,
    device: torch.device | str = "cpu",
) -> ObservationBatch:
    """One step of N places as a batch [1, N, ...] on ``device``."""
    heard = tokenizer.encode([o["setter_text"] for o in observations], config.setter_text_length)
    said = tokenizer.encode([o["solver_text"] for o in observations], config.solver_text_length)
    return ObservationBatch(
        send(np.stack([o["image"] for o in observations])[None], device),
        send(heard[None], device),
        send(said[None], device),
        send(np.stack([o["previous_movement"] for o in observations])[None], device),
    )


class AgentSolvers:
    """One agent that plays the solver in N slots, batched.

    Args:
      agent, tokenizer: who plays. slots: how many places. seed: of its choices. greedy: always the likeliest action.
    """

    def __init__(
        self, agent: InteractiveAgent, tokenizer: Tokenizer, slots: int, seed: int = 0, greedy: bool = False
    ) -> None:
        self._agent, self._tokenizer, self._greedy = agent, tokenizer, greedy
        self._state = agent.initial_state(slots)
        self._generator = torch.Generator(agent.device).manual_seed(seed)

    def act(self, observations: Sequence[Observation], resets: np.ndarray) -> list[Action]:
        """The solver's action in every slot; ``resets`` bool [N] marks slots whose episode begins now."""
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
