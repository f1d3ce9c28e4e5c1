"""Numbers of tokens that a new agent reads and says, and the report of the texts that are longer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agents import registry
from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from pipelines.stages.episodes.recordings import evenly_spaced
from rlhf.data.source import Source
from rlhf.data.text_fit import TextFit, longest, measure_texts, text_fit_sentences
from rlhf.run.progress import announce
from rlhf.store.files.durable import write_file
from worlds.contract import SOLVER
from worlds.errors import UserError

TextLength = Literal["auto", "size"]

MOST_READ = 64  # tokens of the setter's words; each costs time at every step
MOST_SAID = 32  # tokens of an utterance, its end token included
TEXT_FIT_FILE = "texts.json"  # in a run's folder
_LOOKED_AT = 2_000  # episodes whose texts are measured


@dataclass(frozen=True)
class TextLimits:
    """Settings of a new agent that follow from the texts it is to learn from.

    Args:
      setter_text_length: see :class:`agents.config.AgentConfig`, as the others.
      solver_text_length: tokens of the solver's own words.
    """

    setter_text_length: int
    solver_text_length: int
    utterance_length: int
    marks_cuts: bool


def fitting_limits(
    size: str, tokenizer: Tokenizer, requests: Iterable[str], answers: Iterable[str], role: str = SOLVER
) -> TextLimits:
    """Return the limits of an agent that reads and says recorded texts in full, up to MOST_READ and MOST_SAID tokens.

    They are no smaller than those of the agent's size.

    Args:
      size: name of the size, e.g. "nano".
      tokenizer: the agent's.
      role: of the agent; a setter reads prompts and what solvers say, and answers with its own utterances.
    """
    own, said = _preset(size), longest(answers, tokenizer)
    found = TextLimits(
        _up_to(MOST_READ, own.setter_text_length, longest(requests, tokenizer)),
        _up_to(MOST_SAID - 1, own.solver_text_length, said),
        _up_to(MOST_SAID, own.utterance_length, said + 1),
        marks_cuts=True,
    )
    _announce_limits(own, found, role)
    return found


def longer_request(size: str, tokenizer: Tokenizer, requests: Iterable[str]) -> int | None:
    """Return the tokens of the longest request, up to MOST_READ; None if an agent of this size reads all of them."""
    read, wanted = _preset(size).setter_text_length, longest(requests, tokenizer)
    if wanted <= read:
        return None
    found = _up_to(MOST_READ, read, wanted)
    cut = f"; the longest has {wanted}, the rest is cut" if wanted > found else ", as the longest request has"
    announce(f"the agent reads {found} tokens of the setter's words instead of {read}{cut}")
    return found


def _up_to(most: int, least: int, wanted: int) -> int:
    return max(least, min(wanted, most))


def _preset(size: str) -> AgentConfig:
    kind, preset = registry.find_size(size)
    return kind.config_class.preset(preset)  # type: ignore[union-attr]


def _announce_limits(own: AgentConfig, found: TextLimits, role: str) -> None:
    names = {
        "setter_text_length": "of the setter's words" if role == SOLVER else "of the prompt and the solver's words",
        "solver_text_length": "of its own last words",
        "utterance_length": "of an utterance",
    }
    changed = [
        f"{getattr(found, name)} {words} instead of {getattr(own, name)}"
        for name, words in names.items()
        if getattr(found, name) != getattr(own, name)
    ]
    if changed:
        announce(f"the agent has room for the recorded texts: tokens {', '.join(changed)}")


def report_texts(
    folder: Path, sources: Sequence[Source], tokenizer: Tokenizer, config: AgentConfig, learned: bool = True
) -> TextFit:
    """Measure the texts of ``sources``, announce how many are cut, and write ``texts.json`` into a run's folder.

    Of more than _LOOKED_AT episodes, as many are measured, spread evenly over their order.

    Args:
      tokenizer: the agent's.
      config: the agent's.
      learned: the solvers' utterances are learned; otherwise only the setters' are measured.
    """
    setter, solver = list[str](), list[str]()
    for source in evenly_spaced(sources, min(len(sources), _LOOKED_AT)):
        words = source.store.read_transcript(source.episode_id)
        setter += words.setter_utterance
        solver += words.utterance if learned else ()
    fit = measure_texts(setter, solver, tokenizer, config)
    write_file(folder / TEXT_FIT_FILE, json.dumps(fit.as_json(), indent=2).encode())
    announce(f"words: {'; '.join(text_fit_sentences(fit))}")
    return fit


def noted_text_fit(folder: Path) -> TextFit | None:
    """Return what :func:`report_texts` wrote into ``folder``; None in runs of older versions.

    Raises:
      UserError: if the file is damaged.
    """
    path = folder / TEXT_FIT_FILE
    if not path.is_file():
        return None
    try:
        return TextFit.of_json(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, KeyError):
        raise UserError(f"{path} is damaged; remove it, and the report leaves the texts out") from None
