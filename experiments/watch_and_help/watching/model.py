"""A model that watches Alice and infers her goal: how many things are to satisfy each of 30 predicates.

Of the trunk's parts: entities are encoded and meet in a Transformer, an LSTM remembers the frames. After every frame a
head gives a distribution over the counts of each predicate, independent of the others'.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.config import AgentConfig
from agents.networks.entities import EntityEncoder
from agents.networks.memory import AgentState, ResettingLSTM
from agents.networks.trunk import TransformerLayer
from agents.networks.vision import VisionEncoder
from experiments.watch_and_help.watching.frames import Frames, draw, goal_of, watched
from experiments.watch_and_help.watching.shown import Shown
from rlhf.records.json_records import from_json
from rlhf.store.files.durable import write_file
from worlds.errors import UserError
from worlds.household.drawing.camera import Pictures
from worlds.household.observing.entities import ENTITIES, UNKNOWN
from worlds.household.state.vocabulary import Verb
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.sets import PREDICATES
from worlds.settings import BadValue

COUNTS = 3  # of a predicate: 0, 1 or 2
WEIGHTS, CONFIG, CARD = "model.safetensors", "config.json", "README.md"


@dataclass(frozen=True)
class WatcherConfig:
    """Size and inputs of a watcher.

    Args:
      width: of tokens.
      heads: of attention.
      layers: of the Transformer.
      memory_width: of the LSTM.
      only_last: it sees the last state by itself.
      actions: it also sees what Alice did.
      ended: it knows which frame is the last, after which Alice has what she wants.
      picture: height and width of what it sees through Alice's eyes, instead of entities; (0, 0) for entities.
    """

    width: int = 64
    heads: int = 4
    layers: int = 2
    memory_width: int = 128
    only_last: bool = False
    actions: bool = False
    ended: bool = False
    picture: tuple[int, int] = (0, 0)


class Watcher(nn.Module):
    """The model. See the head of this file."""

    def __init__(self, config: WatcherConfig) -> None:
        super().__init__()
        self.config = config
        width = config.width
        self.encoder = _vision(config) if any(config.picture) else _entities(config)
        self.layers = nn.ModuleList(TransformerLayer(width, config.heads) for _ in range(config.layers))
        self.norm = nn.LayerNorm(width)
        self.verbs = nn.Embedding(len(Verb), width) if config.actions else None
        self.classes = nn.Embedding(UNKNOWN + 1, width) if config.actions else None
        self.gather = nn.Linear((4 if config.actions else 3) * width, config.memory_width)
        self.over = nn.Parameter(0.1 * torch.randn(config.memory_width)) if config.ended else None
        self.memory = ResettingLSTM(config.memory_width, config.memory_width)
        self.head = nn.Linear(config.memory_width, len(PREDICATES) * COUNTS)

    def forward(self, frames: Frames) -> Tensor:
        """Return the logits of counts after every frame: float [frames, predicates, counts]."""
        seen = self._frames(frames)
        if self.over is not None:
            is_last = torch.zeros(len(seen), 1)
            is_last[torch.from_numpy(frames.first[1:] - 1)] = 1.0
            seen = seen + is_last * self.over
        lengths = np.diff(frames.first)
        place = np.concatenate([np.arange(length) for length in lengths])
        column = np.repeat(np.arange(len(lengths)), lengths)
        index = torch.from_numpy(place * len(lengths) + column)
        steps = int(lengths.max())
        padded = seen.new_zeros(steps * len(lengths), seen.shape[1]).index_copy(0, index, seen)
        empty = seen.new_zeros(len(lengths), seen.shape[1])
        resets = torch.zeros(steps, len(lengths), dtype=torch.bool)
        remembered, _ = self.memory(padded.view(steps, len(lengths), -1), AgentState(empty, empty), resets)
        out = remembered.flatten(0, 1).index_select(0, index) + seen
        return self.head(out).unflatten(-1, (len(PREDICATES), COUNTS))

    def _frames(self, frames: Frames) -> Tensor:
        """What is seen in each frame by itself: [frames, memory_width]."""
        if isinstance(self.encoder, VisionEncoder):
            tokens = self.encoder(torch.from_numpy(frames.picture))
            present = torch.ones(tokens.shape[:2], dtype=torch.bool)
        else:
            present = torch.from_numpy(frames.present)
            values = torch.from_numpy(frames.values).float()
            tokens = self.encoder(torch.from_numpy(frames.categories), values, present)
        visible = present[:, None, None, :]
        for layer in self.layers:
            tokens = layer(tokens, visible)
        tokens = self.norm(tokens)
        there = present.unsqueeze(-1)
        # The first token is Alice's, who attends to what she handles; of a picture, its upper left corner's.
        pooled = [tokens[:, 0], tokens.masked_fill(~there, 0.0).sum(1) / 8, tokens.masked_fill(~there, -1e4).amax(1)]
        if self.verbs is not None and self.classes is not None:
            action = torch.from_numpy(frames.action).long()
            pooled.append(self.verbs(action[:, 0]) + self.classes(action[:, 1]))
        return F.relu(self.gather(torch.cat(pooled, dim=-1)))

    @torch.no_grad()
    def probabilities(self, frames: Frames, batch: int = 64) -> np.ndarray:
        """Return the distribution over counts after every frame: float32 [frames, predicates, counts]."""
        self.eval()
        parts = [frames.pick(range(i, min(i + batch, len(frames)))) for i in range(0, len(frames), batch)]
        return np.concatenate([self(part).softmax(-1).numpy() for part in parts])


def _entities(config: WatcherConfig) -> EntityEncoder:
    return EntityEncoder(AgentConfig(width=config.width, heads=config.heads), ENTITIES)


def _vision(config: WatcherConfig) -> VisionEncoder:
    """The trunk's encoder of pictures; a patch and two more stages leave a token for each 16 x 16 pixels."""
    sizes = AgentConfig(
        config.picture,
        vision_channels=(24, 48, 64),
        vision_strides=(4, 2, 2),
        vision_blocks=(1, 1, 1),
        width=config.width,
        heads=config.heads,
    )
    return VisionEncoder(sizes)


def infer(model: Watcher, demonstration: Shown) -> Goal:
    """Return the goal that Alice most probably pursues in a demonstration; counts of 0 are left out."""
    frames, last = watched(demonstration)
    if any(model.config.picture):
        drawn = draw(demonstration, frames.step.tolist(), Pictures(*model.config.picture))
        frames = replace(frames, picture=drawn)
    probable = model.probabilities(last if model.config.only_last else frames)[-1]
    return goal_of(probable.argmax(-1))


def save_watcher(model: Watcher, folder: Path, facts: dict[str, Any]) -> None:
    """Write a model: weights, configuration, and a card."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {"model_type": "household_watcher", "predicates": PREDICATES, **asdict(model.config)}
    write_file(folder / CONFIG, (json.dumps(config, indent=1) + "\n").encode())
    lines = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    parameters = sum(each.numel() for each in model.parameters())
    what = f"It infers Alice's goal from a demonstration. {parameters:,} parameters."
    card = f"# A watcher of the household\n\n{what}\n\n{lines}\n"
    write_file(folder / CARD, card.encode())
    write_file(folder / WEIGHTS, safetensors.torch.save(model.state_dict()))  # last: it makes the folder complete


def load_watcher(folder: Path) -> Watcher:
    """Read what :func:`save_watcher` wrote.

    Raises:
      UserError: there is no complete model, or it knows other predicates or things.
    """
    try:
        settings = json.loads((folder / CONFIG).read_bytes())
        weights = safetensors.torch.load_file(folder / WEIGHTS)
    except (OSError, ValueError, safetensors.SafetensorError) as error:
        raise UserError(f"{folder} has no watcher ({error}): `rlhf reproduce watch-and-help` makes one") from error
    kind, predicates = settings.pop("model_type", None), settings.pop("predicates", None)
    if kind != "household_watcher" or predicates != list(PREDICATES):
        raise UserError(f"{folder} has no watcher of these predicates: train it again")
    try:
        model = Watcher(from_json(WatcherConfig, settings))
    except BadValue as error:
        raise UserError(f"{folder / CONFIG}: {error}: train it again") from error
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise UserError(f"{folder} has weights of another size: train it again") from error
    return model.eval()
