"""An inter-temporal reward model that is built as the agent of the SocialAI school's paper."""

from __future__ import annotations

from agents.config import AgentConfig
from experiments.social_ai.film.agent import FilmConfig
from experiments.social_ai.film.trunk import FilmTrunk
from reward_models.inter_temporal import InterTemporalConfig, InterTemporalRewardModel
from reward_models.registry import register


class FilmRewardConfig(InterTemporalConfig, FilmConfig):
    """Sizes of a :class:`FilmRewardModel`."""

    model_type = "film_reward_model"


@register
class FilmRewardModel(InterTemporalRewardModel):
    """The inter-temporal model on that trunk."""

    short = "FiLM"
    config_class = FilmRewardConfig

    def __init__(self, config: AgentConfig) -> None:
        super().__init__(config)
        self.trunk = FilmTrunk(self.config)  # type: ignore[assignment]
