"""`rlhf record`: play episodes into a dataset, with scripted players or with an agent as the solver."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pipelines.stages.record_config import RecordConfig
from pipelines.stages.record_failures import Failures, PlayedEpisode, check_ends, guard
from pipelines.stages.record_plans import (
    RECORDED_WITH,
    RecordingPlans,
    make_co_pilot,
    recorded_setters,
    setter_name,
    settings_fingerprint,
    solver_name,
)
from pipelines.stages.record_play import ScriptedPlay, begin_worker
from pipelines.stages.running.picture_memory import check_pictures
from pipelines.stages.settings import play_settings
from pipelines.stages.settings.play_settings import (
    PlaySettings,
    settings_of_agent,
    settings_of_dataset,
    settings_of_datasets,
)
from pipelines.stages.solvers import calls_file, open_setters, open_solvers, summarised
from rlhf.records.episode import SCRIPTED, Episode
from rlhf.replay.guard import Failure
from rlhf.replay.play import ScriptedSolvers, Solvers, play
from rlhf.run.machine import playing_processes
from rlhf.run.processes import divide
from rlhf.run.progress import announce, progress
from rlhf.store import EpisodeStore, open_store
from rlhf.store.group_writer import GroupWriter
from worlds import registry
from worlds.errors import UserError, shows_tracebacks
from worlds.foreign_code.watchdog import limit_unless_debugging

if TYPE_CHECKING:
    from agents.acting import AgentSetters

_TASKS_SHOWN = 8  # of which a recording says how many requests were fulfilled


def record(config: RecordConfig, finish: Callable[[Episode], Episode] | None = None, first: int = 0) -> list[str]:
    """Record episodes and return their ids. They are durable when this returns.

    Before, too, every episode is durable as soon as it has ended; of short ones, a group of some hundred steps at once
    (see :class:`rlhf.store.group_writer.GroupWriter`).

    Episodes that the dataset has already are left as they are, so an interrupted recording is completed by the same
    call.

    Args:
      finish: changes what is recorded of an episode that was played, such as its notes.
      first: number of the first episode; other numbers of a seed have other places.

    Raises:
      UserError: if an episode of the same id was recorded with other settings, or by another agent, or there is no
        such device.
    """
    _check_device(config.device)
    config = _resolve_config(config)
    playing = playing_processes(config.workers) if _is_scripted(config) else min(config.slots, config.episodes)
    check_pictures(*config.world.image_size, config.steps, playing)
    config.world.check(limit_unless_debugging(config.step_limit_sec))
    training, *held_out = config.parts()
    ends: list[Failure] = []
    recorded = _record(training, finish, ends, first)
    for part in held_out:
        new = "with places and requests" if _splits_requests(config) else "with places"
        announce(
            f"{part.episodes} of the {config.episodes} episodes are held out: {new} that are never trained on "
            "(--held-out sets the share)"
        )
        recorded += _record(part, finish, ends, first)
    check_ends(ends, config.episodes)
    return sorted(recorded)


def _splits_requests(config: RecordConfig) -> bool:
    """Return True if nothing that is asked for in held-out episodes is asked for in those of training.

    A learned setter, and one that acts for a goal of her own, ask for the same in both.
    """
    acts = config.players.setter_settings().get("acts", False)
    return config.world.entry().splits_requests and config.setter_agent is None and not acts


def _resolve_config(config: RecordConfig) -> RecordConfig:
    """Complete world and players: as given, else as the agent, the dataset of the setters or the dataset remembers."""
    given = PlaySettings(config.world, config.players)
    agent = play_settings.UNKNOWN if config.solver == SCRIPTED else settings_of_agent(config.solver)
    setter = play_settings.UNKNOWN if config.setter_agent is None else settings_of_agent(config.setter_agent)
    folders = [folder for folder in (config.recorded_setters, config.data) if folder is not None]
    known = given.or_else(agent).or_else(setter)
    settings = play_settings.resolve_play_settings(given, agent, setter, settings_of_datasets(folders, known))
    for who, own in ((config.solver, agent), (config.setter_agent, setter)):
        play_settings.announce_world_differences("recording", settings.world, own.world, f"{who} learned in")
    held = [one.world for one in settings_of_dataset(config.data)]
    if held and all(play_settings.world_differences(settings.world, world) for world in held):
        play_settings.announce_world_differences("recording", settings.world, held[0], f"{config.data} holds")
    return replace(config, world=settings.world, players=settings.players)


def _record(
    config: RecordConfig, finish: Callable[[Episode], Episode] | None, ends: list[Failure], first: int
) -> list[str]:
    """Record the episodes of one split and return their ids.

    Failures in which the world ended its process, or tried to, are added to ``ends``.
    """
    prompted = config.setter_agent is not None and _setters(config, 1).prompted
    plans = RecordingPlans(config, settings_fingerprint(config), recorded_setters(config), prompted, first)
    store = open_store(config.data, create=True)
    played_with = PlaySettings(config.world, config.players)
    ids = [plans.episode_id(number) for number in range(config.episodes)]
    before = set(store.ids())
    known = [episode_id for episode_id in ids if episode_id in before]
    if known:
        _check_same(store, known[0], plans.settings)
        announce(f"{len(known)} of {config.episodes} episodes are in {config.data} already")
        play_settings.note_settings(store, played_with)
    there = set(known)
    missing = [number for number in range(config.episodes) if ids[number] not in there]
    recorded, outcomes, said = [], [], 0
    failures = Failures(len(missing))

    def write(episodes: Sequence[Episode]) -> None:
        _write(store, episodes, plans.settings)
        if not known and not recorded:  # not before: settings that nothing can be played with are not remembered
            play_settings.note_settings(store, played_with)
        recorded.extend(episode.episode_id for episode in episodes)

    with GroupWriter(write) as writer:
        for episode in progress(_episodes(plans, missing, failures), len(missing), f"recording into {config.data}"):
            writer.add(episode if finish is None else finish(episode))
            outcomes.append(_outcomes(episode))
            said += sum(map(bool, episode.setter_utterance))
    failures.report(config.data)
    ends += failures.ends
    if recorded:
        announce(f"recorded {len(recorded):,} episodes into {config.data}: {_success_text(outcomes)}")
        if by_task := _success_by_task(outcomes):
            announce(f"fulfilled by task: {by_task}")
        if config.setter_agent is not None:
            read = sum(map(len, outcomes))
            announce(
                f"{config.setter_agent} spoke {said:,} times; {read:,} times it made a request that can be checked"
            )
    return known + recorded


def _write(store: EpisodeStore, episodes: Sequence[Episode], settings: str) -> None:
    """Record ``episodes``, but for those that another process, which records the same, has recorded before."""
    try:
        store.write_group(episodes)
    except UserError:
        if not any(episode.episode_id in store for episode in episodes):
            raise
        for episode in episodes:
            if episode.episode_id in store:
                _check_same(store, episode.episode_id, settings)
            else:
                _write(store, [episode], settings)


class _Outcome(NamedTuple):
    """What became of one request."""

    task: str
    fulfilled: bool


def _outcomes(episode: Episode) -> list[_Outcome]:
    """Return what became of the requests of an episode."""
    steps = zip(episode.requests, episode.success_step, strict=True)
    return [_Outcome(request.task.name, step is not None) for request, step in steps]


def _success_text(outcomes: Sequence[Sequence[_Outcome]]) -> str:
    """Share of the requests of all episodes that were fulfilled, with an interval over episodes."""
    from pipelines.stages.outcomes.headlines import share_text
    from rlhf.run.statistics import ratio_interval

    counts = np.array([[sum(each.fulfilled for each in own), len(own)] for own in outcomes])
    interval = ratio_interval(counts[:, 0], counts[:, 1], seed=0)
    if interval is None:
        return "no request was made"
    return f"{share_text(interval.estimate, interval)} of their {counts[:, 1].sum():,} requests were fulfilled"


def _success_by_task(outcomes: Sequence[Sequence[_Outcome]]) -> str:
    """Shares of the requests of each task that were fulfilled, the lowest first; empty if there is one task or none."""
    from rlhf.run.statistics import percent

    found: dict[str, list[bool]] = {}
    for task, fulfilled in (each for own in outcomes for each in own):
        found.setdefault(task, []).append(fulfilled)
    if len(found) < 2:
        return ""
    shares = sorted((sum(own) / len(own), task, len(own)) for task, own in found.items())
    texts = [f"{task} {percent(share)} of {asked:,}" for share, task, asked in shares[:_TASKS_SHOWN]]
    more = len(shares) - len(texts)
    return ", ".join([*texts, f"and {more} more tasks with no lower share"] if more else texts)


def _check_device(name: str) -> None:
    """Refuse a device that this machine lacks, before a dataset is made. Scripted play needs no PyTorch.

    Raises:
      UserError: if there is no such device.
    """
    if name != "cpu":
        from agents.computing import usable_device

        usable_device(name)


def _check_same(store: EpisodeStore, episode_id: str, settings: str) -> None:
    """Check that the episode in ``store`` was recorded with ``settings``. Raises UserError if it was not."""
    if store.read(episode_id).notes.get(RECORDED_WITH) != settings:
        raise UserError(
            f"{store} has an episode {episode_id} that was recorded with other settings, or by another agent "
            "of that name; record with another seed, into another folder, or drop those episodes"
        )


def _episodes(plans: RecordingPlans, numbers: Sequence[int], failures: Failures) -> Iterator[Episode]:
    config = plans.config
    if not numbers:
        return
    if not _is_scripted(config):
        yield from _agent_episodes(plans, numbers, failures)
    elif _in_this_process(plans):
        with closing(ScriptedPlay(plans, config.step_limit_sec)) as scripted:
            for number in numbers:
                yield from failures.noted(scripted.play(number))
    else:
        for played in _in_workers(plans, numbers):
            yield from failures.noted(played)


def _in_workers(plans: RecordingPlans, numbers: Sequence[int]) -> Iterator[PlayedEpisode]:
    """Scripted play in several processes, as Python's own work takes the time; every episode as it ends."""
    ScriptedPlay(plans).close()  # refuses wrong settings before any process starts
    module = plans.config.world.entry().make.__module__

    def saying(number: int) -> str:
        return f"playing episode {plans.episode_id(number)}"

    def died(number: int, message: str) -> PlayedEpisode:
        text = f"world {plans.config.world.world_name!r} fails: {message}"
        return PlayedEpisode(None, Failure(plans.episode_id(number), text, 0, ends_process=True))

    yield from divide(
        begin_worker, (plans, module), numbers, playing_processes(plans.config.workers), saying,
        died if registry.may_end_process(plans.config.world.world_name) else None,
    )  # fmt: skip


def _in_this_process(plans: RecordingPlans) -> bool:
    """Return True if this process plays, as workers cannot import a world that the running script defines.

    A world of someone else's, which may crash, is played in a worker even where one is enough.
    """
    processes = playing_processes(plans.config.workers)
    if processes == 1:
        return shows_tracebacks() or not registry.may_end_process(plans.config.world.world_name)
    if in_script := plans.config.world.entry().make.__module__ == "__main__":
        announce(
            f"one process plays: the world {plans.config.world.name} is defined in the script that runs; to play in "
            f"{processes} processes, move it to a module that the script imports"
        )
    return in_script


def _is_scripted(config: RecordConfig) -> bool:
    """Return True if no agent plays."""
    return config.solver == SCRIPTED and config.setter_agent is None


def _agent_episodes(plans: RecordingPlans, numbers: Sequence[int], failures: Failures) -> Iterator[Episode]:
    """Play in which an agent solves or asks, or both, in many places at once."""
    config = plans.config
    make_co_pilot(config)  # refuses unknown settings before anything is played
    slots = min(config.slots, len(numbers))
    setters = None if config.setter_agent is None else _setters(config, slots)
    planned, solvers = plans.of(numbers), _solvers(config, slots)
    if config.solver == SCRIPTED:
        make_solver = partial(config.world.entry().make_solver, **config.players.solver_settings())
        planned = (replace(plan, solver=make_solver()) for plan in planned)
    with config.world.opened(slots, setter_sees=setters is not None) as worlds, summarised(solvers):
        episodes = play(
            config.world.entry(), worlds, planned, solvers, setter_name=setter_name(config),
            solver_name=solver_name(config), guard=guard(failures.note, config.step_limit_sec), setters=setters,
        )  # fmt: skip
        yield from map(failures.counted, episodes)


def _solvers(config: RecordConfig, slots: int) -> Solvers:
    if config.solver == SCRIPTED:
        return ScriptedSolvers(slots)
    calls = calls_file(config.data, solver_name(config))
    return open_solvers(
        config.world, config.solver, slots, calls, config.device, config.seed, greedy_words=config.greedy_words
    )


def _setters(config: RecordConfig, slots: int) -> AgentSetters:
    assert config.setter_agent is not None
    return open_setters(config.world, config.setter_agent, slots, config.device, config.seed + 1)
