"""Recorded steps as an agent learns from them, all but their frames: texts as tokens, actions as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.acting import padded
from agents.columns import ActionColumns
from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from agents.utterances import encode_utterances, observed_tokens
from rlhf.records.declared_fields import ENTITY_COUNTS
from rlhf.records.episode import Episode, continuous_before, movement_before
from rlhf.store.columns.compressed import CompressedEpisode


@dataclass(frozen=True, eq=False)
class EncodedSteps:
    """Steps [T] of one episode. Arrays that the agent's spaces do not have are None.

    Args:
      setter_tokens: int64 [T, L], what the setter last said.
      solver_tokens: int64 [T, L], what the solver last said.
      previous_movement: int8 or int16 [T, ticks, C], the solver's movement of the step before, as ``movement``.
      movement: int8 or int16 [T, ticks, C], the solver's movement in the columns of the agent's actions.
      utterance: int64 [T, M], what the solver says, with the end token; silence is padding.
      demonstrated: bool [T], steps to imitate, see :meth:`rlhf.records.episode.Episode.demonstrated`.
      grid: int16 [T, height, width, channels].
      entity_categories: int16 [T, most, categorical features], zeros after the last entity.
      entity_values: float32 [T, most, real features], zeros after the last entity.
      entity_count: int16 [T].
      vector: float32 [T, length].
      legal: bool [T, values of all discrete components and pointers].
      texts: int64 [T, texts, L], further texts.
    """

    setter_tokens: np.ndarray
    solver_tokens: np.ndarray
    previous_movement: np.ndarray
    movement: np.ndarray
    utterance: np.ndarray
    demonstrated: np.ndarray
    grid: np.ndarray | None = None
    entity_categories: np.ndarray | None = None
    entity_values: np.ndarray | None = None
    entity_count: np.ndarray | None = None
    vector: np.ndarray | None = None
    legal: np.ndarray | None = None
    texts: np.ndarray | None = None

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that there are, by name."""
        return {name: array for name, array in vars(self).items() if array is not None}


def encode_steps(episode: Episode | CompressedEpisode, tokenizer: Tokenizer, config: AgentConfig) -> EncodedSteps:
    """Encode the steps of ``episode``, which is of the agent's spaces, for an agent of ``config``."""
    return EncodedSteps(
        setter_tokens=observed_tokens(episode.setter_text, tokenizer, config),
        solver_tokens=observed_tokens(episode.solver_text, tokenizer, config, own=True),
        previous_movement=_moved_before(episode, config.columns),
        movement=config.columns.encode(episode.movement, episode.continuous),
        utterance=encode_utterances(episode.utterance, tokenizer, config),
        demonstrated=episode.demonstrated(),
        **({} if episode.spaces is None else _declared_parts(episode, tokenizer, config)),
    )


def _moved_before(episode: Episode | CompressedEpisode, columns: ActionColumns) -> np.ndarray:
    """The solver's movement of the step before, neutral at the first, in ``columns``."""
    if episode.spaces is None:
        return columns.encode(movement_before(episode.movement))
    before = movement_before(episode.movement, episode.spaces.solver.action)
    return columns.encode(before, continuous_before(episode.continuous, episode.spaces))


def _declared_parts(
    episode: Episode | CompressedEpisode, tokenizer: Tokenizer, config: AgentConfig
) -> dict[str, np.ndarray]:
    """What only declared spaces have, as :func:`agents.acting.observation_arrays` encodes it in play."""
    known, seen = config.player.observation, episode.seen
    parts = {name: seen[name] for name in ("grid", "vector", "legal") if name in seen}
    if known.entities is not None:
        counts = seen[ENTITY_COUNTS]
        for name in ("entity_categories", "entity_values"):
            parts[name] = padded(seen[name], counts, known.entities.most)
        parts["entity_count"] = counts.astype(np.int16)
    if known.texts:
        texts = [observed_tokens(episode.texts[name], tokenizer, config) for name in known.texts]
        parts["texts"] = np.stack(texts, axis=1)
    return parts
