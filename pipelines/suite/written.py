"""Test suites of written scenarios: a world poses them, scripted players play up to the request, agents continue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipelines.stages.settings.play_settings import PlaySettings, note_settings
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from pipelines.suite.request_kinds import INSTRUCTION, QUESTION
from pipelines.suite.scenarios import Scenario, context_of
from rlhf.records.episode import Episode
from rlhf.replay.play import Plan, ScriptedSolvers, play
from rlhf.run.progress import announce, progress
from rlhf.store import ParquetStore, open_store
from worlds.contract.written_scenarios import Collection, PosedScenario
from worlds.errors import UserError
from worlds.registry import WorldEntry

NOTE = "written"  # key of the collection, number and step of the request in an episode's notes
PRELUDE = 170  # steps in which the request has been made, at most
TRIES = 6  # places in which a request is posed before it is given up
KINDS = {"instruction": INSTRUCTION, "question": QUESTION}


@dataclass(frozen=True)
class WrittenConfig:
    """Settings of recorded contexts of written scenarios.

    Args:
      collection: name of the scenarios, e.g. appendix-b; None draws them from recorded play.
      contexts: number of places in which each scenario is posed.
      world: the world and the size of its images.
    """

    collection: str | None = None
    contexts: int = 1
    world: WorldConfig = field(default_factory=WorldConfig)


@dataclass(frozen=True)
class _Wanted:
    """One context of a scenario."""

    number: int
    context: int


def collection_of(entry: WorldEntry, name: str) -> Collection:
    """Return the written scenarios of a world by name. Raises UserError if there are none of that name."""
    if name not in entry.scenarios:
        known = ", ".join(entry.scenarios) or "none"
        raise UserError(f"collection: world {entry.name} has no scenarios named {name!r}; known: {known}")
    return entry.scenarios[name]()


def record_contexts(
    written: WrittenConfig, data: Path, steps: int, longest: int, seed: int
) -> tuple[ParquetStore, list[Scenario]]:
    """Record the missing contexts into a dataset, and return it with the scenarios of all.

    Args:
      longest: number of steps of an episode, at most.
    """
    world, name = written.world.complete(), written.collection
    assert name is not None
    collection = collection_of(world.entry(), name)
    store = open_store(data, create=True)
    left = [_Wanted(number, context) for number in collection.numbers for context in range(written.contexts)]
    count, found = len(left), list[Scenario]()
    with world.opened(1) as worlds:
        for attempt in range(TRIES):
            played = _contexts(written, world, collection, left, (attempt, seed), steps, store, worlds)
            again = []
            for wanted, episode in progress(played, len(left), f"posing {name}, place {attempt + 1} of each"):
                scenario = None if episode is None else _scenario(wanted, episode, longest, written.contexts)
                if scenario is None:
                    again.append(wanted)
                else:
                    found.append(scenario)
            left = again
            if not left:
                break
    if found:
        note_settings(store, PlaySettings(world, PlayersConfig().complete()))
    _announce(collection, name, count, left)
    return store, sorted(found, key=lambda one: one.name)


def _contexts(
    written: WrittenConfig,
    world: WorldConfig,
    collection: Collection,
    wanted: Sequence[_Wanted],
    seeds: tuple[int, int],
    steps: int,
    store: ParquetStore,
    worlds: Sequence,
) -> Iterator[tuple[_Wanted, Episode | None]]:
    """Yield the recorded episode of each context; None where the request could not be made."""
    attempt, seed = seeds
    known = set(store.ids())
    for one in wanted:
        place = (seed * TRIES + attempt) * written.contexts + one.context
        episode_id = f"{written.collection}-{one.number:03d}-{place:05d}"
        if episode_id in known:
            yield one, store.read(episode_id)
            continue
        posed = collection.pose(one.number, place)
        episode = None if posed is None else _play(posed, world, episode_id, place, steps, worlds, written)
        if episode is not None:
            store.write(episode)
        yield one, episode


def _play(
    posed: PosedScenario, world: WorldConfig, episode_id: str, seed: int, steps: int, worlds: Sequence,
    written: WrittenConfig,
) -> Episode | None:  # fmt: skip
    entry = world.entry()
    plan = Plan(
        episode_id=episode_id,
        config=posed.config,
        setter=posed.setter,
        seed=seed,
        steps=PRELUDE + steps,
        split="held_out",
        solver=entry.make_solver(perfect=True),
        notes=world.note(),
    )
    (episode,) = play(entry, worlds, [plan], ScriptedSolvers(1), threads=1)
    if posed.setter.asked is None:
        return None
    note = {"collection": written.collection, "number": posed.number, "step": posed.setter.asked, "kind": posed.kind}
    return replace(episode, notes={**episode.notes, NOTE: {**note, "steps": steps}})


def _scenario(wanted: _Wanted, episode: Episode, longest: int, contexts: int) -> Scenario | None:
    note = episode.notes[NOTE]
    asked = int(note["step"])
    own = next((request.task.max_steps for request in episode.requests if request.step == asked), 0)
    step, limit = asked + 1, max(int(note["steps"]), own)
    if step + limit > longest:
        return None
    return Scenario(
        name=f"{wanted.number:03d}" + (f"-{wanted.context}" if contexts > 1 else ""),
        episode=episode.episode_id,
        request_step=asked,
        step=step,
        limit=limit,
        kind=KINDS[note["kind"]],
        words=episode.setter_utterance[asked],
        solver=episode.solver,
        co_piloted=False,
        recorded=len(episode) - step,
        context=context_of(episode, step),
    )


def _announce(collection: Collection, name: str, count: int, left: Sequence[_Wanted]) -> None:
    for number, reason in collection.left_out.items():
        announce(f"{name} {number} cannot be posed: {reason}")
    if left:
        numbers = ", ".join(str(one.number) for one in left)
        announce(f"{len(left)} of {count} contexts could not be posed in {TRIES} places each: {name} {numbers}")
