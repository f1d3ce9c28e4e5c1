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
from agents.roles import read_as_setter
from agents.tokenizer import Tokenizer
from agents.utterances import decode_utterance, observed_tokens
from worlds.contract import Action, Observation


def observation_arrays(
    observations: Sequence[Mapping[str, Any]], tokenizer: Tokenizer, config: AgentConfig
) -> ObservationArrays:
    """Encode one step of N slots as arrays [N, ...], texts as tokens.

    Args:
      observations: N, one a slot.
      tokenizer: the agent's.
      config: the agent's; it has the numbers of tokens.
    """
    setter_texts, solver_texts = ([o[name] for o in observations] for name in ("setter_text", "solver_text"))
    arrays = {
        "image": stacked(observations, "image"),
        "setter_tokens": observed_tokens(setter_texts, tokenizer, config),
        "solver_tokens": observed_tokens(solver_texts, tokenizer, config, own=True),
        "previous_movement": np.stack([o["previous_movement"] for o in observations]),
    }
    if config.spaces is None:
        return ObservationArrays(**arrays)
    return _declared_parts(observations, tokenizer, config, arrays)


def _declared_parts(
    observations: Sequence[Mapping[str, Any]], tokenizer: Tokenizer, config: AgentConfig, arrays: dict[str, Any]
) -> ObservationArrays:
    """Return ``arrays`` with the parts that only other spaces than the Playhouse's have."""
    seen, action = config.player.observation, config.player.action
    if action.continuous:
        continuous = np.stack([o["previous_continuous"] for o in observations])
        arrays["previous_movement"] = config.columns.encode(arrays["previous_movement"], continuous)
    for name in ("grid", "vector", "legal"):
        arrays[name] = stacked(observations, name)
    if seen.entities is not None:
        counts = np.array([len(o["entity_values"]) for o in observations], np.int32)
        for name in ("entity_categories", "entity_values"):
            rows = np.concatenate([o[name] for o in observations])
            arrays[name] = padded(rows, counts, seen.entities.most)
        arrays["entity_count"] = counts.astype(np.int16)
    if seen.texts:
        texts = [[o[name] for name in seen.texts] for o in observations]
        arrays["texts"] = np.stack([observed_tokens(one, tokenizer, config) for one in texts])
    return ObservationArrays(**arrays)


def stacked(observations: Sequence[Mapping[str, Any]], name: str) -> np.ndarray | None:
    """Return part ``name`` of all observations as one array; None if the first has none."""
    return np.stack([o[name] for o in observations]) if name in observations[0] else None


def padded(rows: np.ndarray, counts: np.ndarray, most: int) -> np.ndarray:
    """Return sets of rows that lie end to end as one array, each filled up with zeros.

    Args:
      rows: [sum of counts, features].
      counts: integers [N], rows of every set.
      most: largest number of rows of a set.

    Returns:
      [N, most, features], of the same type.
    """
    filled = np.zeros((len(counts), most, rows.shape[1]), rows.dtype)
    filled[np.arange(most) < np.asarray(counts)[:, None]] = rows
    return filled


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
    return map_parts(lambda array: send(array[None], device), arrays)


class AgentSolvers:
    """One agent as the solver of N slots, in one batch.

    Args:
      agent: the player.
      tokenizer: the agent's.
      slots: N, number of worlds played at once.
      seed: of the agent's choices.
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
        """Return the solver's action in every slot.

        Args:
          observations: N, one a slot.
          resets: bool [N], True in slots whose episode begins now.
        """
        device = self._agent.device
        batch = encode_observations(observations, self._tokenizer, self._agent.config, device)
        begins = send(resets[None], device)
        with torch.inference_mode():
            actions, _, _, self._state = self._agent.act(
                batch, self._state, begins, self._generator, self._greedy, self._greedy_words
            )
        columns, words = actions.movement[0].cpu().numpy(), actions.utterance[0].tolist()
        movement, continuous = self._agent.config.columns.decode(columns)
        said = [decode_utterance(word, self._tokenizer, self._agent.config) if word[0] else "" for word in words]
        if continuous is None:
            return [{"movement": move, "utterance": text} for move, text in zip(movement, said, strict=True)]
        return [
            {"movement": move, "continuous": values, "utterance": text}
            for move, values, text in zip(movement, continuous, said, strict=True)
        ]


class AgentSetters(AgentSolvers):
    """One agent as the setter of N slots, in one batch. Its arguments are those of :class:`AgentSolvers`."""

    @property
    def prompted(self) -> bool:
        """True if it learned from setters who were prompted, and has to be as well."""
        return bool(self._agent.config.prompted)

    def set(self, observations: Sequence[Observation], prompts: Sequence[str], resets: np.ndarray) -> list[Action]:
        """Return the setter's action in every slot.

        Args:
          observations: N, the setters', one a slot.
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
      generator: is set.
      state: of a generator.
      device: the kind that ``state`` is of. Older checkpoints do not contain it; then it follows from the length.
    """
    alike = len(state) == len(generator.get_state()) if device is None else device == generator.device.type
    if alike:
        generator.set_state(state)
    else:
        generator.manual_seed(zlib.crc32(state.numpy().tobytes()))
