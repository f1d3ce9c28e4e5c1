"""`rlhf clone`: train an agent to imitate recorded play (BC and CSS)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import torch

from agents import registry
from agents.agent import InteractiveAgent
from agents.card import ModelCard, PlaySource
from agents.computing import usable_device
from agents.config import AgentConfig
from agents.folder import load_agent, save_agent
from agents.ranges import Count, ShareBelowOne, check_ranges
from agents.tokenizer import Tokenizer
from pipelines.stages.agent_network import check_image_encoder, parse_network
from pipelines.stages.episodes.division import noted_division, save_division
from pipelines.stages.episodes.noted_episodes import EVERY_EPISODE, NotedEpisodes, note_episodes, noted_episodes
from pipelines.stages.episodes.play_kinds import PlayGroup, begun_with, find_groups, imitated, mixed, parse_play_kinds
from pipelines.stages.episodes.recordings import RecordedPlay, evenly_spaced, most_entities, read_episodes, spoken_texts
from pipelines.stages.episodes.setter_sides import are_prompted, setter_sides, sides_of
from pipelines.stages.outcomes.cards import began_as_agent, latest_metrics, model_card, play_imitated
from pipelines.stages.outcomes.headlines import cloning_headline
from pipelines.stages.running.memory import check_training
from pipelines.stages.settings.play_settings import settings_of_datasets
from pipelines.stages.text_limits import TextLength, fitting_limits, longer_request, report_texts
from pipelines.stages.training import run_training
from rlhf.data.config import ReadingConfig
from rlhf.data.dataset import Dataset
from rlhf.data.source import Source
from rlhf.learning.cloner import Cloner, CloningConfig, marginal_entropy
from rlhf.records.json_records import before
from rlhf.records.spaces import EpisodeSpaces
from rlhf.run.checkpoint import Checkpoint, Checkpoints
from rlhf.run.config import locked_run, save_settings
from rlhf.run.progress import announce
from rlhf.run.tracking import Tracker, WandbMode, read_metrics
from worlds.contract import SETTER, SOLVER
from worlds.errors import UserError
from worlds.spaces.description import to_json

__all__ = ["CloneConfig", "clone", "new_agent", "read_episodes", "spoken_texts"]


@dataclass(frozen=True)
class CloneConfig:
    """Settings of `rlhf clone`.

    Args:
      data: dataset folders to imitate.
      role: player that is imitated, and that the agent will be: the "solver", or the "setter" (paper, A.6), whose view
        is drawn by a replay of the recordings (docs/setters.md).
      solver: imitate only play of this solver, or with the role setter of this setter; None takes all. An agent's own
        steps are seen but not imitated; a co-pilot's are.
      kinds: kinds of play to imitate, with the share of each in the columns of every batch, as JSON, e.g.
        '{"human": 1, "agent+co-pilot": 0.5}'. The kinds are human, scripted, agent and agent+co-pilot, as recorded.
        Replaces solver. A kind of which fewer steps are demonstrated (a co-pilot's) weighs less in the loss.
      agent: folder of an agent that learns further from these recordings; none trains a new one. Its vocabulary,
        network, text limits and role stay as they are.
      runs: folder of all runs.
      name: name of this run's folder in it; the agent is written into its folder "agent".
      size: size of the agent: nano, micro, mini, 5m, 18m, 71m or 165m; KIND/SIZE of your own agent (docs/agents.md).
      network: other values of fields of the agent's configuration than its size has, as JSON, e.g.
        '{"vision_stem": "windows"}' (docs/sizes.md).
      vision_model: folder of a pretrained vision model of `transformers`, such as DINOv3 or SigLIP 2, whose features
        are the agent's eyes and stay as they are; none has an image encoder that is trained.
      vocabulary: largest number of tokens that are learned from the dialogue. Other words are spelled from pieces.
      text_length: "auto" gives the agent room for the longest recorded texts, up to 64 tokens of the setter's words
        and 32 of an utterance, and texts that are cut say so; "size" is what the size has.
      held_out: share of the episodes kept for validation, from 0 (none) to less than 1, spread evenly over all solvers
        and datasets. The run's division.json lists them.
      checkpoint_every: updates between checkpoints.
      resume: folder of a run to resume from its last checkpoint, with its own settings. It ends in the same agent as a
        run that was never interrupted.
      device: device that computes: "cpu", "cuda" or "cuda:1".
      wandb: whether metrics also go to Weights & Biases: "offline" (a local folder), "online" or "disabled".
      training: how the agent is trained.
      reading: whether episodes are held in memory or streamed.
    """

    data: tuple[Path, ...] = (Path("data/play"),)
    role: Literal["solver", "setter"] = "solver"
    solver: str | None = "scripted"
    kinds: str = "{}"
    agent: Path | None = None
    runs: Path = Path("runs")
    name: str = "clone"
    size: str = "nano"
    network: str = "{}"
    vision_model: Path | None = None
    vocabulary: Count = field(default=2048, metadata=before(512))
    text_length: TextLength = field(default="auto", metadata=before("size"))
    held_out: ShareBelowOne = 0.05
    checkpoint_every: Count = 500
    resume: Path | None = None
    device: str = "cpu"
    wandb: WandbMode = "offline"
    training: CloningConfig = field(default_factory=CloningConfig)
    reading: ReadingConfig = field(default_factory=ReadingConfig)

    def __post_init__(self) -> None:
        check_ranges(self, UserError)
        parse_play_kinds(self.kinds)
        parse_network(self.network)
        try:
            registry.find_size(self.size)
        except ValueError as error:
            raise UserError(str(error)) from error
        if self.agent is not None and (self.network != "{}" or self.vision_model is not None):
            raise UserError(
                f"the agent in {self.agent} keeps its network: leave out --network and --vision-model, or --agent"
            )


# Settings that fix the agent and what it learns from; all others may change when a run is resumed.
_FIXED = (
    "role", "solver", "kinds", "agent", "name", "size", "network", "vision_model", "vocabulary", "text_length",
    "held_out",
)  # fmt: skip
_FIXED_TRAINING = ("training.steps", "training.batch", "training.seed")


def clone(config: CloneConfig) -> Path:
    """Train an agent and return its folder."""
    data, begun = tuple(folder.absolute() for folder in config.data), config.agent
    config = replace(config, data=data, agent=begun and begun.absolute())  # for resuming from any folder
    device = usable_device(config.device)
    with locked_run(config, (*_FIXED, *_FIXED_TRAINING), "rlhf clone") as folder:
        checkpoint = Checkpoints(folder).latest_if_any()
        groups = find_groups(_learned_data(config), "train", config.solver, config.kinds)
        noted = EVERY_EPISODE if checkpoint is None else noted_episodes(folder)
        groups = begun_with(groups, noted)
        validation = _validation_ids(folder, groups, config.held_out)
        agent, tokenizer, train, held_out = _prepare(config, checkpoint, groups, validation)
        sources = [source for group in groups for source in group.sources]
        check_training(config.training, agent, config.device, most_entities(sources))
        torch.nn.Module.to(agent, device)
        cloner = Cloner(agent, train, config.training, held_out)
        if checkpoint is None:
            note_episodes(folder, {imitated(group): group.sources for group in groups})
            names = [source.episode_id for source in sources]
            save_division(folder, [name for name in names if name not in validation], sorted(validation))
            report_texts(folder, sources, tokenizer, agent.config)
        else:
            with checkpoint.taken_over() as state:
                cloner.load_state_dict(state)
        save_settings(folder, config)
        with Tracker(folder, config, config.wandb, resume_step=cloner.update_index) as tracker:
            card = agent_card(config, noted)
            if checkpoint is None:
                entropy, parameters = marginal_entropy(train), agent.num_parameters()
                tracker.log({"bc/marginal_entropy": entropy, "bc/parameters": parameters}, 0)
            title, noted = f"cloning an agent of {agent.num_parameters():,} parameters", ("movement", "language")
            run_training(cloner, folder, tokenizer, tracker, card, config.checkpoint_every, title, noted)
            cloner.finish()
            if config.training.keep == "best":
                announce(f"the agent of update {cloner.best_update:,} imitated validation episodes best")
        saved = save_agent(agent, tokenizer, folder / "agent", replace(card, metrics=latest_metrics(folder)))
        announce(cloning_headline(read_metrics(folder), len(validation)))
        announce(f"agent: {saved}")
        return saved


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


def _validation_ids(folder: Path, groups: Sequence[PlayGroup], share: float) -> frozenset[str]:
    """Return the ids of the run's validation episodes: those saved when it began, else a new choice.

    Args:
      folder: folder of the run.
      groups: episodes of the run.
      share: share of the episodes to set aside in a new run.

    Raises:
      UserError: if the saved ids cannot be read, or one of the episodes is missing.
    """
    if (known := noted_division(folder)) is not None:
        present = {source.episode_id for group in groups for source in group.sources}
        if missing := known.validation - present:
            raise UserError(
                f"{len(missing)} of the {len(known.validation)} validation episodes of {folder} are missing, for "
                f"example {min(missing)}; put the datasets back as they were, or start a new run"
            )
        return known.validation
    return frozenset(source.episode_id for group in groups for source in set_aside(group.sources, share))


def set_aside(sources: Sequence[Source], share: float) -> list[Source]:
    """Return a ``share`` of ``sources`` for validation: at least one if the share is above 0, and never all.

    Of one solver's play in one dataset these are the first episodes. Of several solvers or datasets they are spread
    evenly, so that training and validation have play of each.
    """
    if not share:
        return []
    first = list(sources[: min(max(1, round(share * len(sources))), len(sources) - 1)])
    one_origin = len({(source.store, source.solver) for source in sources}) == 1
    return first if one_origin else evenly_spaced(sources, len(first))


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
    network: str = "{}",
    vision_model: Path | None = None,
    role: str = SOLVER,
    prompted: bool = False,
) -> InteractiveAgent:
    """Create an untrained agent for play of ``spaces``; see :func:`new_agent`.

    Args:
      spaces: of the play.
      size: name of the size, e.g. "nano".
      tokenizer: tokenizer whose vocabulary the agent has.
      requests: utterances of the setters.
      answers: utterances of the solvers.
      text_length: see :class:`CloneConfig`. With "size", in other spaces than the Playhouse's, the agent still reads as
        many tokens of the setter's words as the longest request has, up to MOST_READ.
      network: see :class:`CloneConfig`.
      vision_model: see :class:`CloneConfig`.
      role: see :class:`CloneConfig`.
      prompted: the setters of the play were prompted.

    Raises:
      UserError: ``network`` does not fit the size, or there is no such vision model.
    """
    of_the_playhouse = spaces.of_the_playhouse and spaces.image_size is not None
    sizes: dict[str, Any] = {} if of_the_playhouse else {"spaces": to_json(spaces.solver)}
    if text_length == "auto":
        sizes |= asdict(fitting_limits(size, tokenizer, requests, answers, role))
    elif not of_the_playhouse and (longer := longer_request(size, tokenizer, requests)) is not None:
        sizes["setter_text_length"] = longer
    sizes |= parse_network(network)
    if role != SOLVER:  # solvers of other kinds of agent have no such fields
        sizes |= {"role": role, "prompted": prompted}
    if vision_model is None:
        return new_agent(size, tokenizer, spaces.image_size or (0, 0), **sizes)
    from agents.networks.frozen_vision import FrozenVisionEncoder  # these import much of `transformers`
    from agents.vision_model import read_vision_model

    pretrained = read_vision_model(vision_model)
    agent = new_agent(size, tokenizer, spaces.image_size or (0, 0), **sizes, vision_model=pretrained.settings)
    if not isinstance(agent.trunk.vision, FrozenVisionEncoder):
        raise UserError("the recordings have no pictures, so a pretrained vision model has nothing to see")
    agent.trunk.vision.take(pretrained)
    return agent


def new_agent(size: str, tokenizer: Tokenizer, image_size: tuple[int, int], **overrides: Any) -> InteractiveAgent:
    """Create an untrained agent.

    Args:
      size: name of the size, e.g. "nano".
      tokenizer: tokenizer whose vocabulary the agent has.
      image_size: (height, width) of its images in pixels.
      **overrides: other values of fields of the agent's configuration.

    Raises:
      UserError: if there is no such size.
    """
    try:
        return registry.make(size, image_size=image_size, vocab_size=tokenizer.vocab_size, **overrides)
    except ValueError as error:
        raise UserError(str(error)) from error
    except TypeError as error:
        raise UserError(
            f"the settings of the agent's network do not fit ({error}); docs/sizes.md has their form"
        ) from error
