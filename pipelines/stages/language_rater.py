"""`rlhf language-model mark`: a language model marks recorded episodes, and its agreement with other raters."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from agents.language_models.calls import Calls, read_calls
from agents.language_models.config import Budget, ModelSource, PromptConfig
from agents.language_models.folder import LanguageModelAgent, open_model
from annotation.agreement.recorded import recorded_agreement
from annotation.language_rater import INSTRUCTIONS, LanguageRater, RatedMoment, draw_moments, moment_text
from pipelines.stages.episodes.recordings import evenly_spaced, in_order
from pipelines.stages.language_model import shown_step
from pipelines.stages.solvers import check_readable
from rlhf.records.episode import Episode
from rlhf.records.marks import Mark, rater_key
from rlhf.run.progress import announce, progress
from rlhf.store import EpisodeStore, open_store
from rlhf.store.files.durable import write_file
from worlds.errors import UserError
from worlds.ranges import Count, CountFromZero, Seed, Steps
from worlds.settings import settings

CALLS_FILE, RATER_FILE, AGREEMENT_FILE = "calls.jsonl", "rater.json", "agreement.json"
OneOrMore = Annotated[int, Field(ge=1, le=256)]


@settings
class MarkWithModelConfig:
    """Settings of `rlhf language-model mark`. Its marks are labelled as scripted.

    Args:
      data: folder of the dataset.
      out: folder of the calls and of the agreement with other raters; the same command resumes from it.
      name: the rater's name in the data.
      model: the language model.
      prompt: what its prompts show.
      budget: what all its calls may cost together.
      solver: mark only episodes of this solver; None marks all.
      episodes: episodes to mark at most, spread evenly over the recording; 0 marks all.
      every: judge only every so many steps, from the last one backwards.
      batch: moments that are judged together.
      examples_of: rater whose marks are examples; their episodes are not marked. None shows none.
      examples: number of example moments.
      seed: of the draw of examples.
      tolerance: steps by which marks of one moment may be apart, for the agreement.
    """

    data: Path = Path("data/play")
    out: Path = Path("runs/language-rater")
    name: str = "language-model"
    model: ModelSource = field(default_factory=ModelSource)
    prompt: PromptConfig = field(default_factory=PromptConfig)
    budget: Budget = field(default_factory=Budget)
    solver: str | None = None
    episodes: CountFromZero = 0
    every: Count = 1
    batch: OneOrMore = 8
    examples_of: str | None = None
    examples: Count = 6
    seed: Seed = 0
    tolerance: Steps = 3

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise UserError("name is empty; give the rater a name")


def mark_with_model(config: MarkWithModelConfig) -> list[Mark]:
    """Mark the episodes and return the rater's marks. Marks of an episode are in the dataset once it is judged.

    Answers of an interrupted run are not asked for again.

    Raises:
      UserError: there is no episode to mark, another rater has the name, the folder is that of another rater, the
        model cannot be used, or the budget is spent.
    """
    config.model.check_given()
    store = open_store(config.data)
    moments = _example_moments(config, store)
    ids = _to_mark(config, store, {episode for episode, _ in moments})
    examples = _examples(config, store, moments)
    _check_same(config, store, examples)
    known = _known(config.out / CALLS_FILE)
    rater = LanguageRater(
        open_model(config.model, seed=config.seed),
        config.name,
        Calls(config.budget, config.out / CALLS_FILE),
        INSTRUCTIONS if config.prompt.instructions is None else config.prompt.instructions,
        examples,
        config.prompt.history,
        config.every,
        config.batch,
    )
    marks: list[Mark] = []
    for episode in progress(store.stream(ids), len(ids), f"{config.name} marks", "episodes"):
        steps = [shown_step(episode, step) for step in range(len(episode))]
        given = rater.mark(episode.episode_id, steps, known.get(episode.episode_id, {}))
        store.write_marks(given)
        marks += given
    announce(f"{len(marks)} marks on {len(ids)} episodes of {config.data}; the language model: {rater.calls.spent}")
    _agreement(config, store, ids)
    return marks


def _to_mark(config: MarkWithModelConfig, store: EpisodeStore, without: set[str]) -> list[str]:
    rows = [row for row in in_order(store.rows(solver=config.solver)) if row.episode_id not in without]
    if not rows:
        raise UserError(
            f"{config.data} has no episode to mark; `rlhf episodes list {config.data}` shows those there are"
        )
    count = min(config.episodes or len(rows), len(rows))
    return [row.episode_id for row in evenly_spaced(rows, count)]


def _example_moments(config: MarkWithModelConfig, store: EpisodeStore) -> dict[tuple[str, int], int]:
    """Return the moments that are examples, with their signs; none without a rater to take them from."""
    if config.examples_of is None:
        return {}
    marks = [mark for mark in store.marks() if rater_key(mark.rater) == rater_key(config.examples_of)]
    if not marks:
        raters = ", ".join(sorted({mark.rater for mark in store.marks()})) or "none"
        raise UserError(f"{config.data} has no marks of {config.examples_of}; raters: {raters}")
    episodes = sorted({mark.episode_id for mark in marks})
    chosen = set(episodes[: max(1, len(episodes) // 4)])  # the others stay for marking
    lengths = {row.episode_id: row.steps for row in store.rows() if row.episode_id in chosen}
    signs = {(episode, step): 0 for episode, steps in lengths.items() for step in range(1, steps)}
    signs |= {(mark.episode_id, mark.step): mark.sign for mark in marks if mark.episode_id in chosen}
    return {moment: signs[moment] for moment in draw_moments(signs, config.examples, config.seed)}


def _examples(
    config: MarkWithModelConfig, store: EpisodeStore, moments: dict[tuple[str, int], int]
) -> tuple[RatedMoment, ...]:
    episodes: dict[str, Episode] = {name: store.read(name) for name in sorted({episode for episode, _ in moments})}

    def rated() -> Iterator[RatedMoment]:
        for (name, step), sign in moments.items():
            steps = [shown_step(episodes[name], number) for number in range(step + 1)]
            yield RatedMoment(moment_text(steps, step, config.prompt.history), sign)

    return tuple(rated())


def _check_same(config: MarkWithModelConfig, store: EpisodeStore, examples: Sequence[RatedMoment]) -> None:
    """Refuse a folder of another rater, and a name that another rater has; else note who this one is.

    Raises:
      UserError: naming the folder or the name.
    """
    first = store.read(store.ids()[0])
    check_readable(first.spaces.solver, first.world)
    digest = LanguageModelAgent(config.model, config.prompt).digest()
    about = {"name": config.name, "rater": [digest, [str(example) for example in examples], config.every]}
    whose = {"name": config.name, "digest": hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]}
    path = config.out / RATER_FILE
    if path.is_file():
        if _noted(path) != whose:
            raise UserError(f"{config.out} holds the answers of another rater, or to other prompts; give another --out")
    elif any(rater_key(mark.rater) == rater_key(config.name) for mark in store.marks()):
        raise UserError(
            f"{config.data} has marks of a rater {config.name} already; give another --name, or the --out of that rater"
        )
    else:
        config.out.mkdir(parents=True, exist_ok=True)
        write_file(path, json.dumps(whose).encode())


def _noted(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path} is damaged ({error}); give another --out") from None


def _known(calls: Path) -> dict[str, dict[int, str]]:
    """Return the answers of an earlier run, by episode and step."""
    known: dict[str, dict[int, str]] = {}
    for row in read_calls(calls) if calls.exists() else ():
        known.setdefault(row["episode"], {})[int(row["step"])] = str(row["answer"])
    return known


def _agreement(config: MarkWithModelConfig, store: EpisodeStore, ids: Sequence[str]) -> None:
    """Write the agreement of all raters of the dataset, and announce that of this one with each of the others."""
    steps = {row.episode_id: row.steps for row in store.rows()}
    pairs = recorded_agreement(store.marks(), steps, {config.name: ids}, config.tolerance)
    write_file(config.out / AGREEMENT_FILE, json.dumps(pairs, indent=2).encode())
    for pair in pairs:
        if config.name in pair["raters"]:
            (other,) = (rater for rater in pair["raters"] if rater != config.name)
            shares = ", ".join(f"{name} {_share(pair[name])}" for name in ("whether", "sign", "overall"))
            announce(f"agreement with {other} in {pair['episodes']} episodes: {shares}")
    if pairs:
        announce(f"agreement of all raters: {config.out / AGREEMENT_FILE}")


def _share(found: dict[str, float | None]) -> str:
    value, chance = found["value"], found["chance"]
    if value is None:
        return "unknown"
    return f"{100 * value:.0f}%" + ("" if chance is None else f" (by chance {100 * chance:.0f}%)")
