"""What an agent hears and says, as whole numbers: tokens, or the alternatives of a finite grammar."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from agents.config import AgentConfig
from agents.tokenizer import PAD_ID, Tokenizer
from worlds.errors import UserError
from worlds.spaces.action import Grammar


def observed_tokens(texts: Sequence[str], tokenizer: Tokenizer, config: AgentConfig, own: bool = False) -> np.ndarray:
    """Return what an agent of ``config`` reads of texts: int64 [len(texts), length].

    Args:
      texts: words of the setter, or further texts that the solver observes.
      config: the agent's; it has the numbers of tokens, and whether texts that are cut say so.
      own: the texts are the solver's own last words.
    """
    length = config.solver_text_length if own else config.setter_text_length
    return tokenizer.encode(texts, length, mark_cuts=config.marks_cuts)


def encode_utterances(texts: Sequence[str], tokenizer: Tokenizer, config: AgentConfig) -> np.ndarray:
    """Return what was said at every step as an agent of ``config`` says it: int64 [len(texts), utterance_length].

    Silence is PAD. Of a grammar, slot s holds 1 + the index of the alternative that was chosen. What is longer than the
    agent's utterances is cut and has no end token: its beginning is learned, and never that it ends there.

    Raises:
      UserError: something was said that the agent's grammar does not have, or by a body that cannot speak.
    """
    speech = config.player.action.speech
    if not isinstance(speech, Grammar):
        if speech is None and any(texts):
            raise UserError(f"{next(filter(None, texts))[:40]!r} was said, but the agent cannot speak")
        return tokenizer.encode(texts, config.utterance_length, end=True)
    encoded = np.full((len(texts), config.utterance_length), PAD_ID, np.int64)
    for row, text in zip(encoded, texts, strict=True):
        if text:
            row[:] = _parsed(speech, text)
    return encoded


def decode_utterance(ids: Sequence[int], tokenizer: Tokenizer, config: AgentConfig) -> str:
    """Return the text of ``ids``, which are no silence."""
    speech = config.player.action.speech
    if isinstance(speech, Grammar):
        return " ".join(filter(None, (slot[i - 1] for slot, i in zip(speech.slots, ids, strict=True))))
    return tokenizer.decode(ids)


@lru_cache(maxsize=10_000)
def _parsed(grammar: Grammar, text: str) -> tuple[int, ...]:
    found = _parse(grammar.slots, text)
    if found is None:
        raise UserError(f"{text[:40]!r} was said, which is no sentence of the agent's grammar")
    return found


def _parse(slots: tuple[tuple[str, ...], ...], text: str) -> tuple[int, ...] | None:
    """Return 1 + the index of every slot's alternative, None if ``text`` is no sentence."""
    if not slots:
        return None if text else ()
    for index, phrase in enumerate(slots[0], start=1):
        if not phrase:
            rest = text
        elif text == phrase or text.startswith(f"{phrase} "):
            rest = text[len(phrase) + 1 :]
        else:
            continue
        later = _parse(slots[1:], rest)
        if later is not None:
            return index, *later
    return None
