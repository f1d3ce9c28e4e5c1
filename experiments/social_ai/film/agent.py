"""The agent of the SocialAI school's paper: maps and words meet by FiLM, before an LSTM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from agents.agent import InteractiveAgent
from agents.config import AgentConfig
from agents.registry import register
from experiments.social_ai.film.trunk import FilmTrunk

_PRESETS: dict[str, dict[str, Any]] = {
    # Learns on two CPU cores.
    "small": {"width": 32, "memory_width": 128, "tick_width": 64, "value_width": 64, "setter_text_length": 24},
    # The paper's widths: embeddings and channels of 128, a GRU of 64 each way, an LSTM of 2048, heads of 64.
    "paper": {"width": 128, "memory_width": 2048, "tick_width": 64, "value_width": 64, "setter_text_length": 64},
}


class FilmConfig(AgentConfig):
    """Sizes of a :class:`FilmAgent`: those of :class:`agents.config.AgentConfig` that it has.

    ``width`` is that of embeddings, channels and words; ``memory_width`` that of the LSTM. There is no Transformer and
    no ResNet; pictures are cut by ``vision_strides``.

    Raises:
      ValueError: it observes entities or a vector, neither a map nor a picture, or its width is odd; or it is
        to have another stem, or a norm, which are of the built-in image encoder.
    """

    model_type = "film_agent"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = _PRESETS

    def __init__(self, width: int = 32, **kwargs: Any) -> None:
        super().__init__(width=width, **kwargs)
        seen = self.player.observation
        if seen.entities is not None or seen.vector is not None or (seen.grid is None and seen.image is None):
            raise ValueError(
                "an agent of the kind film_agent reads maps and pictures, and neither entities nor vectors; choose "
                "another size for this world, e.g. nano"
            )
        if self.vision_stem != "patches" or self.vision_norm or self.vision_model is not None:
            raise ValueError(
                "an agent of the kind film_agent cuts patches and has no residual blocks to normalise; leave out "
                "vision_stem, vision_norm and vision_model, or choose another kind"
            )
        if self.glimpse:
            raise ValueError("an agent of the kind film_agent matches no words with places; leave out glimpse")
        if width % 2:
            raise ValueError(f"width {width} is odd: each direction of the GRU has half of it")


@register
class FilmAgent(InteractiveAgent):
    """The project's heads on the paper's trunk."""

    config_class = FilmConfig

    def __init__(self, config: FilmConfig) -> None:
        super().__init__(config)
        self.trunk = FilmTrunk(config)  # type: ignore[assignment]
