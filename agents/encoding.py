"""Observations as an agent takes them, from play and from recordings alike, and its actions as worlds take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agents.batch import ObservationArrays
from agents.config import AgentConfig
from agents.tokenizer import PAD_ID, Tokenizer
from agents.utterances import decode_utterance, observed_tokens
from worlds.contract import Action
from worlds.spaces.steps import ENTITIES, ENTITY_COUNTS, padded


def observed_arrays(
    seen: Mapping[str, np.ndarray],
    texts: Mapping[str, Sequence[str]],
    before: np.ndarray,
    tokenizer: Tokenizer,
    config: AgentConfig,
) -> ObservationArrays:
    """Encode N observations: texts as tokens, sets of entities filled up with zeros.

    Args:
      seen: arrays as :func:`worlds.spaces.steps.stack_observations` returns them, with or without the image.
      texts: N by each key of the player's texts.
      before: [N, ticks, C], the movement of the step before, in the columns of the agent's actions.
    """
    known = config.player.observation
    parts: dict[str, Any] = {name: array for name, array in seen.items() if name != ENTITY_COUNTS}
    if known.entities is not None:
        counts = seen[ENTITY_COUNTS]
        parts |= {name: padded(seen[name], counts, known.entities.most) for name in ENTITIES}
        parts["entity_count"] = counts.astype(np.int16)
    if known.texts:
        parts["texts"] = np.stack([observed_tokens(texts[name], tokenizer, config) for name in known.texts], axis=1)
    parts["setter_tokens"] = observed_tokens(texts["setter_text"], tokenizer, config)
    parts["solver_tokens"] = observed_tokens(texts["solver_text"], tokenizer, config, own=True)
    return ObservationArrays(**{"image": None, "previous_movement": before} | parts)


def decoded_actions(columns: np.ndarray, words: np.ndarray, tokenizer: Tokenizer, config: AgentConfig) -> list[Action]:
    """Return N actions as worlds take them.

    Args:
      columns: integers [N, ticks, C], movement in the columns of the agent's actions.
      words: int64 [N, M], utterances; silence is padding.
    """
    movement, continuous = config.columns.decode(columns)
    said = [decode_utterance(each, tokenizer, config) if each[0] != PAD_ID else "" for each in words.tolist()]
    actions: list[Action] = [{"movement": move, "utterance": text} for move, text in zip(movement, said, strict=True)]
    if continuous is not None:
        for action, values in zip(actions, continuous, strict=True):
            action["continuous"] = values
    return actions
