"""`rlhf suite make`: scenarios of a standardised test suite, sampled from recorded play or written beforehand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Literal

import numpy as np

from annotation.session.verdicts import no_requests
from pipelines.stages.settings.world_config import WorldConfig
from pipelines.suite.request_kinds import KINDS, kind_of
from pipelines.suite.scenarios import (
    NOTE,
    Recordings,
    Scenario,
    Suite,
    check_replays,
    context_of,
    frozen_suite,
    load_suite,
    save_suite,
    silence_after,
)
from pipelines.suite.written import WrittenConfig, record_contexts
from rlhf.records.episode import CO_PILOT, SCRIPTED, WORLD_OPTIONS, Episode
from rlhf.run.progress import announce, progress
from rlhf.store import ParquetStore, open_store
from rlhf.store.columns import json_text
from worlds.errors import UserError
from worlds.ranges import Count, Seed
from worlds.settings import settings

LONGEST = 1125  # steps of an episode, as `rlhf record` plays at most by default
PAPERS_NUMBER = 162  # scenarios that are drawn by default
Balance = Literal["proportional", "equal"]
_FEWEST_WORDS = 2  # of a person's request; "thanks" is none


@settings
class MakeSuiteConfig:
    """Settings of `rlhf suite make`.

    Args:
      data: dataset of recorded play; with a collection, the dataset into which its contexts are recorded.
      out: file of the suite, which must not exist yet.
      scenarios: number of scenarios to sample, by default 162 as in the paper; of a collection, all.
      steps: length of a continuation: 150 are 40 seconds. Fewer than the 1,125 of an episode.
      seed: seed of the sampling.
      split: sample only from episodes of this split, "train" or "held_out"; None uses all.
      episodes: largest number of recorded episodes, sampled with the seed, that are searched.
      room: leave out requests after which the setter spoke again, or the recording ended, within this many steps.
      balance: "proportional" samples instructions and questions as often as they were asked, "equal" as many of each.
      kinds: JSON file {"words of a request": "instruction-following" or "question-answering"} that overrides the kinds
        inferred from the words.
      collection: name of written scenarios of the world that are posed instead, e.g. appendix-b; scripted players play
        up to each request, and nothing else that is in the dataset is looked at.
      contexts: number of places in which each scenario of a collection is posed.
      world: of a collection, with the size of its images.
    """

    data: Path = Path("data/play")
    out: Path = Path("suite.json")
    scenarios: Count | None = None
    steps: Count = 150
    seed: Seed = 0
    split: str | None = None
    episodes: Count = 1000
    room: Count = 8
    balance: Balance = "proportional"
    kinds: Path | None = None
    collection: str | None = None
    contexts: Count = 1
    world: WorldConfig = field(default_factory=WorldConfig)

    def __post_init__(self) -> None:
        if self.steps >= LONGEST:
            raise UserError(f"steps is below the {LONGEST:,} of an episode, not {self.steps}")
        if self.split not in (None, "train", "held_out"):
            raise UserError(f'split is "train" or "held_out", not {self.split!r}')


def make_suite(config: MakeSuiteConfig) -> Suite:
    """Sample the scenarios and write the suite.

    Raises UserError if the file exists, the dataset has no request to continue from, or is of several kinds of world,
    or WorldError if its world declares that it cannot be replayed exactly.
    """
    if config.out.exists():
        raise UserError(f"{config.out} exists, and a suite is never changed; name another file with --out")
    rng = np.random.default_rng(config.seed)
    store, candidates, options = _posed(config) if config.collection else _recorded(config, rng)
    if not candidates:
        raise UserError(
            f"no request in {config.data} leaves an agent {config.steps} steps to continue; record longer episodes, or "
            "lower --steps or --room"
        )
    if config.collection and config.scenarios is None:
        drawn = tuple(candidates)
    else:
        order = [candidates[index] for index in rng.permutation(len(candidates))]
        chosen = draw(order, config.scenarios or PAPERS_NUMBER, config.balance)
        drawn = tuple(one if config.collection else replace(one, name=f"s{i:03d}") for i, one in enumerate(chosen))
    suite = frozen_suite(_recordings(config.data, store, options), drawn)
    save_suite(suite, config.out)
    load_suite(config.out)
    _announce(config, store, suite)
    return suite


def _posed(config: MakeSuiteConfig) -> tuple[ParquetStore, list[Scenario], dict]:
    """Record the contexts of a collection; its dataset, its scenarios and the options of its world."""
    written = WrittenConfig(config.collection, config.contexts, config.world)
    store, candidates = record_contexts(written, config.data, config.steps, LONGEST, config.seed)
    return store, candidates, config.world.play_options()


def _recorded(config: MakeSuiteConfig, rng: np.random.Generator) -> tuple[ParquetStore, list[Scenario], dict]:
    """The dataset of recorded play, all scenarios of the searched episodes, and the options of their world."""
    kinds = _given_kinds(config.kinds)
    store = open_store(config.data)
    check_replays(store.description.world)
    return store, *_candidates(config, store, kinds, rng)


def draw(candidates: Sequence[Scenario], count: int, balance: Balance) -> list[Scenario]:
    """Choose scenarios of every kind in its share, spread over episodes.

    Within a kind, scenarios with a co-pilot's take-over come first, then those of the episodes chosen least often, then
    the earlier ones.

    Args:
      balance: "proportional" for the kinds' shares of the candidates, "equal" for equal shares.
    """
    left, drawn = list(candidates), list[Scenario]()
    of_kind, of_episode = Counter[str](), Counter[str]()
    share = Counter(scenario.kind for scenario in candidates)
    if balance == "equal":
        share = Counter(dict.fromkeys(share, 1))
    while left and len(drawn) < count:
        best = min(left, key=lambda s: (of_kind[s.kind] / share[s.kind], not s.co_piloted, of_episode[s.episode]))
        left.remove(best)
        drawn.append(best)
        of_kind[best.kind] += 1
        of_episode[best.episode] += 1
    return drawn


def scenarios_of(episode: Episode, steps: int, room: int, kinds: Mapping[str, str] | None = None) -> Iterator[Scenario]:
    """Yield the scenarios of ``episode`` from which an agent can continue for ``steps``, without names."""
    for request_step, words in _requests(episode):
        step = request_step + 1
        end = min(len(episode), silence_after(episode, request_step) + 1)
        if end - step < room or step + steps > LONGEST:
            continue
        yield Scenario(
            name="",
            episode=episode.episode_id,
            request_step=request_step,
            step=step,
            limit=steps,
            kind=(kinds or {}).get(words) or kind_of(words),
            words=words,
            solver=episode.solver,
            co_piloted=bool((episode.controller[step:end] == CO_PILOT).any()),
            recorded=end - step,
            context=context_of(episode, step),
        )


def _requests(episode: Episode) -> Iterator[tuple[int, str]]:
    """Yield step and words of each request: a scripted setter's, or a person's utterance of at least two words.

    Utterances that the setter marked as no request are left out.
    """
    labelled, none = {request.step for request in episode.requests}, no_requests(episode.notes)
    knows = bool(labelled) or episode.setter == SCRIPTED  # else it may have asked for nothing in many words
    for step, words in enumerate(episode.setter_utterance):
        asked = step in labelled if knows else len(words.split()) >= _FEWEST_WORDS
        if asked and step not in none:
            yield step, words


def _candidates(
    config: MakeSuiteConfig, store: ParquetStore, kinds: Mapping[str, str], rng: np.random.Generator
) -> tuple[list[Scenario], dict]:
    """All candidates of the searched episodes, and the options of their world."""
    ids = sorted(store.ids(split=config.split))
    ids = [ids[index] for index in rng.permutation(len(ids))[: config.episodes]]
    found, options = list[Scenario](), dict[str, dict]()
    for episode in progress(store.stream(ids), len(ids), f"searching {config.data}"):
        if NOTE in episode.notes:
            raise UserError(f"{config.data} holds the continuations of a suite; name the dataset of recorded play")
        options.setdefault(json.dumps(episode.notes.get(WORLD_OPTIONS) or {}, sort_keys=True), {})
        found += scenarios_of(episode, config.steps, config.room, kinds)
    if len(options) > 1:
        raise UserError(
            f"{config.data} was recorded with different world.options ({', '.join(sorted(options))}); a suite is "
            "played with one: put episodes with the same options into a dataset of their own"
        )
    return found, json.loads(next(iter(options), "{}"))


def _recordings(folder: Path, store: ParquetStore, options: dict) -> Recordings:
    about = store.description
    assert about.world is not None  # it has episodes
    return Recordings(str(folder), about.created, about.world, about.image_size, options)


def _given_kinds(path: Path | None) -> dict[str, str]:
    """Read the kinds that the user gives. Raises UserError if the file has no kinds by words."""
    if path is None:
        return {}
    try:
        kinds = json_text.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"kinds: {path} cannot be read ({error})") from error
    if not isinstance(kinds, dict) or not all(kind in KINDS for kind in kinds.values()):
        raise UserError(f"kinds: {path} must be a JSON object of kinds by words; kinds are {' and '.join(KINDS)}")
    return kinds


def _announce(config: MakeSuiteConfig, store: ParquetStore, suite: Suite) -> None:
    counts = Counter(scenario.kind for scenario in suite.scenarios)
    episodes = {scenario.episode for scenario in suite.scenarios}
    announce(
        f"suite {suite.id}: {len(suite.scenarios)} scenarios from {len(episodes)} episodes ("
        + ", ".join(f"{counts[kind]} {kind}" for kind in KINDS)
        + f"; in {sum(scenario.co_piloted for scenario in suite.scenarios)} a co-pilot took over): {config.out}"
    )
    wanted = config.scenarios or PAPERS_NUMBER
    if len(suite.scenarios) < wanted and not config.collection:
        announce(f"{config.data} has no more than these {len(suite.scenarios)}; {wanted} were requested")
    known = sum(row.split == "train" for row in store.rows() if row.episode_id in episodes)
    if known:
        announce(f"{known} of the episodes are of the split train: do not evaluate agents that have learned from them")
