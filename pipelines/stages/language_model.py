"""`rlhf language-model make`: a language model as an agent, with examples from recorded episodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from pathlib import Path
from typing import Any

from agents.language_models.config import Budget, ModelSource, PromptConfig
from agents.language_models.folder import LanguageModelAgent, open_model, save_language_model
from agents.language_models.prompts import Example, ShownStep
from agents.language_models.words import doing_words, observation_words
from agents.play_settings import save_play_settings
from pipelines.stages.episodes.recordings import evenly_spaced, in_order
from pipelines.stages.settings.play_settings import settings_of_datasets
from pipelines.stages.solvers import check_readable
from rlhf.records.episode import Episode
from rlhf.records.json_records import to_json
from rlhf.run.progress import announce
from rlhf.store import open_store
from worlds.errors import UserError
from worlds.ranges import Count, CountFromZero
from worlds.settings import settings


@settings
class MakeLanguageModelConfig:
    """Settings of `rlhf language-model make`.

    Args:
      out: folder that is written; `rlhf evaluate` and `rlhf record` take it as an agent's.
      model: the language model.
      prompt: what its prompts show.
      budget: what its calls may cost for one file of results.
      data: dataset from which examples are taken; None shows none.
      examples: number of example episodes in every prompt.
      solver: player of the example episodes; None takes every player.
      most_steps: longest episode that is an example, in steps.
      failures: also take episodes in which not all that was asked for was done.
    """

    out: Path = Path("runs/language-model")
    model: ModelSource = field(default_factory=ModelSource)
    prompt: PromptConfig = field(default_factory=PromptConfig)
    budget: Budget = field(default_factory=Budget)
    data: Path | None = None
    examples: CountFromZero = 4
    solver: str | None = None
    most_steps: Count = 30
    failures: bool = False


def make_language_model(config: MakeLanguageModelConfig) -> Path:
    """Write the folder of a language model as an agent, and return it.

    Raises:
      UserError: no model is given, a local one cannot be read, or the dataset has no episode that can be an example.
    """
    config.model.check_given()
    examples = () if config.data is None or not config.examples else tuple(_examples(config, config.data))
    open_model(config.model)  # refuses a folder that holds none
    agent = LanguageModelAgent(config.model, config.prompt, config.budget, examples)
    folder = save_language_model(agent, config.out)
    if config.data is not None:
        save_play_settings(to_json(settings_of_datasets([config.data])), folder)
    steps = sum(len(example.steps) for example in examples)
    announce(f"wrote {folder}: {config.model.label}, {len(examples)} examples of {steps} steps together")
    return folder


def _examples(config: MakeLanguageModelConfig, data: Path) -> Iterator[Example]:
    store = open_store(data)
    rows = [
        row
        for row in in_order(store.rows(split="train", solver=config.solver))
        if row.steps <= config.most_steps and (config.failures or row.requests == row.successes)
    ]
    if not rows:
        kind = "" if config.failures else "in which all that was asked for was done "
        raise UserError(
            f"{data} has no episode for training {kind}of at most {config.most_steps} steps; set --most-steps, "
            "--failures or --solver, or show no examples with --examples 0"
        )
    for episode in store.stream(row.episode_id for row in evenly_spaced(rows, min(config.examples, len(rows)))):
        yield example_of(episode)


def example_of(episode: Episode) -> Example:
    """Return a recorded episode as an example.

    Raises:
      UserError: its observations have no texts.
    """
    spec = episode.spaces.solver
    check_readable(spec, episode.world)
    success = all(step is not None for step in episode.success_step) if episode.requests else None
    return Example(tuple(shown_step(episode, step) for step in range(len(episode))), success)


def shown_step(episode: Episode, step: int) -> ShownStep:
    """Return one recorded step in words."""
    spec = episode.spaces.solver
    seen: dict[str, Any] = {"setter_text": episode.setter_text[step]}
    seen |= {name: texts[step] for name, texts in episode.texts.items()}
    if spec.action.masked:
        seen["legal"] = episode.seen["legal"][step]
    action = episode.solver_action(step)
    done = doing_words(spec.action, action["movement"], action.get("continuous"), action["utterance"])
    return ShownStep(observation_words(spec, seen), done)
