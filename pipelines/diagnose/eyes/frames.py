"""Frames of recorded play with the truth about what they show, and the agent's features of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from agents.agent import InteractiveAgent
from agents.tokenizer import Tokenizer
from rlhf.data.memory import encode_episodes
from rlhf.records.episode import Episode
from rlhf.replay.views import things_seen
from worlds.contract import ThingInView

NONE = -1  # colour and kind of a frame in which not exactly one thing is in view


@dataclass(frozen=True, eq=False)
class Truth:
    """N frames and what they show.

    Args:
      colour_pixels: int64 [N, colours], that show things of each colour.
      kind_pixels: int64 [N, kinds], likewise.
      colour: int64 [N], of the only thing in view; NONE where there is none, or several.
      kind: int64 [N], likewise.
      pixels: int64 [N], that show this thing; 0 where there is none.
      distance: float64 [N], of this thing in metres; 0 where there is none.
      episode: int64 [N], number of each frame's episode.
    """

    colours: tuple[str, ...]
    kinds: tuple[str, ...]
    colour_pixels: np.ndarray
    kind_pixels: np.ndarray
    colour: np.ndarray
    kind: np.ndarray
    pixels: np.ndarray
    distance: np.ndarray
    episode: np.ndarray

    @property
    def alone(self) -> np.ndarray:
        """Frames with exactly one thing in view: bool [N]."""
        return self.colour != NONE

    @property
    def all_pixels(self) -> np.ndarray:
        """Pixels of every colour and then of every kind: int64 [N, colours + kinds]."""
        return np.concatenate([self.colour_pixels, self.kind_pixels], axis=1)


@dataclass(frozen=True, eq=False)
class Features:
    """The agent's features of N frames.

    Args:
      image: uint8 [N, H, W, 3], the frames themselves.
      tokens: float32 [N, K, width], visual tokens of its image encoder.
      shown: float32 [N, K, width], what of them is compared with words.
      memory: float32 [N, 1, memory_width], the input of its policies, with the words that were said.
    """

    image: np.ndarray
    tokens: np.ndarray
    shown: np.ndarray
    memory: np.ndarray


def chosen_steps(lengths: Sequence[int], frames: int) -> list[np.ndarray]:
    """Return the steps to look at of episodes of these lengths, at most ``frames`` of them, evenly spaced."""
    total = sum(lengths)
    rows = np.arange(total) if total <= frames else np.arange(frames) * total // frames
    ends = np.cumsum([0, *lengths])
    return [rows[(rows >= begin) & (rows < end)] - begin for begin, end in zip(ends[:-1], ends[1:], strict=True)]


def seen_at(episode: Episode, steps: np.ndarray) -> Iterator[tuple[ThingInView, ...]]:
    """Replay ``episode`` and yield what is in view at ``steps``. Raises UserError, see :func:`things_seen`."""
    wanted = set(steps.tolist())
    for step, things in things_seen(episode):
        if step in wanted:
            yield things


def truth_of(seen: Sequence[tuple[ThingInView, ...]], episode: np.ndarray, least: int) -> Truth:
    """Return the truth of frames.

    Args:
      least: pixels from which on a thing is in view. It is the only one if no other has any pixel.
    """
    colours = sorted({thing.colour for things in seen for thing in things})
    kinds = sorted({thing.kind for things in seen for thing in things})
    colour_pixels = np.zeros((len(seen), len(colours)), np.int64)
    kind_pixels = np.zeros((len(seen), len(kinds)), np.int64)
    colour, kind = np.full(len(seen), NONE), np.full(len(seen), NONE)
    pixels, distance = np.zeros(len(seen), np.int64), np.zeros(len(seen))
    for row, things in enumerate(seen):
        for thing in things:
            colour_pixels[row, colours.index(thing.colour)] += thing.pixels
            kind_pixels[row, kinds.index(thing.kind)] += thing.pixels
        if len(things) == 1 and things[0].pixels >= least:
            (only,) = things
            colour[row], kind[row] = colours.index(only.colour), kinds.index(only.kind)
            pixels[row], distance[row] = only.pixels, only.distance
    return Truth(tuple(colours), tuple(kinds), colour_pixels, kind_pixels, colour, kind, pixels, distance, episode)


@torch.no_grad()
def features_of(agent: InteractiveAgent, tokenizer: Tokenizer, episode: Episode, steps: np.ndarray) -> Features:
    """Let ``agent`` follow ``episode`` and return its features at ``steps``."""
    data = encode_episodes([episode], tokenizer, agent.config)
    window = data.window(np.arange(len(episode))[:, None])
    output, _ = agent(window.observations, agent.initial_state(1), window.resets)
    rows = torch.from_numpy(steps)
    image = episode.pictures()[steps]
    shown = output.vision[rows, 0]
    eyes = agent.trunk.vision
    tokens = shown if eyes is None else eyes(torch.from_numpy(image))
    return Features(image, tokens.numpy(), shown.numpy(), output.features[rows].numpy())


def joined(features: Sequence[Features]) -> Features:
    """Return the frames of all, one after the other."""
    return Features(*(np.concatenate([getattr(one, name) for one in features]) for name in vars(features[0])))
