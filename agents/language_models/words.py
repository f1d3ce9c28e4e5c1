"""Observations and actions in words, as prompts show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from worlds.spaces.action import ActionSpec, Discrete, FreeText, Grammar, Pointer
from worlds.spaces.action_words import action_words
from worlds.spaces.observation import PlayerSpec

NOTHING_DONE = "nothing"  # what an action that does nothing is called
SPEAKING = "say"


def observation_words(spec: PlayerSpec, seen: Mapping[str, Any]) -> str:
    """Return an observation in words: a line for the setter's words, and one or more for each declared text.

    Empty texts are left out. Where the world declares which actions are legal, and some named ones are not, a line
    lists those that are.

    Args:
      seen: the observation; its pictures, grids and numbers are not read.
    """
    lines = [f'you hear: "{seen["setter_text"]}"'] if seen["setter_text"] else []
    for name in spec.observation.texts:
        text = str(seen[name]).strip()
        if text:
            lines.append(f"{name}:\n{text}" if "\n" in text else f"{name}: {text}")
    if spec.action.masked:
        lines += _legal_lines(spec.action, seen["legal"])
    return "\n".join(lines)


def _legal_lines(action: ActionSpec, legal: np.ndarray) -> list[str]:
    """Return a line for every component some of whose bins are not legal now."""
    lines, begin = [], 0
    for part in action.discrete:
        allowed = legal[begin : begin + part.count]
        begin += part.count
        if isinstance(part, Discrete) and not allowed.all():
            names = [name for name, is_legal in zip(part.bins, allowed.tolist(), strict=True) if is_legal]
            lines.append(f"possible for {part.name}: {', '.join(names)}")
    return lines


def doing_words(action: ActionSpec, movement: np.ndarray, continuous: np.ndarray | None, utterance: str) -> str:
    """Return what is done and said in one step as an answer has it, e.g. ``verb take, thing 3, say "here"``.

    Args:
      movement: [ticks, discrete components].
      continuous: float [ticks, continuous components]; None without such.
    """
    done = action_words(action, movement, continuous)
    parts = [NOTHING_DONE if part == "–" else part for part in done.split("; ")]
    words = [] if parts == [NOTHING_DONE] and utterance else ["; ".join(parts)]
    return ", ".join(words + ([f'{SPEAKING} "{utterance}"'] if utterance else []))


def action_instructions(action: ActionSpec) -> str:
    """Return the default instructions of a prompt: what there is to do, and the form of an answer."""
    lines = ["You act in a world, one action a step. You read what you observe and answer with one line: the action."]
    alone = len(action.components) == 1
    for part in action.components:
        if isinstance(part, Discrete):
            lines.append(f"{'Actions' if alone else part.name}: {', '.join(part.bins)}")
        elif isinstance(part, Pointer):
            lines.append(f"{part.name}: the number of a thing that you observe")
        else:
            lines.append(f"{part.name}: a number from {part.low:g} to {part.high:g}")
    if not alone and action.components:
        lines.append(f"Give a name and a value for each that matters, separated by commas, or: {NOTHING_DONE}")
    if isinstance(action.speech, FreeText):
        lines.append(f'To speak, add: {SPEAKING} "your words"')
    elif isinstance(action.speech, Grammar):
        slots = " + ".join("[" + " | ".join(slot) + "]" for slot in action.speech.slots)
        lines.append(f'To speak, add: {SPEAKING} "a sentence", made of {slots}')
    return "\n".join(lines)
