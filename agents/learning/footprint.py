"""Memory that training takes, estimated from the sizes of agent and batch.

What counts are the activations that are kept for the gradients: per frame, a sum over the network's parts of how many
numbers each keeps. Calibrated on the CPU against the growth of the peak resident memory by updates of BC and CSS
(windows T x B, measured MiB, estimate over measured):

    nano, 36x48 pixels: 10x8, 49, 1.13; 50x8, 132, 1.13; 50x32, 466, 1.08; 50x96, 1,072, 1.37; 5x256, 412, 1.05
    nano, 36x48 pixels, activations computed again: 50x32, 458, 0.93
    nano, 72x96 pixels: 50x16, 686, 1.21; mini: 50x8, 545, 1.07; 5m: 10x16, 1,284, 0.94; 18m: 10x8, 1,224, 1.25

    the household's entities, nano: 10x8, 135, 0.98; 50x8, 678, 0.80; 50x32, 1,586, 1.33
    the household's entities, mini: 20x8, 424, 1.23; 5m: 10x8, 1,161, 0.99; nano, computed again: 50x16, 901, 0.95
    the household's entities and 36x48 pixels, nano: 20x8, 220, 0.94

On a GPU, in bfloat16, and of other spaces than these, it was not measured.
"""

from __future__ import annotations

import math

from agents.columns import computed_rows, grid_sides
from agents.computing_config import ComputingConfig
from agents.config import AgentConfig

UNCERTAINTY = 1.5  # what was measured lies within this factor of the estimate, either way

_NUMBER = 4  # bytes
_SCRATCH = 24 * 2**20  # bytes that kernels need besides, whatever the size
_SHARE_IN_BF16 = 0.6  # of what is computed in bfloat16, as some of it stays float32
_COPIES_OF_WEIGHTS = 4  # weights, gradients, and Adam's two averages
_KEPT_BY_LAYER = 15  # of a Transformer layer, in widths a token
_KEPT_BY_BLOCK = 4  # of a residual block, in channels a position
_KEPT_BY_MEMORY = 14  # of the LSTM, in widths a step
_KEPT_BY_TOKEN = 8  # of a visual token beside the layers, in widths
_KEPT_BY_ENTITY = 2  # of an entity's token, which is also encoded, in visual tokens


def learning_bytes(
    config: AgentConfig,
    steps: int,
    batch: int,
    parameters: int,
    computing: ComputingConfig,
    paired: int | None = None,
    entities: int | None = None,
) -> int:
    """Peak bytes of a gradient step on a window [T, B] beside the program itself: activations, weights, optimiser.

    Args:
      steps: T.
      batch: B.
      parameters: number of the agent's parameters.
      computing: precision, and whether activations are kept or computed again.
      paired: how many of the B trajectories the contrastive loss pairs with each other; None pairs all.
      entities: of the frame with most of them; None for as many as the agent's spaces allow.
    """
    rows = entity_rows(config, entities)
    frames, image = steps * batch, config.player.observation.image
    pixels = 0 if image is None else math.prod(image.shape)
    checkpointed, paired = computing.checkpoint_activations, batch if paired is None else paired
    numbers = _vision(config, checkpointed) + _transformer(config, checkpointed, rows) + 3 * pixels
    exact = _KEPT_BY_MEMORY * config.memory_width + _policies(config)
    activations = frames * (numbers * (_SHARE_IN_BF16 if computing.bf16 else 1.0) + exact)
    pairs = 2 * steps * paired * paired * (visual_tokens(config) + rows)
    inputs = frames * pixels
    weights = _COPIES_OF_WEIGHTS * parameters
    return round(_NUMBER * (activations + pairs + weights) + inputs + _SCRATCH)


def visual_tokens(config: AgentConfig) -> int:
    """Number of visual tokens of places: of the picture, the map and the vector."""
    seen = config.player.observation
    picture = 0
    if seen.image is not None:
        cut = _sides(config, len(config.vision_strides)) if config.vision_model is None else config.vision_grid
        picture = math.prod(cut)
    return picture + (0 if seen.grid is None else math.prod(grid_sides(seen.grid))) + (seen.vector is not None)


def entity_rows(config: AgentConfig, entities: int | None = None) -> int:
    """Return E, the rows of entities that are computed.

    Args:
      entities: of the frame with most of them; None for as many as the agent's spaces allow.
    """
    known = config.player.observation.entities
    if known is None:
        return 0
    return known.most if entities is None else computed_rows(entities, known.most)


def _sides(config: AgentConfig, stages: int) -> tuple[int, ...]:
    """Height and width of the image after the first ``stages`` of the image encoder."""
    sides = config.image_size
    for index, stride in enumerate(config.vision_strides[:stages]):
        sides = tuple(side // stride if index == 0 else (side - 1) // stride + 1 for side in sides)
    return sides


def _vision(config: AgentConfig, checkpointed: bool) -> float:
    kept, seen = 0, config.player.observation
    if seen.grid is not None:
        kept += config.vision_channels[-1] * seen.grid.height * seen.grid.width * (2 + _KEPT_BY_BLOCK)
    if seen.image is None:
        return kept
    if config.vision_model is not None:  # nothing inside the frozen model is kept
        return kept + 3 * int(config.vision_model["hidden_size"]) * math.prod(config.vision_grid)
    for index, (channels, blocks) in enumerate(zip(config.vision_channels, config.vision_blocks, strict=True)):
        positions = math.prod(_sides(config, index + 1))
        kept += channels * positions * (1 + blocks * (1 if checkpointed else _KEPT_BY_BLOCK))
    return kept + 2 * config.vision_channels[-1] * visual_tokens(config)


def _transformer(config: AgentConfig, checkpointed: bool, entities: int) -> float:
    seen = visual_tokens(config)
    tokens = config.dedicated_tokens + seen + 1 + config.feels_movement + config.setter_text_length + entities
    queries = config.dedicated_tokens + seen  # of the last layer, of which no other tokens are read
    linear = tokens * config.width * _KEPT_BY_LAYER
    layer, last = (linear + config.heads * asking * tokens for asking in (tokens, queries))
    whole = config.layers - 1
    largest = layer if whole else last
    layers = largest + whole * tokens * config.width if checkpointed else whole * layer + last
    return layers + _KEPT_BY_TOKEN * (seen + _KEPT_BY_ENTITY * entities) * config.width


def _policies(config: AgentConfig) -> float:
    columns = config.columns
    values = len(columns.counts) * int(columns.counts.max(initial=1))
    movement = columns.ticks * (3 * config.tick_width + 4 * values)
    return movement + 2 * config.value_width
