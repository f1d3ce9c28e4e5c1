"""The sizes of an agent, as a ``transformers`` configuration that travels with its weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from transformers import PretrainedConfig

from agents.columns import ActionColumns
from agents.networks.stem import STEMS
from agents.roles import ROLES
from worlds.contract import SOLVER, body_spec
from worlds.spaces.action import Grammar
from worlds.spaces.description import from_json, to_json
from worlds.spaces.observation import PlayerSpec

# What the paper's four sizes share. 72x96 pixels become 6x8 tokens, each of a whole patch of 12x12 pixels.
_PAPER: dict[str, Any] = {
    "image_size": (72, 96), "vocab_size": 512,
    "setter_text_length": 24, "solver_text_length": 12, "utterance_length": 12,
    "vision_channels": (64, 128, 256), "vision_strides": (3, 2, 2),
    "layers": 8, "tick_width": 128, "value_width": 512,
}  # fmt: skip

_PRESETS: dict[str, dict[str, Any]] = {
    # About 0.55M parameters. Learns from 48x36 images at thousands of frames a second on two CPU cores.
    "nano": {},
    # Twice the parameters of nano, for the same images: what more size alone would bring.
    "micro": {"vision_channels": (48, 96), "width": 96, "memory_width": 192},
    # Two stages more of image, for the full house at 96x72 on a CPU.
    "mini": {
        "image_size": (72, 96), "vision_channels": (24, 48, 96), "vision_strides": (4, 2, 2),
        "vision_blocks": (1, 1, 1),
        "width": 96, "memory_width": 192, "layers": 2, "setter_text_length": 16,
    },
    # The paper's four sizes, named by their millions of parameters. From one to the next only what the paper says it
    # scaled grows: the ResNet's depth, and the widths of Transformer and LSTM (docs/sizes.md has the counts).
    "5m": _PAPER | {
        "vision_blocks": (1, 1, 1), "width": 128, "heads": 2, "language_heads": 2, "memory_width": 288,
    },
    "18m": _PAPER | {
        "vision_blocks": (1, 2, 4), "width": 320, "heads": 5, "language_heads": 5, "memory_width": 512,
    },
    "71m": _PAPER | {
        "vision_blocks": (2, 4, 7), "width": 768, "heads": 12, "language_heads": 12, "memory_width": 1024,
    },
    "165m": _PAPER | {
        "vision_blocks": (3, 6, 14), "width": 1216, "heads": 19, "language_heads": 19, "memory_width": 1536,
    },
}  # fmt: skip


_DERIVED = ("_player", "_columns")
_MOST_LAYERS = 1000  # so that a damaged configuration is refused before it is built


class AgentConfig(PretrainedConfig):
    """Sizes of an agent. The paper does not state widths; these are our documented choice.

    Args:
      image_size: (height, width) of the image in pixels; ``spaces``, where they are given, decide: (0, 0) without one.
      vocab_size: number of tokens; token 0 pads, 1 begins and 2 ends an utterance.
      setter_text_length: tokens kept of the setter's last words.
      solver_text_length: tokens kept of the solver's own last words.
      utterance_length: tokens of one utterance, its end token included; of a finite grammar, the number of its slots.
      vision_channels: width of each ResNet stage.
      vision_strides: down-sampling of each ResNet stage. The first is a patch, as in a vision Transformer.
      vision_blocks: number of residual blocks in each ResNet stage.
      vision_stem: first stage of the image encoder: "patches" side by side, overlapping "windows", or "convolutions" of
        small strides (:mod:`agents.networks.stem`). All have as many places.
      vision_norm: normalise each frame over its channels and places in every residual block of the image encoder.
      vision_model: configuration of a pretrained vision model, as JSON of ``transformers``, whose features replace the
        image encoder's stages and never change (:mod:`agents.networks.frozen_vision`); None has no such model.
      vision_grid: rows and columns of patches into which the pretrained model cuts the picture.
      width: width of the multi-modal Transformer.
      layers: layers of the multi-modal Transformer (paper: 8 at 71M parameters).
      heads: attention heads of the multi-modal Transformer.
      feels_movement: observe the movement of the step before. Cloned agents that do copy it (the copycat problem; de
        Haan et al., 2019, "Causal confusion in imitation learning"): they continue what they do, right or wrong. LOG.md
        has how much that costs.
      dedicated_tokens: learned tokens whose outputs go to the memory.
      sketch_width: numbers that every visual token leaves to the memory.
      glimpse: the memory also gets the visual token that shows what the words name, whole, and words that this token
        shows are likelier to be said, as far as the policy trusts it.
      memory_width: width of the LSTM.
      tick_width: hidden width of the policy of one tick.
      language_heads: of the language policy's Transformer layer.
      value_width: hidden width of the value head (paper, A.7: 512).
      tokenizer_digest: digest of the tokenizer whose tokens the agent knows
        (:attr:`agents.tokenizer.Tokenizer.digest`), noted when it is saved; None in agents saved by older versions.
      spaces: what the agent observes and can do, as JSON of a :class:`worlds.spaces.observation.PlayerSpec`; None
        becomes those of the Playhouse with a picture of ``image_size``.
      continuous_bins: bins into which the policy divides every continuous component of an action.
      marks_cuts: an observed text that is cut ends in a token that says so (:data:`agents.tokenizer.CUT_ID`). Agents of
        older versions never learned that token.
      improvement_indicator: have an input that says whether the actions to come are good ones
        (:mod:`agents.networks.improvement`), which they are when nothing else is said, as in play.
      role: the player that it is: "solver" or "setter" (:mod:`agents.roles`).
      prompted: a setter learned from recordings in which setters were prompted, and is given prompts when it plays.

    Raises:
      ValueError: sizes that do not fit each other, or ``spaces`` that describe none.
    """

    model_type = "interactive_agent"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = _PRESETS  # the named sizes, smallest first

    def __init_subclass__(cls, *args: Any, **kwargs: Any) -> None:
        """``transformers`` gives a subclass without ``__init__`` one that sets no sizes; this one inherits it."""
        if "__init__" not in cls.__dict__:

            def inherited(self: Any, **sizes: Any) -> None:
                super(cls, self).__init__(**sizes)

            cls.__init__ = inherited  # type: ignore[assignment]
        super().__init_subclass__(*args, **kwargs)

    def __init__(
        self,
        image_size: Sequence[int] = (36, 48),
        vocab_size: int = 256,
        setter_text_length: int = 10,
        solver_text_length: int = 4,
        utterance_length: int = 6,
        vision_channels: Sequence[int] = (32, 64),
        vision_strides: Sequence[int] = (4, 3),
        vision_blocks: Sequence[int] = (1, 1),
        width: int = 64,
        layers: int = 1,
        heads: int = 4,
        feels_movement: bool = False,
        dedicated_tokens: int = 2,
        sketch_width: int = 16,
        glimpse: bool = False,
        memory_width: int = 128,
        tick_width: int = 48,
        value_width: int = 128,
        language_heads: int = 2,
        tokenizer_digest: str | None = None,
        spaces: Mapping[str, Any] | None = None,
        continuous_bins: int = 33,
        marks_cuts: bool = False,
        vision_stem: str = "patches",
        vision_norm: bool = False,
        vision_model: Mapping[str, Any] | None = None,
        vision_grid: Sequence[int] = (6, 8),
        improvement_indicator: bool = False,
        role: str = SOLVER,
        prompted: bool = False,
        **kwargs: Any,
    ) -> None:
        height, width_ = image_size
        self._player = body_spec(height, width_) if spaces is None else from_json(spaces)
        seen = self._player.observation.image
        self._columns = ActionColumns(self._player.action, continuous_bins)
        self.spaces = to_json(self._player) if spaces is None else spaces
        self.continuous_bins = continuous_bins
        self.marks_cuts = marks_cuts
        self.role = role
        self.prompted = prompted
        self.image_size = (0, 0) if seen is None else (seen.height, seen.width)
        self.vocab_size = vocab_size
        self.setter_text_length = setter_text_length
        self.solver_text_length = solver_text_length
        self.utterance_length = utterance_length
        self.vision_channels = tuple(vision_channels)
        self.vision_strides = tuple(vision_strides)
        self.vision_blocks = tuple(vision_blocks)
        self.vision_stem = vision_stem
        self.vision_norm = vision_norm
        self.vision_model = vision_model
        self.vision_grid = tuple(vision_grid)
        self.improvement_indicator = improvement_indicator
        self.width = width
        self.layers = layers
        self.heads = heads
        self.feels_movement = feels_movement
        self.dedicated_tokens = dedicated_tokens
        self.sketch_width = sketch_width
        self.glimpse = glimpse
        self.memory_width = memory_width
        self.tick_width = tick_width
        self.value_width = value_width
        self.language_heads = language_heads
        self.tokenizer_digest = tokenizer_digest
        speech = self._player.action.speech
        if isinstance(speech, Grammar):
            self.utterance_length = len(speech.slots)
        super().__init__(**kwargs)
        self._check_sizes()

    def _check_sizes(self) -> None:
        if self.layers > _MOST_LAYERS or sum(self.vision_blocks) > _MOST_LAYERS:
            raise ValueError(f"layers and vision_blocks are at most {_MOST_LAYERS}: nothing trains deeper agents")
        for name in ("heads", "language_heads"):
            heads = getattr(self, name)
            if self.width % heads:
                raise ValueError(
                    f"width {self.width} is not divisible by {name} {heads}: every head needs the same share"
                )
        if self.utterance_length < 2 and not isinstance(self._player.action.speech, Grammar):
            raise ValueError(f"utterance_length is {self.utterance_length}: a word and the end token take 2 places")
        if not len(self.vision_channels) == len(self.vision_strides) == len(self.vision_blocks):
            raise ValueError("vision_channels, vision_strides and vision_blocks need one entry for every stage each")
        seen, patch = self.image_size, self.vision_strides[0]
        if self.vision_model is None and max(seen) and min(seen) < patch:
            raise ValueError(f"pictures of {seen[0]}x{seen[1]} pixels are smaller than a patch of {patch}x{patch}")
        if len(self.vision_grid) != 2 or min(self.vision_grid) < 1:
            raise ValueError(f"vision_grid is a number of rows and one of columns from 1 on, not {self.vision_grid}")
        if self.role not in ROLES:
            raise ValueError(f"role is {self.role!r}: it is one of {', '.join(ROLES)}")
        if self.vision_stem not in STEMS:
            raise ValueError(f"vision_stem is {self.vision_stem!r}: it is one of {', '.join(STEMS)}")

    @property
    def player(self) -> PlayerSpec:
        """What the agent observes and can do."""
        return self._player

    @property
    def columns(self) -> ActionColumns:
        """The columns of its actions."""
        return self._columns

    def to_dict(self) -> dict[str, Any]:
        """Return the sizes as JSON values."""
        return {name: value for name, value in super().to_dict().items() if name not in _DERIVED}

    @classmethod
    def preset_names(cls) -> tuple[str, ...]:
        """The named sizes, smallest first."""
        return tuple(cls.presets)

    @classmethod
    def preset(cls, name: str, **overrides: Any) -> Self:
        """Return the named size with ``overrides``. Raises ValueError, naming the known sizes, for another name."""
        if name not in cls.presets:
            raise ValueError(f"no agent size {name!r}; known: {', '.join(cls.presets)}")
        return cls(**{**cls.presets[name], **overrides})
