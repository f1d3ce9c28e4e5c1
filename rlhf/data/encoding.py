"""Recorded steps as an agent learns from them, all but their frames: texts as tokens, actions as columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agents.batch import ObservationArrays
from agents.config import AgentConfig
from agents.encoding import observed_arrays
from agents.tokenizer import Tokenizer
from agents.utterances import encode_utterances
from rlhf.records.episode import Episode, continuous_before, movement_before
from rlhf.store.columns.compressed import CompressedEpisode


@dataclass(frozen=True, eq=False)
class EncodedSteps:
    """Steps [T] of one episode.

    Args:
      observations: [T, ...], without the image.
      movement: int8 or int16 [T, ticks, C], the solver's movement in the columns of the agent's actions.
      utterance: int64 [T, M], what the solver says, with the end token; silence is padding.
      demonstrated: bool [T], steps to imitate, see :meth:`rlhf.records.episode.Episode.demonstrated`.
    """

    observations: ObservationArrays
    movement: np.ndarray
    utterance: np.ndarray
    demonstrated: np.ndarray

    def arrays(self) -> Iterator[tuple[str, np.ndarray]]:
        """Yield the arrays that there are, with their names."""
        for name, array in {**self.observations._asdict(), **vars(self)}.items():
            if isinstance(array, np.ndarray):
                yield name, array


def encode_steps(episode: Episode | CompressedEpisode, tokenizer: Tokenizer, config: AgentConfig) -> EncodedSteps:
    """Encode the steps of ``episode``, which is of the agent's spaces, for an agent of ``config``."""
    columns, action = config.columns, config.player.action
    before = columns.encode(movement_before(episode.movement, action), continuous_before(episode.continuous, action))
    texts = {"setter_text": episode.setter_text, "solver_text": episode.solver_text, **episode.texts}
    return EncodedSteps(
        observations=observed_arrays(episode.seen, texts, before, tokenizer, config),
        movement=columns.encode(episode.movement, episode.continuous),
        utterance=encode_utterances(episode.utterance, tokenizer, config),
        demonstrated=episode.demonstrated(),
    )
