"""Readings of an agent: by probes of its features, by its own words, and by its network taught the truth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import nn

from agents.agent import InteractiveAgent
from agents.networks.vision import VisionEncoder
from agents.tokenizer import Tokenizer
from agents.utterances import observed_tokens
from pipelines.diagnose.eyes.config import EyesConfig
from pipelines.diagnose.eyes.frames import Features, Truth
from pipelines.diagnose.eyes.network import SeenHead, learn, log_odds, shifted_frames
from rlhf.data.memory import encode_episodes
from rlhf.records.episode import Episode

TAUGHT, UNTRAINED, TOKENS, WORDS, MEMORY = "taught", "untrained", "tokens", "words", "memory"
READING_WORDS: dict[str, str] = {
    TAUGHT: "its image encoder, taught with the truth",
    UNTRAINED: "an untrained image encoder, probed",
    TOKENS: "its visual tokens, probed",
    WORDS: "its own match of words and picture",
    MEMORY: "the input of its policies, probed",
}
_PROBE_RATE = 10.0  # times the learning rate
_SAID = 256  # instructions at once

Named = tuple[np.ndarray, np.ndarray]  # colour and kind that were named: int64 [N] each


class Reader:
    """Reads what is in view, after learning on some frames.

    Args:
      learned: bool [N], frames to learn from.
    """

    def __init__(
        self,
        agent: InteractiveAgent,
        tokenizer: Tokenizer,
        features: Features,
        truth: Truth,
        learned: np.ndarray,
        config: EyesConfig,
        seed: int,
    ) -> None:
        self._agent, self._tokenizer, self._features, self._truth = agent, tokenizer, features, truth
        self._rows, self._config, self._seed = np.flatnonzero(learned), config, seed

    def readings(self, some_play: Episode) -> Iterator[tuple[str, Named]]:
        """Yield every reading by its name: colour and kind named in each frame."""
        image, config = self._features.image, self._agent.config
        if isinstance(self._agent.trunk.vision, VisionEncoder):
            torch.manual_seed(self._seed)
            eyes = VisionEncoder(config, image.shape[-1])
            with torch.no_grad():
                tokens = np.concatenate([eyes(part).numpy() for part in torch.from_numpy(image).split(_SAID)])
            yield UNTRAINED, self._probe(tokens)
            network = nn.Sequential(eyes, SeenHead(config.width, self._outputs))
            self._learn(network, image, self._config.updates, 1.0, shift=self._config.shift)
            yield TAUGHT, self._named(log_odds(network, image))
        yield TOKENS, self._probe(self._features.tokens)
        yield WORDS, self._matched(some_play)
        yield MEMORY, self._probe(self._features.memory)

    @property
    def _outputs(self) -> int:
        return len(self._truth.colours) + len(self._truth.kinds)

    def _learn(self, network: nn.Module, inputs: np.ndarray, updates: int, rate: float, shift: int = 0) -> None:
        learn(
            network, inputs[self._rows], self._truth.all_pixels[self._rows], self._config.least, updates,
            self._config.batch, rate * self._config.learning_rate, self._seed,
            lambda frames, rng: shifted_frames(frames, shift, rng) if shift else frames,
        )  # fmt: skip

    def _probe(self, tokens: np.ndarray) -> Named:
        """Return what a linear layer with a soft maximum over frozen tokens [N, K, width] names."""
        known = tokens[self._rows].reshape(-1, tokens.shape[-1])
        tokens = (tokens - known.mean(0)) / (known.std(0) + 1e-6)
        torch.manual_seed(self._seed)
        head = SeenHead(tokens.shape[-1], self._outputs)
        self._learn(head, tokens, self._config.probe_updates, _PROBE_RATE)
        return self._named(log_odds(head, tokens))

    def _named(self, odds: np.ndarray) -> Named:
        colours = len(self._truth.colours)
        return odds[:, :colours].argmax(1), odds[:, colours:].argmax(1)

    @torch.no_grad()
    def _matched(self, some_play: Episode) -> Named:
        """Return colour and kind of the instruction that the agent's contrastive match finds likeliest."""
        kinds = len(self._truth.kinds)
        phrases = [
            self._config.phrase.format(colour=colour, kind=kind)
            for colour in self._truth.colours
            for kind in self._truth.kinds
        ]
        language = torch.cat([self._heard(phrases[i : i + _SAID], some_play) for i in range(0, len(phrases), _SAID)])
        best = []
        for shown in torch.from_numpy(self._features.shown).split(_SAID):
            odds = self._agent.discriminator(shown.unsqueeze(0), language.unsqueeze(0))
            best.append(odds[0].argmax(1))
        found = torch.cat(best).numpy()
        return found // kinds, found % kinds

    def _heard(self, phrases: list[str], some_play: Episode) -> torch.Tensor:
        """Embeddings of instructions, as the agent's contrastive match has them: [phrases, width]."""
        data = encode_episodes([some_play], self._tokenizer, self._agent.config)
        count = len(phrases)
        window = data.window(np.zeros((1, count), dtype=np.int64))
        tokens = torch.from_numpy(observed_tokens(phrases, self._tokenizer, self._agent.config))
        observations = window.observations._replace(setter_tokens=tokens.unsqueeze(0))
        output, _ = self._agent(observations, self._agent.initial_state(count), window.resets)
        return output.language[0]
