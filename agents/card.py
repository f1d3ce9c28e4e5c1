"""The model card: what a saved agent is, what it learned from and how to load it, as ``README.md`` in its folder.

In the form that the Hugging Face Hub reads: a head of YAML, then Markdown. People are counted, never named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from agents.play_settings import PLAY_SETTINGS_FILE
from worlds.contract import SETTER, SOLVER

CARD_FILE = "README.md"

_ROLE = (
    "**Role: setter.** It asks, and another player does: `--setters agent:FOLDER` of `rlhf record` plays it.{prompted}"
)
_PROMPTED = " It is told at the beginning of every episode what kind of thing to ask for."

_HEAD = """---
license: {licence}
library_name: interactive-rlhf
pipeline_tag: reinforcement-learning
tags:
- interactive-rlhf
- {kind}
- embodied-agent
- rlhf
---
"""

AGENT_EXAMPLE = """
import numpy as np

from agents.acting import AgentSolvers
from agents.folder import load_agent

agent, tokenizer = load_agent(".")  # this folder; `pip install interactive-rlhf` brings the modules
solver = AgentSolvers(agent, tokenizer, slots=1)
observation = agent.config.player.blank() | {"setter_text": "go to the red ball"}
(action,) = solver.act([observation], resets=np.array([True]))
print(action)
"""


SETTER_EXAMPLE = """
import numpy as np

from agents.acting import AgentSetters
from agents.folder import load_agent
from worlds.contract import SETTER

agent, tokenizer = load_agent(".", role=SETTER)  # this folder; `pip install interactive-rlhf` brings the modules
setters = AgentSetters(agent, tokenizer, slots=1)
observation = agent.config.player.blank()  # what the setter observes in its world
(action,) = setters.set([observation], prompts=[""], resets=np.array([True]))
print(action["movement"], action["utterance"])
"""


@dataclass(frozen=True)
class PlayedBy:
    """Numbers of episodes (or marks) by whose they are.

    Args:
      scripted: those of scripted stand-ins.
      agents: those of each agent, by name.
      by_people: those of people.
      people: number of people.
    """

    scripted: int = 0
    agents: Mapping[str, int] = field(default_factory=dict)
    by_people: int = 0
    people: int = 0

    def __str__(self) -> str:
        parts = [f"scripted ({self.scripted:,})"] if self.scripted else []
        parts += [f"`{name}` ({count:,})" for name, count in self.agents.items()]
        if self.by_people:
            parts.append(f"{self.people:,} {'person' if self.people == 1 else 'people'} ({self.by_people:,})")
        return ", ".join(parts) or "none"


@dataclass(frozen=True)
class PlaySource:
    """Recorded play that an agent learned from.

    Args:
      folder: of the dataset.
      use: its purpose, e.g. "imitated".
      episodes: their number.
      steps: their number.
      solvers: who played the solver.
      setters: who played the setter.
      marks: who marked it, if marks were used.
    """

    folder: str
    use: str
    episodes: int
    steps: int
    solvers: PlayedBy
    setters: PlayedBy
    marks: PlayedBy | None = None

    @property
    def of_people(self) -> bool:
        """True if any person played or marked."""
        return any(who is not None and who.by_people for who in (self.solvers, self.setters, self.marks))

    def __str__(self) -> str:
        marked = f"; marks: {self.marks}" if self.marks is not None else ""
        return (
            f"`{self.folder}`, {self.use}: {self.episodes:,} episodes, {self.steps:,} steps. "
            f"Solver: {self.solvers}; setter: {self.setters}{marked}."
        )


@dataclass(frozen=True)
class ModelCard:
    """Facts about a trained agent or reward model that its own configuration does not have.

    Args:
      title: a few words.
      what: nature and training of it, in a sentence or two.
      learned_from: the recorded play.
      started_from: a sentence on every model that it started from or was rewarded by.
      command: the command that trained it, as one would type it.
      version: of the project, with the commit if it is known.
      configuration: the training's, as JSON holds it.
      metrics: the newest value of each, by name.
      licence: of the weights, as the Hub calls it.
      play_settings: settings of the world and the scripted players that it learned from, kept beside its weights as the
        defaults of later play; None where they are unknown.
    """

    title: str = "An interactive agent"
    what: str = "How it was trained was not recorded with it."
    learned_from: tuple[PlaySource, ...] = ()
    started_from: tuple[str, ...] = ()
    command: str = ""
    version: str = ""
    configuration: Any = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    licence: str = "apache-2.0"
    play_settings: Mapping[str, Any] | None = None


class Described(Protocol):
    """An agent or a reward model, as far as its card reads it."""

    config: Any

    def num_parameters(self) -> int: ...

    @staticmethod
    def example(config: Any) -> str:
        """Return a program that loads it from the present folder."""
        ...


def write_card(agent: Described, folder: Path, card: ModelCard | None = None) -> Path:
    """Write ``README.md`` for ``agent`` into its ``folder``; without a ``card``, from the agent's configuration."""
    path = folder / CARD_FILE
    path.write_text(card_text(agent, card or ModelCard()), encoding="utf-8")
    return path


def card_text(agent: Described, card: ModelCard) -> str:
    """Return the whole card, YAML head and Markdown."""
    head = _HEAD.format(licence=card.licence, kind=agent.config.model_type.replace("_", "-"))
    return head + "\n" + "\n\n".join(_sections(agent, card)) + "\n"


def _sections(agent: Described, card: ModelCard) -> Iterator[str]:
    yield f"# {card.title}"
    yield card.what
    if getattr(agent.config, "role", SOLVER) == SETTER:
        yield _ROLE.format(prompted=_PROMPTED if agent.config.prompted else "")
    yield f"## Size\n\n{_size(agent)}"
    yield f"## What it learned from\n\n{_sources(card)}"
    if card.play_settings is not None:
        settings = _fenced(json.dumps(card.play_settings, indent=2, ensure_ascii=False), "json")
        introduction = f"These settings (`{PLAY_SETTINGS_FILE}`) are the defaults of its play:"
        yield f"## Where it learned\n\n{introduction}\n\n{settings}"
    yield "## How to load it\n\n" + _fenced(agent.example(agent.config), "python")
    yield "`transformers` reads the weights, too:\n\n" + _fenced(_from_pretrained(type(agent)), "python")
    if card.metrics:
        rows = "\n".join(f"| `{name}` | {value:.4g} |" for name, value in sorted(card.metrics.items()))
        yield f"## Metrics at the end\n\n| metric | value |\n| --- | --- |\n{rows}"
    if card.command:
        yield f"## How it was made\n\n{_fenced(card.command, 'bash')}"
        yield f"Version {card.version}." if card.version else ""
    if card.configuration is not None:
        yield f"Its settings:\n\n{_fenced(json.dumps(card.configuration, indent=2), 'json')}"
    yield (
        "## Limits\n\nIt knows the worlds, the words and the kind of player of the recordings above, and nothing else. "
        "It was made for research in simulation; it controls no machine and should be given none to control."
    )
    yield (
        f"## Licence\n\n{card.licence}, as the code that made it, unless this card states another. The "
        "recordings may have terms of their own."
    )


def _size(agent: Described) -> str:
    config = agent.config
    height, width = config.image_size
    seen = f"Images of {height}x{width} pixels; r" if config.image_size != (0, 0) else "No images. R"
    glimpse = ", with a glimpse" if getattr(config, "glimpse", False) else ""
    return (
        f"{agent.num_parameters():,} parameters. {seen}esidual blocks: "
        f"{sum(config.vision_blocks)}{_encoder(config)}; Transformer: {config.layers} x {config.width}; "
        f"LSTM: {config.memory_width}{glimpse}; "
        f"vocabulary: {config.vocab_size}. Everything else is in `config.json`; `tokenizer.json` holds the words."
    )


def _encoder(config: Any) -> str:
    """Describe an image encoder that is not the usual one, e.g. ", after windows, normed"."""
    stem, normed = getattr(config, "vision_stem", "patches"), getattr(config, "vision_norm", False)
    pretrained = getattr(config, "vision_model", None)
    if pretrained is not None:
        return f", replaced by the frozen features of a pretrained `{pretrained['model_type']}`"
    return (f", after {stem}" if stem != "patches" else "") + (", normed" if normed else "")


def _sources(card: ModelCard) -> str:
    if not card.learned_from:
        return "Not recorded." + _started(card)
    lines = "\n".join(f"- {source}" for source in card.learned_from)
    whose = (
        "People had a part in this; scripted players and raters are stand-ins for people."
        if any(source.of_people for source in card.learned_from)
        else "No person played or marked any of this: scripted players and raters are stand-ins for people."
    )
    return f"{lines}\n\n{whose}{_started(card)}"


def _started(card: ModelCard) -> str:
    return "".join(f"\n\n{sentence}" for sentence in card.started_from)


def _from_pretrained(kind: type) -> str:
    return f'from {kind.__module__} import {kind.__name__}\n\nmodel = {kind.__name__}.from_pretrained(".")'


def _fenced(text: str, language: str) -> str:
    """Return a block of code that no run of backticks inside can end."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.strip()}\n{fence}"
