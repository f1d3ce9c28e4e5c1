"""`rlhf clone`: train an agent to imitate recorded play (BC and CSS)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import Any, Literal

import torch

from agents import registry
from agents.agent import InteractiveAgent
from agents.card import ModelCard, PlaySource
from agents.computing import usable_device
from agents.config import AgentConfig
from agents.folder import load_agent
from agents.tokenizer import Tokenizer
from pipelines.stages.agent_network import Network, check_image_encoder, read_network
from pipelines.stages.episodes.division import save_division, validation_ids
from pipelines.stages.episodes.noted_episodes import EVERY_EPISODE, NotedEpisodes, note_episodes, noted_episodes
from pipelines.stages.episodes.play_kinds import PlayGroup, PlayKinds, begun_with, find_groups, imitated, mixed
from pipelines.stages.episodes.recordings import RecordedPlay, most_entities, read_episodes, spoken_texts
from pipelines.stages.episodes.setter_sides import are_prompted, setter_sides, sides_of
from pipelines.stages.outcomes.cards import began_as_agent, model_card, play_imitated
from pipelines.stages.outcomes.headlines import cloning_headline
from pipelines.stages.running.memory import check_training
from pipelines.stages.settings.play_settings import settings_of_datasets
from pipelines.stages.text_limits import TextLength, fitting_limits, longer_request, report_texts
from pipelines.stages.training import TrainingStage, train
from pipelines.stages.training_config import TrainingRunConfig
from rlhf.data.config import ReadingConfig
from rlhf.data.dataset import Dataset
from rlhf.learning.cloner import Cloner, CloningConfig, marginal_entropy
from rlhf.learning.training import Training
from rlhf.records.spaces import EpisodeSpaces
from rlhf.run.checkpoint import Checkpoint
from rlhf.run.progress import announce
from rlhf.run.tracking import read_metrics
from worlds.contract import SETTER, SOLVER
from worlds.errors import UserError
from worlds.ranges import Count, ShareBelowOne
from worlds.settings import settings
from worlds.spaces.description import to_json

__all__ = ["CloneConfig", "clone", "new_agent", "read_episodes", "spoken_texts"]


@settings
class CloneConfig(TrainingRunConfig):
    """Settings of `rlhf clone`.

    Args:
      data: dataset folders to imitate.
      role: player that is imitated, and that the agent will be: the "solver", or the "setter" (paper, A.6), whose view
        is drawn by a replay of the recordings (docs/setters.md).
      solver: imitate only play of this solver, or with the role setter of this setter; None takes all. An agent's own
        steps are seen but not imitated; a co-pilot's are.
      kinds: kinds of play to imitate, with the share of each in the columns of every batch, e.g. human=1
        agent+co-pilot=0.5. The kinds are human, scripted, agent and agent+co-pilot, as recorded.
        Replaces solver. A kind of which fewer steps are demonstrated (a co-pilot's) weighs less in the loss.
      agent: folder of an agent that learns further from these recordings; none trains a new one. Its vocabulary,
        network, text limits and role stay as they are.
      size: size of the agent: nano, micro, mini, 5m, 18m, 71m or 165m; KIND/SIZE of your own agent (docs/agents.md).
      network: other values of fields of the agent's configuration than its size has (docs/sizes.md).
      vision_model: folder of a pretrained vision model of `transformers`, such as DINOv3 or SigLIP 2, whose features
        are the agent's eyes and stay as they are; none has an image encoder that is trained.
      vocabulary: largest number of tokens that are learned from the dialogue. Other words are spelled from pieces.
      text_length: "auto" gives the agent room for the longest recorded texts, up to 64 tokens of the setter's words
        and 32 of an utterance, and texts that are cut say so; "size" is what the size has.
      held_out: share of the episodes kept for validation, from 0 (none) to less than 1, spread evenly over all solvers
        and datasets. The run's division.json lists them.
      training: how the agent is trained.
      reading: whether episodes are held in memory or streamed.
    """

    data: tuple[Path, ...] = (Path("data/play"),)
    role: Literal["solver", "setter"] = "solver"
    solver: str | None = "scripted"
    kinds: PlayKinds = field(default_factory=dict)
    agent: Path | None = None
    name: str = "clone"
    size: str = "nano"
    network: Network = field(default_factory=dict)
    vision_model: Path | None = None
    vocabulary: Count = 2048
    text_length: TextLength = "auto"
    held_out: ShareBelowOne = 0.05
    training: CloningConfig = field(
        default_factory=lambda: CloningConfig(updates=1000, steps=16, batch=16, learning_rate=1e-3)
    )
    reading: ReadingConfig = field(default_factory=ReadingConfig)

    def __post_init__(self) -> None:
        try:
            registry.find_size(self.size)
        except ValueError as error:
            raise UserError(str(error)) from error
        if self.agent is not None and (self.network or self.vision_model is not None):
            raise UserError(
                f"the agent in {self.agent} keeps its network: leave out --network and --vision-model, or --agent"
            )


class Cloning(TrainingStage[CloneConfig]):
    """A run of `rlhf clone`."""

    command = "rlhf clone"
    # The agent and what it learns from.
    fixed = (
        "role", "solver", "kinds", "agent", "name", "size", "network", "vision_model", "vocabulary", "text_length",
        "held_out", "training.steps", "training.batch", "training.seed",
    )  # fmt: skip

    def __init__(self, config: CloneConfig) -> None:
        data, begun = tuple(folder.absolute() for folder in config.data), config.agent
        self.config = replace(config, data=data, agent=begun and begun.absolute())  # for resuming from any folder
        self.schedule = config.training

    def prepare(self, folder: Path, checkpoint: Checkpoint | None) -> Cloner:
        config = self.config
        groups = find_groups(_learned_data(config), "train", config.solver, config.kinds)
        noted = EVERY_EPISODE if checkpoint is None else noted_episodes(folder)
        self.groups = begun_with(groups, noted)
        self.sources = [source for group in self.groups for source in group.sources]
        self.validation = validation_ids(folder, [group.sources for group in self.groups], config.held_out)
        self.agent, self.tokenizer, self.play, held_out = _prepare(config, checkpoint, self.groups, self.validation)
        check_training(config.training, self.agent, config.device, most_entities(self.sources))
        torch.nn.Module.to(self.agent, usable_device(config.device))
        self.card = agent_card(config, noted)
        self.title = f"cloning an agent of {self.agent.num_parameters():,} parameters"
        return Cloner(self.agent, self.play, config.training, held_out)

    def begin(self, folder: Path) -> None:
        note_episodes(folder, {imitated(group): group.sources for group in self.groups})
        names, validation = [source.episode_id for source in self.sources], self.validation
        save_division(folder, [name for name in names if name not in validation], sorted(validation))
        report_texts(folder, self.sources, self.tokenizer, self.agent.config)

    def first_metrics(self) -> dict[str, float]:
        entropy, parameters = marginal_entropy(self.play), self.agent.num_parameters()
        return {"bc/marginal_entropy": entropy, "bc/parameters": parameters}

    def report(self, training: Training, folder: Path) -> None:
        if training.schedule.keep == "best":
            announce(f"the agent of update {training.best.update:,} imitated validation episodes best")
        announce(cloning_headline(read_metrics(folder), len(self.validation)))


def clone(config: CloneConfig) -> Path:
    """Train an agent and return its folder."""
    return train(Cloning(config))


def agent_card(config: CloneConfig, noted: NotedEpisodes = EVERY_EPISODE) -> ModelCard:
    """Model card of the agent that the run trains, without its metrics."""
    use = f"imitated, {config.held_out:.0%} set aside for validation"
    return model_card(
        f"Agent `{config.name}`, cloned from recorded play",
        f"Trained by `rlhf clone` to do what the {config.role}s of recorded play did: behavioural cloning (BC), with a "
        "contrastive loss (CSS) that teaches which words belong to which pictures.",
        config,
        _imitated_play(config, use, noted),
        started_from=() if config.agent is None else (began_as_agent(config.agent),),
        play_settings=settings_of_datasets(config.data),
    )


def _imitated_play(config: CloneConfig, use: str, noted: NotedEpisodes) -> tuple[PlaySource, ...]:
    if config.role == SOLVER:
        return play_imitated(config.data, use, config.solver, config.kinds, noted.ids)
    sides = [folder for folder in sides_of(config.data) if folder.is_dir()]
    found = play_imitated(sides, use, config.solver, config.kinds, noted.ids)
    return tuple(replace(side, solvers=side.setters, setters=side.solvers) for side in found)


def _learned_data(config: CloneConfig) -> Sequence[Path]:
    """Return the datasets of the imitated player's side of the recordings, drawn where that is not yet done."""
    if config.role == SOLVER:
        return config.data
    return setter_sides(config.data, "train", config.solver, config.kinds, config.reading.threads)


def _prepare(
    config: CloneConfig, checkpoint: Checkpoint | None, groups: Sequence[PlayGroup], validation: frozenset[str]
) -> tuple[InteractiveAgent, Tokenizer, Dataset, Dataset | None]:
    """Return an agent, untrained or from ``checkpoint``, its tokenizer, and its training and validation play."""
    everything = RecordedPlay([source for group in groups for source in group.sources], config.reading)
    learned, validated = dict[PlayGroup, RecordedPlay](), dict[PlayGroup, RecordedPlay]()
    for group in groups:
        kept = [source for source in group.sources if source.episode_id in validation]
        learned[group] = everything.part([source for source in group.sources if source.episode_id not in validation])
        if kept:
            validated[group] = everything.part(kept)
    parts = [*learned.values(), *validated.values()]
    if checkpoint is not None:
        agent, tokenizer = checkpoint.load_agent()
    else:
        torch.manual_seed(config.training.seed)
        if config.agent is not None:
            agent, tokenizer = _load_begun(config.agent, config.role)
        else:
            agent, tokenizer = _untrained(config, everything, parts)
    check_image_encoder(config.training.frozen_vision, agent, config.agent, "training")
    sizes: AgentConfig = agent.config  # type: ignore[assignment]
    train = mixed({group: part.encode(tokenizer, sizes) for group, part in learned.items()})
    held_out = {group: part.encode(tokenizer, sizes) for group, part in validated.items()}
    return agent, tokenizer, train, mixed(held_out) if held_out else None


def _untrained(
    config: CloneConfig, everything: RecordedPlay, parts: Sequence[RecordedPlay]
) -> tuple[InteractiveAgent, Tokenizer]:
    """Return a new agent for recorded play, and a tokenizer of its words; ``parts`` are those of ``everything``."""
    tokenizer = Tokenizer.train(set().union(*(part.texts() for part in parts)), config.vocabulary)
    requests = set().union(*(part.requests() for part in parts))
    answers = set().union(*(part.answers() for part in parts))
    agent = agent_for(
        everything.spaces, config.size, tokenizer, requests, answers, config.text_length, config.network,
        config.vision_model, config.role, config.role == SETTER and are_prompted(everything.sources),
    )  # fmt: skip
    return agent, tokenizer


def _load_begun(folder: Path, role: str) -> tuple[InteractiveAgent, Tokenizer]:
    """Return the agent that is to learn further. Raises UserError if there is none, or its role is another one."""
    agent, tokenizer = load_agent(folder, role=None)
    its = getattr(agent.config, "role", SOLVER)
    if its != role:
        raise UserError(f"the agent in {folder} is a {its}, and cannot learn further as a {role}: set --role {its}")
    return agent, tokenizer


def agent_for(
    spaces: EpisodeSpaces,
    size: str,
    tokenizer: Tokenizer,
    requests: Iterable[str] = (),
    answers: Iterable[str] = (),
    text_length: TextLength = "size",
    network: Network | None = None,
    vision_model: Path | None = None,
    role: str = SOLVER,
    prompted: bool = False,
) -> InteractiveAgent:
    """Create an untrained agent for play of ``spaces``; see :func:`new_agent`.

    Args:
      size: name of the size, e.g. "nano".
      text_length: see :class:`CloneConfig`. With "size", in other spaces than the Playhouse's, the agent still reads as
        many tokens of the setter's words as the longest request has, up to MOST_READ.
      network: see :class:`CloneConfig`.
      vision_model: see :class:`CloneConfig`.
      role: see :class:`CloneConfig`.

    Raises:
      UserError: ``network`` does not fit the size, or there is no such vision model.
    """
    sizes: dict[str, Any] = {"spaces": to_json(spaces.solver)}
    if text_length == "auto":
        sizes |= asdict(fitting_limits(size, tokenizer, requests, answers, role))
    elif not spaces.of_the_playhouse and (longer := longer_request(size, tokenizer, requests)) is not None:
        sizes["setter_text_length"] = longer
    sizes |= read_network(network or {})
    if role != SOLVER:  # solvers of other kinds of agent have no such fields
        sizes |= {"role": role, "prompted": prompted}
    if vision_model is None:
        return new_agent(size, tokenizer, **sizes)
    from agents.networks.frozen_vision import FrozenVisionEncoder  # these import much of `transformers`
    from agents.vision_model import read_vision_model

    pretrained = read_vision_model(vision_model)
    agent = new_agent(size, tokenizer, **sizes, vision_model=pretrained.settings)
    if not isinstance(agent.trunk.vision, FrozenVisionEncoder):
        raise UserError("the recordings have no pictures, so a pretrained vision model has nothing to see")
    agent.trunk.vision.take(pretrained)
    return agent


def new_agent(size: str, tokenizer: Tokenizer, **overrides: Any) -> InteractiveAgent:
    """Create an untrained agent.

    Args:
      size: name of the size, e.g. "nano".
      image_size: (height, width) of its images in pixels.
      **overrides: other values of fields of the agent's configuration.

    Raises:
      UserError: if there is no such size.
    """
    try:
        return registry.make(size, vocab_size=tokenizer.vocab_size, **overrides)
    except ValueError as error:
        raise UserError(str(error)) from error
    except TypeError as error:
        raise UserError(
            f"the settings of the agent's network do not fit ({error}); docs/sizes.md has their form"
        ) from error
