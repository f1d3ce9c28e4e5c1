"""`rlhf suite play`: agents continue from a suite's scenarios.

The episode is replayed bit-exactly up to the scenario while the agent watches: it is run at every step, its actions are
ignored, and the recorded solver's words count as its own last words, as with a co-pilot (paper, A.1).
Then the agent acts for the length of the scenario. The setter no longer speaks; it moves as recorded until the step
where it spoke again, and then stands still.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pipelines.stages.outcomes.results_file import SCRIPTED
from pipelines.stages.settings.play_settings import (
    PlaySettings,
    announce_world_differences,
    settings_of_agent,
    settings_of_datasets,
)
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from pipelines.suite.players import Context, ContinuedSetter, DoesNotReplay, LateSolver, Recorded, RecordedSolver
from pipelines.suite.scenarios import (
    NOTE,
    RECORDED,
    Scenario,
    Suite,
    context_of,
    load_suite,
    open_recordings,
)
from rlhf.records.episode import Episode
from rlhf.records.json_records import to_json
from rlhf.replay.play import Plan, ScriptedSolvers, Solvers, play
from rlhf.run.progress import announce, progress
from rlhf.run.setting_forms import NamedPlayers
from rlhf.store import EpisodeStore, ParquetStore, open_store
from rlhf.store.columns.json_text import to_json as json_text
from worlds.contract import Solver
from worlds.contract.tiers import EXACT
from worlds.errors import UserError
from worlds.ranges import Count, Seed
from worlds.settings import settings

_SETTINGS = "recorded_with"  # in an episode's notes, as `rlhf record` writes it


@settings
class PlaySuiteConfig:
    """Settings of `rlhf suite play`.

    Args:
      suite: file of the suite.
      recordings: dataset that the suite was made from, if it was moved.
      data: dataset of the continuations; those already in it stay unchanged.
      agents: a name and a folder for every agent, as NAME FOLDER or NAME=FOLDER; the folder "recorded" is the recorded
        solver, once a scenario, "scripted" the scripted demonstrator, "perfect" the same without its imperfections.
      continuations: continuations of each scenario by each agent.
      seed: seed of the agents' choices.
      slots: number of environments played at once; other numbers sample other actions.
      greedy: always choose the likeliest action instead of sampling.
      greedy_words: whenever an agent speaks, choose the likeliest words instead of sampling them.
      device: device of the agents: "cpu", "cuda" or "cuda:1".
      players: settings of the scripted players.
    """

    suite: Path = Path("suite.json")
    recordings: Path | None = None
    data: Path = Path("study/sts")
    agents: NamedPlayers = field(default_factory=dict)
    continuations: Count = 10
    seed: Seed = 0
    slots: Count = 32
    greedy: bool = False
    greedy_words: bool = False
    device: str = "cpu"
    players: PlayersConfig = field(default_factory=PlayersConfig)

    def __post_init__(self) -> None:
        for name in self.agents:
            if not name or not name.replace("-", "").replace("_", "").replace("+", "").replace(".", "").isalnum():
                raise UserError(f"an agent's name has letters, digits and - _ + . only, not {name!r}")


def play_suite(config: PlaySuiteConfig) -> list[str]:
    """Play the missing continuations, and return the ids of all. Each is durable as soon as it has ended.

    Raises UserError if the suite or its recordings have changed, an agent cannot be read or has another image size, or
    the dataset holds other play, or continuations played with other settings, or WorldError if the world declares that
    it cannot be replayed exactly.
    """
    if not config.agents:
        raise UserError("no agents to play: name at least one, e.g. --agents BC runs/clone/agent recorded recorded")
    suite = load_suite(config.suite)
    recordings = open_recordings(suite, config.recordings)
    held = settings_of_datasets([recordings.folder], PlaySettings(players=config.players))
    world = _world_of(suite, held.world)
    world.entry().check_tier(EXACT, "a test suite")
    config = _resolved(config, world.or_else(held.world), held)
    entrants = [_Entrant(config, suite, world, name, folder) for name, folder in config.agents.items()]
    for entrant in entrants:
        entrant.solvers(1)  # refuse a wrong agent before anything is played
    store = open_store(config.data, create=True)
    _check_purpose(store)
    ids = [one.episode_id for entrant in entrants for one in entrant.wanted]
    for entrant in entrants:
        _play_missing(entrant, recordings, store)
    announce(f"{len(ids)} continuations of suite {suite.id} are in {config.data}; people judge them: `rlhf serve`")
    return ids


def _resolved(config: PlaySuiteConfig, world: WorldConfig, held: PlaySettings) -> PlaySuiteConfig:
    """Complete the players' settings from the suite's recordings, and announce agents that learned in another world."""
    for name, folder in config.agents.items():
        learned = settings_of_agent(folder).world if folder not in (RECORDED, *SCRIPTED) else WorldConfig()
        if world.settings is None:  # the settings of these houses are unknown
            learned = replace(learned, settings=None)
        announce_world_differences("playing the suite", world, learned, f"{name} learned in")
    return replace(config, players=config.players.or_else(held.players).complete())


def _world_of(suite: Suite, held: WorldConfig) -> WorldConfig:
    """Return the world in which the suite was recorded."""
    about = suite.recordings
    height, width = about.image_size or (None, None)
    name = held.name if held.name is not None and held.by_name().name == about.world else about.world
    return WorldConfig(name=name, height=height, width=width, options=about.options)


def _play_missing(entrant: _Entrant, recordings: EpisodeStore, store: ParquetStore) -> None:
    known = set(store.ids())
    there = [one.episode_id for one in entrant.wanted if one.episode_id in known]
    if there:
        _check_same(store, there[0], entrant)
        announce(f"{len(there)} of {len(entrant.wanted)} continuations by {entrant.name} are in {store} already")
    missing = len(entrant.wanted) - len(there)
    if not missing:
        return
    played = (episode for batch in entrant.batches() for episode in _play_batch(entrant, batch, known, recordings))
    for episode in progress(played, missing, f"{entrant.name} continues"):
        store.write(episode)


@dataclass(frozen=True)
class _Wanted:
    """One continuation of an agent."""

    scenario: Scenario
    number: int
    episode_id: str


@dataclass(frozen=True)
class _Entrant:
    """One agent and its continuations."""

    config: PlaySuiteConfig
    suite: Suite
    world: WorldConfig
    name: str
    folder: str

    @cached_property
    def wanted(self) -> list[_Wanted]:
        """Continuations of the agent, sorted by length so that few slots wait for others."""
        count = 1 if self.folder == RECORDED else self.config.continuations
        in_order = sorted(self.suite.scenarios, key=lambda s: (s.step + s.limit, s.name))
        return [
            _Wanted(one, number, f"sts-{self.suite.id}-{one.name}-{self.name}-{number}")
            for one in in_order
            for number in range(count)
        ]

    def batches(self) -> Iterator[list[_Wanted]]:
        """Yield the batches that are played side by side.

        Batches are independent of interruptions, and each has random numbers of its own, so that a resumed play is
        bit-identical.
        """
        for first in range(0, len(self.wanted), self.config.slots):
            yield self.wanted[first : first + self.config.slots]

    def solvers(self, slots: int, batch: str = "") -> Solvers:
        """Solvers after the take-over in ``slots`` slots. Raises UserError if the agent cannot play in this world."""
        if self.folder in (RECORDED, *SCRIPTED):
            self.world.entry().make_solver(**self._stand_in()) if self.folder != RECORDED else None
            return ScriptedSolvers(slots)
        from agents.acting import AgentSolvers

        agent, tokenizer = self._agent
        chosen = self.config.greedy, self.config.greedy_words
        return AgentSolvers(agent, tokenizer, slots, self._seed(batch), *chosen)

    def _seed(self, name: str, size: int = 7) -> int:
        """Seed of one batch of an agent, or of one continuation of a stand-in."""
        return int.from_bytes(hashlib.sha256(f"{self.config.seed} {name}".encode()).digest()[:size], "big")

    @cached_property
    def _agent(self) -> Any:
        """Agent and its tokenizer."""
        from agents.folder import load_agent

        agent, tokenizer = load_agent(self.folder, device=self.config.device)
        hint = "name an agent for images of that size, or make a suite from play recorded in the agent's"
        self.world.check_fits(agent.config, self.folder, hint)
        return agent, tokenizer

    def scripted(self, wanted: _Wanted, episode: Episode) -> Solver | None:
        """Solver of one continuation that is not a learned agent; None for a learned one."""
        if self.folder == RECORDED:
            return RecordedSolver(episode, wanted.scenario)
        if self.folder not in SCRIPTED:
            return None
        solver = self.world.entry().make_solver(**self._stand_in())
        return LateSolver(solver, wanted.scenario.step, self._seed(wanted.episode_id, 4))

    def _stand_in(self) -> dict[str, Any]:
        return self.config.players.demonstrator_settings(self.folder)

    @cached_property
    def settings(self) -> str:
        """Fingerprint of the settings that determine the play, with the agent's weights."""
        config = self.config
        weights = Path(self.folder) / "model.safetensors"
        content = {"suite": self.suite.id, "seed": config.seed}
        if self.folder != RECORDED:
            content |= {"slots": config.slots, "greedy": config.greedy, "continuations": config.continuations}
            content |= {"greedy_words": True} if config.greedy_words else {}  # play without it keeps its names
        if self.folder in SCRIPTED:
            content |= {"players": to_json(config.players)}
        own = weights.read_bytes() if weights.is_file() else self.folder.encode()
        return hashlib.sha256(json_text(content).encode() + own).hexdigest()[:16]

    def player(self, episode: Episode) -> str:
        """Name of the solver in episodes."""
        if self.folder == RECORDED:
            return episode.solver
        return "scripted" if self.folder in SCRIPTED else f"agent:{self.name}"


def _play_batch(
    entrant: _Entrant, batch: Sequence[_Wanted], known: set[str], recordings: EpisodeStore
) -> Iterator[Episode]:
    """Yield the episodes of ``batch`` that are not ``known``; an unfinished one is played again from the start."""
    if all(one.episode_id in known for one in batch):
        return
    ids = list(dict.fromkeys(one.scenario.episode for one in batch))
    episodes = {episode.episode_id: Recorded.of(episode) for episode in recordings.stream(ids)}
    plans = [_plan(entrant, one, episodes[one.scenario.episode]) for one in batch]
    worlds = entrant.world.make(len(plans))
    solvers = entrant.solvers(len(plans), batch[0].episode_id)
    try:
        for episode in play(entrant.world.entry(), worlds, plans, solvers):
            if episode.episode_id not in known:
                yield replace(episode, solver=episode.notes[NOTE]["player"])
    except DoesNotReplay as error:
        tier = entrant.world.entry().tier
        why = "the world has changed since" if tier else f"the world has changed since, or is not of the tier {EXACT}"
        raise UserError(
            f"{error}; {why}, so agents would not be compared fairly; `rlhf world check {entrant.world.world_name}` "
            "tries it"
        ) from error
    finally:
        for world in worlds:
            world.close()


def _plan(entrant: _Entrant, wanted: _Wanted, recorded: Recorded) -> Plan:
    scenario, episode = wanted.scenario, recorded.episode
    if len(episode) <= scenario.step or context_of(episode, scenario.step) != scenario.context:
        raise UserError(f"episode {episode.episode_id} is not the one that scenario {scenario.name} was made from")
    about = {
        "suite": entrant.suite.id, "name": scenario.name, "agent": entrant.name, "number": wanted.number,
        "step": scenario.step, "request_step": scenario.request_step, "request": scenario.words,
        "kind": scenario.kind, "limit": scenario.limit, "episode": scenario.episode, "player": entrant.player(episode),
    }  # fmt: skip
    return Plan(
        episode_id=wanted.episode_id,
        config=episode.config,
        setter=ContinuedSetter(episode, scenario.request_step),
        seed=episode.seed,
        steps=scenario.step + scenario.limit,
        split="held_out",  # never trained on
        solver=entrant.scripted(wanted, episode),
        co_pilot=Context(recorded, scenario.step),
        notes={NOTE: about, _SETTINGS: entrant.settings} | entrant.world.note(),
        setter_name=f"replay:{episode.episode_id}",
    )


def _check_purpose(store: ParquetStore) -> None:
    """Check that the dataset holds continuations only. Raises UserError if it holds other play."""
    rows = store.rows()
    if rows and NOTE not in store.read_transcript(rows[0].episode_id).notes:
        raise UserError(f"{store} holds recorded play; name another dataset for the continuations with --data")


def _check_same(store: ParquetStore, episode_id: str, entrant: _Entrant) -> None:
    """Check that a saved continuation was played with the same settings.

    Raises UserError if it was played with others.
    """
    if store.read_transcript(episode_id).notes.get(_SETTINGS) != entrant.settings:
        raise UserError(
            f"{store} has continuations by {entrant.name} that were played with other settings, or by another agent of "
            "that name; give this one another name, play into another dataset, or drop those"
        )
