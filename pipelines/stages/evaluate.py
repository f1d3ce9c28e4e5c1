"""`rlhf evaluate`: success of agents at the probe tasks, in new houses, on held-out instructions."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from agents.roles import folder_of
from pipelines.stages.evaluate_setters import (
    announce_unread,
    asked_with,
    evaluation_setters,
    first_success,
    learned_plans,
)
from pipelines.stages.outcomes.evaluation_text import difference_table, requests_of, success_table
from pipelines.stages.outcomes.results_file import (
    LEARNED,
    RANDOM,
    SCRIPTED,
    EvaluatedWith,
    ProbeResult,
    ResultsFile,
    Split,
    load_results,
)
from pipelines.stages.record_failures import check_ends, guard
from pipelines.stages.settings.play_settings import (
    PlaySettings,
    resolve_play_settings,
    settings_of_agent,
    world_differences,
    world_flags,
)
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from pipelines.stages.solvers import calls_file, open_solvers, summarised
from rlhf.records.episode import Episode
from rlhf.replay.guard import FAILURE, LEAST, Failure
from rlhf.replay.play import Plan, ProbeSetter, ScriptedSolvers, Solvers, play
from rlhf.run.config import lock_file
from rlhf.run.place_seeds import probe_seed
from rlhf.run.progress import announce, progress
from rlhf.run.setting_forms import NamedPlayers
from worlds.contract import Setter, Solver, TaskSpec, World, WorldError
from worlds.contract.random_solver import RandomSolver
from worlds.errors import UserError
from worlds.foreign_code.faults import named_failure
from worlds.foreign_code.watchdog import call_within, limit_unless_debugging
from worlds.ranges import Count, Seconds
from worlds.registry import WorldEntry
from worlds.settings import settings

if TYPE_CHECKING:
    from agents.acting import AgentSetters

__all__ = [
    "EvaluateConfig",
    "ProbeResult",
    "Split",
    "evaluate",
    "load_results",
    "probe_episodes",
    "probe_plans",
]

_TRIED = 400  # places without a feasible request after which a probe is given up
_NO_FOLDER = (*SCRIPTED, RANDOM)  # solvers that are no agents

EvaluationSeed = Annotated[int, Field(ge=0, le=2**32 - 1)]


@settings
class EvaluateConfig:
    """Settings of `rlhf evaluate`.

    Args:
      agents: a name and a folder for every agent, as NAME FOLDER or NAME=FOLDER; the folder "scripted" is the scripted
        demonstrator, "perfect" the same without its imperfections, "random" a solver that acts at random.
      probes: probe tasks or games of the world; none means all probe tasks.
      episodes: number of episodes of each probe and agent; every agent plays the same ones.
      split: split of the instructions: "held_out", or "train", which shows whether an agent fails at the task or at its
        words. The houses are new in both.
      seed: seed of houses and instructions.
      slots: environments that are played at once.
      greedy: always take the likeliest action instead of sampling.
      greedy_words: whenever an agent speaks, take the likeliest words instead of sampling them.
      device: device of the agents: "cpu", "cuda" or "cuda:1".
      out: JSON file of the results. Results that it holds are not played again, so the same command resumes an
        interrupted evaluation, and further agents and probes are added. A file of other settings or weights is refused.
      baseline: name of an agent, one of `agents` or of the results in `out`. The differences of the other agents to it,
        by probe and over all probes, are printed and written to `out`, paired by episode, with 95% intervals.
      world: world that is played, with its settings.
      players: settings of the scripted players.
      step_limit_sec: seconds that a world may take for a reset or a step; then it hangs, and its episode is ended.
      setters: agent:FOLDER: a learned setter asks instead of probes (docs/setters.md). What counts is the first request
        of an episode that can be checked. None asks probes.
      setter_steps: largest length of an episode with a learned setter.
    """

    agents: NamedPlayers = field(default_factory=dict)
    probes: tuple[str, ...] = ()
    episodes: Count = 50
    split: Split = "held_out"
    seed: EvaluationSeed = 0
    slots: Count = 32
    greedy: bool = False
    greedy_words: bool = False
    device: str = "cpu"
    out: Path = Path("results.json")
    baseline: str | None = None
    world: WorldConfig = field(default_factory=WorldConfig)
    players: PlayersConfig = field(default_factory=PlayersConfig)
    step_limit_sec: Seconds = 300.0
    setters: str | None = None
    setter_steps: Count = 120

    def __post_init__(self) -> None:
        if self.setters is not None and self.setter_agent is None:
            raise UserError(f"setters are agent:FOLDER, or None for probes, not {self.setters!r}")
        if self.setters is not None and self.probes:
            raise UserError("a learned setter asks what it likes: leave out --probes or --setters")

    @property
    def setter_agent(self) -> str | None:
        """Folder of the learned setter; None without one."""
        return folder_of(self.setters)


def evaluate(config: EvaluateConfig) -> list[ProbeResult]:
    """Evaluate all agents on all probes and return all results in ``config.out``, those of earlier commands included.

    Results that the file holds are not played again, so the same call resumes an interrupted evaluation.

    Raises:
      UserError: if the file's results are of other settings, or of other weights under the name of one of the agents,
        or an agent, a probe or the baseline does not exist.
      WorldError: the world fails in all episodes, or in the first ones.
    """
    if not config.agents:
        raise UserError("no agents to evaluate: name at least one, e.g. --agents bc runs/clone/agent")
    config = resolve_config(config)
    entry = config.world.entry()
    config.world.check(limit_unless_debugging(config.step_limit_sec))
    probes = (LEARNED,) if config.setters is not None else config.probes or tuple(entry.probes)
    known = (*entry.probes, *entry.games, *((LEARNED,) if config.setters is not None else ()))
    unknown = sorted(set(probes) - set(known))
    if unknown:
        raise UserError(f"no probe task {unknown[0]!r}; known: {', '.join(known)}")
    _check_before_playing(config)
    ends: list[Failure] = []
    with lock_file(config.out.with_name(f".{config.out.name}.lock"), config.out):
        results = _evaluate(config, probes, ends)
    announce(success_table(results, requests_of(config.split, entry)))
    if config.baseline is not None:
        announce(difference_table(results, config.baseline))
    announce(f"results: {config.out}")
    check_ends(ends, config.episodes * len(config.agents) * len(probes))
    return results


def resolve_config(config: EvaluateConfig) -> EvaluateConfig:
    """Return the configuration with complete world and players: as given, else from the agents' play settings.

    Raises:
      UserError: if the agents' worlds differ in a setting that is not given.
    """
    given = PlaySettings(config.world, config.players)
    learned = {name: settings_of_agent(folder) for name, folder in config.agents.items() if folder not in _NO_FOLDER}
    settings = resolve_play_settings(given, *learned.values())
    elsewhere = dict[str, list[str]]()
    for name, own in learned.items():
        own_world = given.or_else(own).world
        if different := world_differences(settings.world, own_world):
            raise UserError(
                f"{next(iter(learned))} and {name} learned in different places ({', '.join(different)}); name those to "
                f"evaluate both in, e.g.{world_flags(settings.world, own_world)}, or evaluate one at a time, each with "
                "an --out of its own"
            )
        elsewhere.setdefault(", ".join(world_differences(settings.world, own.world)), []).append(name)
    for different, names in elsewhere.items():
        if different:
            announce(f"evaluating in other places than {' and '.join(names)} learned in: {different}")
    return replace(config, world=settings.world, players=settings.players)


def _evaluate(config: EvaluateConfig, probes: Sequence[str], ends: list[Failure]) -> list[ProbeResult]:
    file = ResultsFile(config.out, _evaluated_with(config), config.agents)
    known = list(dict.fromkeys([*config.agents, *(result.agent for result in file.results())]))
    if config.baseline is not None and config.baseline not in known:
        raise UserError(f"--baseline {config.baseline} is none of the evaluated agents: {', '.join(known)}")
    wanted = [(agent, probe) for agent in config.agents for probe in probes]
    missing = [pair for pair in wanted if pair not in file]
    if len(missing) < len(wanted):
        announce(f"{len(wanted) - len(missing)} of {len(wanted)} results are in {config.out} already")
    for name, probe in missing:
        played = probe_episodes(config, config.agents[name], probe, ends)
        file.add(_result(name, probe, list(progress(played, config.episodes, f"{name} on {probe}"))))
    if config.baseline is not None:
        file.compare(config.baseline)
    return file.results()


def _evaluated_with(config: EvaluateConfig) -> EvaluatedWith:
    config = replace(config, world=config.world.by_name(), players=config.players.of_world(config.world.entry()))
    settings = {field.name: getattr(config, field.name) for field in fields(EvaluatedWith)}
    settings["setters"] = asked_with(config)
    return EvaluatedWith(**settings)


def _check_before_playing(config: EvaluateConfig) -> None:
    """Check that agents can be read and results be written. Raises UserError if not."""
    if config.out.is_dir() or not config.out.name:
        raise UserError(f"{config.out} is a folder; name a file for the results with --out")
    for folder in config.agents.values():
        _solvers(config, folder, 1)
    evaluation_setters(config, 1)
    config.out.parent.mkdir(parents=True, exist_ok=True)


def _result(agent: str, probe: str, episodes: Sequence[Episode | UnplayedEpisode]) -> ProbeResult:
    ordered = sorted(episodes, key=lambda episode: episode.seed)
    failed = tuple(episode.seed for episode in ordered if FAILURE in episode.notes)
    steps = tuple(None if episode.seed in failed else first_success(episode) for episode in ordered)
    seeds, success = tuple(episode.seed for episode in ordered), tuple(step is not None for step in steps)
    if failed:
        announce(
            f"the world failed in {len(failed)} of {len(ordered)} episodes of {agent} at {probe}; their requests count "
            "as not fulfilled"
        )
    if probe == LEARNED:
        announce_unread(agent, ordered)
    return ProbeResult(agent, probe, seeds, success, steps, failed=failed)


@dataclass(frozen=True)
class UnplayedEpisode:
    """An episode whose world failed before the first step."""

    seed: int
    notes: Mapping[str, Any]
    success_step: tuple[None] = (None,)


class _Failures:
    """The failures of the world while one agent plays one probe, each reported in one line.

    Args:
      ends: to which those are added in which the world tries to end the process.
    """

    def __init__(self, episodes: int, ends: list[Failure]) -> None:
        self._episodes, self._ends, self._failed, self.whole = episodes, ends, 0, 0
        self.unplayed: list[UnplayedEpisode] = []

    def note(self, failure: Failure) -> None:
        """Report a failure. Raises WorldError if all episodes have failed so far, and they are several or all."""
        self._failed += 1
        self._ends += [failure] if failure.ends_process else []
        if not self.whole and self._failed >= min(LEAST, self._episodes):
            raise WorldError(failure.message)
        if not failure.steps:
            seed = int(failure.episode_id.rpartition("-")[2])
            self.unplayed.append(UnplayedEpisode(seed, {FAILURE: failure.message}))
        announce(f"{failure.message}; its request counts as not fulfilled, and the other episodes are played")


def probe_episodes(
    config: EvaluateConfig, folder: str, probe: str, ends: list[Failure] | None = None
) -> Iterator[Episode | UnplayedEpisode]:
    """Play one agent at one probe and yield its episodes as they end.

    An episode whose world fails is ended and labelled, and the others are played. Failures in which the world tries to
    end the process are added to ``ends``.

    Raises:
      WorldError: the world fails in all episodes, or in the first ones.
    """
    scripted = folder in _NO_FOLDER
    slots = 1 if scripted else min(config.slots, config.episodes)
    failures, setters = _Failures(config.episodes, [] if ends is None else ends), evaluation_setters(config, slots)
    with (
        closing(_plans(config, probe, folder if scripted else None, setters)) as plans,
        config.world.opened(slots, images=not scripted, setter_sees=setters is not None) as worlds,
    ):
        solvers = _solvers(config, folder, slots)
        played = play(
            config.world.entry(), worlds, plans, solvers,
            setter_name="scripted", solver_name=folder, guard=guard(failures.note, config.step_limit_sec),
            setters=setters,
        )  # fmt: skip
        with summarised(solvers):
            for episode in played:
                failures.whole += FAILURE not in episode.notes
                yield episode
        yield from failures.unplayed


def _plans(
    config: EvaluateConfig, probe: str, scripted_solver: str | None, setters: AgentSetters | None
) -> Generator[Plan, None, None]:
    if setters is None:
        return probe_plans(config, probe, scripted_solver)
    solver = None if scripted_solver is None else _scripted_solver(config, scripted_solver)
    return learned_plans(config, setters.prompted, solver)


def _solvers(config: EvaluateConfig, folder: str, slots: int) -> Solvers:
    if folder in _NO_FOLDER:
        return ScriptedSolvers(slots)
    name = next((name for name, other in config.agents.items() if other == folder), Path(folder).name)
    calls = calls_file(config.out.with_suffix(""), name)
    return open_solvers(
        config.world, folder, slots, calls, config.device, config.seed, config.greedy, config.greedy_words
    )


def probe_plans(config: EvaluateConfig, probe: str, scripted_solver: str | None = None) -> Generator[Plan, None, None]:
    """Yield plans of ``config.episodes`` episodes in new houses in which ``probe`` is feasible.

    They depend only on the seed, so all agents play the same ones.

    Args:
      probe: name of a probe task or game.
      scripted_solver: "scripted", "perfect" or "random" to plan with that solver; None leaves it to the agent.
    """
    with config.world.opened(1, images=False) as (scout,):
        yield from _feasible(config, probe, scout, scripted_solver)


def _probe_in(config: EvaluateConfig, probe: str, scout: World, seed: int, place: Mapping[str, Any]) -> TaskSpec | None:
    """Return the task of ``probe`` in a place; None if it is not feasible there."""
    scout.reset(seed=seed, options={"config": dict(place)})
    return config.world.entry().probe(probe, scout, seed, config.split)


def _feasible(config: EvaluateConfig, probe: str, scout: World, scripted_solver: str | None) -> Iterator[Plan]:
    entry = config.world.entry()
    found, failed, seed = 0, 0, probe_seed(config.seed)
    step_limit = limit_unless_debugging(config.step_limit_sec)
    limit = seed + 200 * config.episodes
    while found < config.episodes:
        tried = seed - probe_seed(config.seed)
        if seed >= limit or (tried == _TRIED and not found):
            raise UserError(_infeasible(config, probe, found, tried))
        place = config.world.sample_config(seed)
        try:
            doing, ask = f"the place of seed {seed}", partial(_probe_in, config, probe, scout, seed, place)
            with named_failure(entry.name, doing):
                spec = call_within(step_limit, entry.name, doing, ask)
        except WorldError as error:
            failed += 1
            if failed >= LEAST and not found:
                raise
            announce(f"{error}; another place is played instead")
            spec = None
        if spec is not None:
            solver = None if scripted_solver is None else _scripted_solver(config, scripted_solver)
            yield Plan(
                episode_id=f"{probe}-{seed}", config=place, setter=_asking(entry, spec), seed=seed,
                steps=spec.max_steps, split=config.split, tail=0, solver=solver,
            )  # fmt: skip
            found += 1
        seed += 1


def _asking(entry: WorldEntry, spec: TaskSpec) -> Setter:
    """Return a setter that makes one request."""
    own = entry.make_probe_setter
    return ProbeSetter(spec, entry.make_task(spec)) if own is None else own(spec)


def _infeasible(config: EvaluateConfig, probe: str, found: int, tried: int) -> str:
    requests = requests_of(config.split, config.world.entry())
    return (
        f"{probe} has {requests} in {found} of {tried:,} places: change world.settings or --split, or "
        "leave it out of --probes"
    )


def _scripted_solver(config: EvaluateConfig, name: str) -> Solver:
    """Return a new solver that is no agent, by its name."""
    if name == RANDOM:
        return RandomSolver()
    return config.world.entry().make_solver(**config.players.demonstrator_settings(name))
