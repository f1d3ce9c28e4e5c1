"""Answers of language models, read as actions by fixed rules. What is no action becomes a no-op with a reason.

1. Only the first line that is not empty counts; case, underscores and a label ``Act:`` before it do not.
2. ``say "words"`` speaks; in a grammar the words must be one of its sentences.
3. Parts between semicolons share the ticks of the step in equal parts.
4. ``name value``, ``name: value`` and ``name=value`` set a component; ``nothing`` sets none.
5. A bin that only one component has may stand alone, also in a longer phrase ("turn left" for the bin left); of
   several the first one counts, and of those that begin at one place the longest.
6. Where one component is a pointer, a number that is left over points.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from agents.language_models.model import first_line
from agents.language_models.words import NOTHING_DONE, SPEAKING
from worlds.spaces.action import ActionSpec, Continuous, Discrete, Grammar, Pointer

NO_ACTION, NOT_THERE, NOT_LEGAL, NO_SENTENCE = "no action", "no such thing", "not legal", "no sentence of the grammar"
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_SPEECH = re.compile(
    rf"(?<!\w){SPEAKING}\s*:?\s*(?:\"(?P<quoted>[^\"]*)\"?|'(?P<single>[^']*)'?|(?P<rest>[^\"'].*))", re.I
)
_LABEL = re.compile(r"^\s*(?:act|action)\s*:\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """An answer as an action.

    Args:
      action: of the step.
      problem: why the answer is no action, so that nothing is done; "" if it is one.
    """

    action: dict[str, Any]
    problem: str = ""


class _Refused(Exception):
    """An answer that is no action; the message is the reason."""


def read_answer(spec: ActionSpec, text: str, seen: Mapping[str, Any] | None = None) -> Answer:
    """Return the action that an answer names; where it names none, the action that does nothing, with the reason.

    Args:
      seen: the observation, for the number of things and legal values; None allows all that there can be.
    """
    try:
        return Answer(_read(spec, text, seen or {}))
    except _Refused as refused:
        return Answer(spec.silent((seen or {}).get("legal")), str(refused))


def _read(spec: ActionSpec, text: str, seen: Mapping[str, Any]) -> dict[str, Any]:
    line = _LABEL.sub("", first_line(text))
    said, line = _speech(spec, line)
    action = spec.silent(seen.get("legal"))
    action["utterance"] = said
    parts = [part for part in _plain(line).split(";") if part.strip(" .,")][: spec.ticks]
    named = [_values(spec, part) for part in parts]
    if not said and not any(named) and not any(_is_nothing(part) for part in parts):
        raise _Refused(NO_ACTION)
    for tick in range(spec.ticks if parts else 0):
        for name, value in named[tick * len(parts) // spec.ticks].items():
            _set(spec, action, tick, name, value)
    _check_there(spec, action["movement"], seen)
    return action


def _speech(spec: ActionSpec, line: str) -> tuple[str, str]:
    """Return what is said, and the line without it."""
    found = _SPEECH.search(line)
    if found is None or spec.speech is None:
        return "", line
    words = next(group for group in found.group("quoted", "single", "rest") if group is not None).strip()
    rest = line[: found.start()] + line[found.end() :]
    if isinstance(spec.speech, Grammar) and words:
        words = _sentences(spec.speech).get(_plain(words), "")
        if not words:
            raise _Refused(NO_SENTENCE)
    return spec.spoken(words), rest


@lru_cache(maxsize=16)
def _sentences(grammar: Grammar) -> Mapping[str, str]:
    return {_plain(sentence): sentence for sentence in grammar.sentences()}


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("_", " ").split())


def _is_nothing(part: str) -> bool:
    return re.search(rf"(?<!\w){NOTHING_DONE}(?!\w)", part) is not None


def _values(spec: ActionSpec, part: str) -> dict[str, float]:
    """Return the values, by component, that one part of an answer names."""
    found: dict[str, float] = {}
    for component, pattern in _named(spec):
        match = pattern.search(part)
        if match:
            found[component.name] = _value(component, match.group("value"))
            part = part[: match.start()] + " , " + part[match.end() :]
    for component, pattern in _lone(spec):
        match = None if component.name in found else pattern.search(part)
        if match:
            found[component.name] = _value(component, match.group("value"))
    return found


@lru_cache(maxsize=64)
def _named(spec: ActionSpec) -> tuple[tuple[Any, re.Pattern[str]], ...]:
    """Patterns of a component's name with a value after it."""
    return tuple(
        (part, re.compile(rf"(?<!\w){re.escape(_plain(part.name))}\s*[:=]?\s*(?P<value>{_alternatives(part)})(?!\w)"))
        for part in spec.components
    )


@lru_cache(maxsize=64)
def _lone(spec: ActionSpec) -> tuple[tuple[Any, re.Pattern[str]], ...]:
    """Patterns of values that need no name: bins that one component has, numbers where one component is a pointer."""
    bins = [_plain(name) for part in spec.components if isinstance(part, Discrete) for name in part.bins]
    pointers = [part for part in spec.components if isinstance(part, Pointer)]
    patterns: list[tuple[Any, re.Pattern[str]]] = []
    for part in spec.components:
        if isinstance(part, Discrete):
            own = [name for name in part.bins if bins.count(_plain(name)) == 1]
            if own:
                patterns.append((part, re.compile(rf"(?<!\w)(?P<value>{_longest_first(own)})(?!\w)")))
        elif isinstance(part, Pointer) and len(pointers) == 1:
            patterns.append((part, re.compile(r"(?<![\w.])(?P<value>\d+)(?!\.\d)(?!\w)")))
    return tuple(patterns)


def _alternatives(part: Discrete | Pointer | Continuous) -> str:
    return _longest_first(part.bins) if isinstance(part, Discrete) else _NUMBER


def _longest_first(names: Any) -> str:
    return "|".join(re.escape(name) for name in sorted(map(_plain, names), key=len, reverse=True))


def _value(part: Discrete | Pointer | Continuous, text: str) -> float:
    if isinstance(part, Discrete):
        return [_plain(name) for name in part.bins].index(text)
    value = float(text)
    if isinstance(part, Pointer) and not (value == int(value) and 0 <= value <= part.most):
        raise _Refused(NOT_THERE)
    return value


def _set(spec: ActionSpec, action: dict[str, Any], tick: int, name: str, value: float) -> None:
    for column, part in enumerate(spec.discrete):
        if part.name == name:
            action["movement"][tick, column] = int(value)
    for column, part in enumerate(spec.continuous):
        if part.name == name:
            action["continuous"][tick, column] = min(max(value, part.low), part.high)


def _check_there(spec: ActionSpec, movement: np.ndarray, seen: Mapping[str, Any]) -> None:
    """Refuse to point at what is not observed, and values that are not legal."""
    if "entity_values" in seen:
        points = np.array([isinstance(part, Pointer) for part in spec.discrete], np.bool_)
        if (points & (movement > len(seen["entity_values"]))).any():
            raise _Refused(NOT_THERE)
    legal = seen.get("legal")
    if legal is not None:
        begins = np.cumsum(spec.counts) - spec.counts
        if not legal[movement + begins].all():
            raise _Refused(NOT_LEGAL)
