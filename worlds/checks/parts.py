"""The parts of ``rlhf world check NAME``: every promise of the contract, tried in a few places.

Shorter than ``tests/contracts`` and without pytest, for worlds outside this project. A world that breaks
the promises of ``replay`` can be played all the same, but in fewer ways (:mod:`worlds.checks.report`).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from worlds.checks.problems import (
    PLAYERS,
    DeclaresBounds,
    Problem,
    action_problems,
    all_silent,
    bound_problems,
    entry_problems,
    reset_problems,
    space_problems,
    step_problems,
)
from worlds.contract import SETTER, SOLVER, TaskSpec, TickWise, World, WorldError
from worlds.contract.random_play import Observed, fitted, play_from, play_on, random_actions
from worlds.errors import UserError, described, shows_tracebacks
from worlds.foreign_code import witness
from worlds.foreign_code.faults import FOREIGN, OutOfTime, time_limit
from worlds.registry import WorldEntry
from worlds.spaces.action import FreeText
from worlds.spaces.random_action import words_of

SCRIPTED_STEPS = 60  # of scripted play in one place
PLACES = 20  # in which a probe is looked for
PLACES_OF_GAMES = 3  # in which a game is: it may need places with other settings
PART_SEC = 60.0  # time limit of one part
BOUNDS = "declared bounds"  # the part that compares observations with what an environment itself declares
NO_ANSWER = "no answer"  # how the problem of a part begins that ended by its time limit
SPLITS = ("train", "held_out")


@dataclass(frozen=True)
class Finding:
    """Result of one part of a check.

    Args:
      part: e.g. "replay".
      offered: False if the world lacks this optional part.
    """

    part: str
    problems: tuple[Problem, ...]
    offered: bool = True


def check_parts(entry: WorldEntry) -> Iterator[Finding]:
    """Yield the finding of every part, in order; a basic part that fails is the last."""
    for part, check, is_basic in (
        ("spaces", _spaces, True),
        ("reset and step", _reset_and_step, True),
        (BOUNDS, _declared_bounds, False),
        ("places", _places, True),
        ("reset by seed", _reset_by_seed, False),
        ("replay", _replay, False),
        ("words", _words, False),
        ("refusals", _refusals, False),
        ("snapshot", _snapshot, False),
        ("ticks", _ticks, False),
        ("probes", _probes, False),
        ("scripted players", _scripted_players, False),
    ):
        finding = checked_part(part, check, entry)
        yield finding
        if is_basic and finding.problems:
            return


def checked_part(part: str, check: Callable[[WorldEntry], list[Problem] | None], entry: WorldEntry) -> Finding:
    """Return the finding of one part; an error, or no end within a minute, is a problem."""
    witness.begin(entry.name, f"the part {part!r} of the check")
    try:
        with time_limit(PART_SEC):
            problems = check(entry)
    except OutOfTime:
        wanted = "an answer; it may wait for ever, or the machine is busy"
        return Finding(part, (Problem(part, f"{NO_ANSWER} within {PART_SEC:.0f} s", wanted),))
    except FOREIGN as error:
        if shows_tracebacks():
            raise
        if isinstance(error, UserError):
            return Finding(part, (Problem(part, str(error), "no failure"),))
        return Finding(part, (Problem(part, f"raises {described(error)}", "no error; RLHF_DEBUG=1 shows where"),))
    finally:
        witness.end()
    return Finding(part, tuple(problems or ()), offered=problems is not None)


def _spaces(entry: WorldEntry) -> list[Problem]:
    """The declared spaces, with the default image and with the size and the views that pipelines ask for."""
    world = entry.make()
    problems = space_problems(world) or entry_problems(entry, world)
    for call in (world.observation_space, world.action_space) if not problems else ():
        if call(SOLVER) is not call(SOLVER):
            problems.append(Problem(call.__name__, "another object at every call", "the same object at every call"))
    return problems or space_problems(entry.make(height=24, width=32, views=(SOLVER,)), 24, 32)


def _reset_and_step(entry: WorldEntry) -> list[Problem]:
    world = entry.make()
    problems = reset_problems(world, world.reset(seed=0))
    for step in range(3):
        if world.agents and not problems:
            problems += step_problems(world, world.step(all_silent(world)), step)
    return problems


def _declared_bounds(entry: WorldEntry) -> list[Problem] | None:
    """Observations are of the type and within the bounds that an environment declares; None for worlds of ours.

    Play reads what differs all the same, as long as nothing of it is lost.
    """
    world = entry.make()
    if not isinstance(world, DeclaresBounds):
        return None
    world.reset(options={"config": entry.sample_config(0)})
    for action in [None, *random_actions(world, 0)]:
        if action is not None and world.agents:
            world.step(fitted(world, action, None))
        if problems := bound_problems(world):
            return problems
    return []


def _places(entry: WorldEntry) -> list[Problem]:
    """The same seed gives the same place, and a place survives JSON."""
    problems = []
    one, again, other = (entry.sample_config(seed) for seed in (5, 5, 6))
    if one != again:
        problems.append(Problem("sample_config", "two places from seed 5", "the same place from the same seed"))
    if one == other:
        problems.append(Problem("sample_config", "the same place from seeds 5 and 6", "places that differ"))
    world, text = entry.make(), json.dumps(one)
    world.reset(options={"config": json.loads(text)})
    world.step(all_silent(world))
    if json.loads(json.dumps(world.config)) != json.loads(text):
        problems.append(Problem("config", "another after reset and step", "the configuration that was given to reset"))
    world.reset(seed=5)
    first = json.dumps(world.config)
    world.reset(seed=5)
    if json.dumps(world.config) != first:
        problems.append(Problem("reset", "two places from seed 5", "the same place from the same seed"))
    return problems


def _reset_by_seed(entry: WorldEntry) -> list[Problem]:
    """Two resets to one place begin with the same observations, whatever was played between them."""
    config, world = entry.sample_config(7), entry.make(views=PLAYERS)
    first = copy.deepcopy(world.reset(options={"config": config})[0])
    play_on(world, random_actions(world, 3))
    again = world.reset(options={"config": config})[0]
    return _differences("two resets to one place", [first], [again], "the same bits")


def _replay(entry: WorldEntry) -> list[Problem]:
    """The same actions give the same bits, in a fresh world and in one that has played."""
    config, world = entry.sample_config(7), entry.make(views=PLAYERS)
    actions = random_actions(world, 0)
    first = play_from(world, config, actions)
    kept = copy.deepcopy(first)
    world.reset(seed=11)
    play_on(world, random_actions(world, 1))
    problems = _differences("observations returned earlier", kept, first, "arrays that later steps leave as they are")
    problems += _differences("replay in the same world", kept, play_from(world, config, actions), "the same bits")
    problems += _differences(
        "replay in a fresh world", kept, play_from(entry.make(views=PLAYERS), config, actions), "the same bits"
    )
    what = [name for name in kept[0][SOLVER] if not name.startswith("previous_") and not name.endswith("_text")]
    if not any(_changes(kept, name) for name in what):
        found = f"the same at all of {len(kept) - 1} steps of random movement"
        name = "image" if what == ["image"] else "observation"
        wanted = "a picture that changes when the solver moves" if name == "image" else "one that changes with play"
        problems.append(Problem(f"solver's {name}", found, wanted))
    return problems


def _changes(seen: Sequence[Observed], name: str) -> bool:
    first: Any = seen[0][SOLVER]
    return any(not np.array_equal(first[name], there[SOLVER][name]) for there in seen)  # type: ignore[literal-required]


def _words(entry: WorldEntry) -> list[Problem]:
    """An utterance is heard by both from the next step on, until the next utterance."""
    world = entry.make()
    world.reset(seed=0)
    said: Any = all_silent(world)
    for player in PLAYERS:
        said[player]["utterance"] = words_of(world.spec(player).action.speech, f"hello from the {player}")
    problems = []
    for step, actions in enumerate((said, all_silent(world))):
        observations = world.step(actions)[0]
        for player in PLAYERS:
            heard = tuple(observations[player][f"{speaker}_text"] for speaker in PLAYERS)
            if heard != tuple(said[speaker]["utterance"] for speaker in PLAYERS):
                wanted = "the last utterance of each, from the next step on and until its next one"
                problems.append(Problem(f"texts that the {player} hears after step {step}", repr(heard), wanted))
    speech = world.spec(SETTER).action.speech
    if not isinstance(speech, FreeText) or not world.agents:
        return problems
    most = speech.most_chars
    long, actions = "x" * (most + 5), all_silent(world)
    actions[SETTER]["utterance"] = long
    heard = world.step(actions)[0][SOLVER]["setter_text"]
    if heard != long[:most]:
        where, wanted = f"an utterance of {len(long)} characters", f"the first {most}"
        problems.append(Problem(where, f"{len(heard)} are heard", wanted))
    return problems


def _refusals(entry: WorldEntry) -> list[Problem]:
    """A WorldError refuses what is no place and no action, so that damaged recordings are not played."""
    world = entry.make()
    world.reset(seed=0)
    wrong: Any = world.spec(SOLVER).action.silent()
    wrong["movement"][:] = -1
    for values in (wrong["continuous"],) if "continuous" in wrong else ():
        values[:] = np.nan
    tried: list[tuple[str, Callable[[], Any]]] = [
        ("config {}", lambda: entry.make().reset(options={"config": {}})),
        ("config 'house'", lambda: entry.make().reset(options={"config": "house"})),
        ("movement bins of -1", lambda: world.step({SOLVER: wrong})),
    ]
    problems = []
    for what, call in tried:
        try:
            call()
        except WorldError:
            continue
        except FOREIGN as error:
            problems.append(Problem(what, described(error), "WorldError with one line for the user"))
        else:
            problems.append(Problem(what, "accepted", "WorldError with one line for the user"))
    return problems


def _snapshot(entry: WorldEntry) -> list[Problem] | None:
    """A restored snapshot continues as the world did, in this world and in another; None where there are none."""
    world, other = entry.make(), entry.make()
    world.reset(options={"config": entry.sample_config(8)})
    actions = random_actions(world, 2)
    before = max(1, len(play_on(world, actions[: len(actions) // 2])) // 2)
    world.reset(options={"config": entry.sample_config(8)})
    play_on(world, actions[:before])
    try:
        here = world.snapshot()
    except (NotImplementedError, AttributeError):
        return None
    rest = actions[before:]
    future = play_on(world, rest)
    other.reset(seed=1)
    problems = []
    for where, restored in (("the same world", world), ("another world", other)):
        restored.restore(here)
        again = play_on(restored, rest)
        problems += _differences(f"play after restore in {where}", future, again, "the same bits")
    return None if problems and isinstance(world, DeclaresBounds) else problems  # nobody wrote a foreign one's snapshot


def _ticks(entry: WorldEntry) -> list[Problem] | None:
    """A step in parts ends as the whole step does; None where the world plays whole steps only."""
    world, config = entry.make(), entry.sample_config(9)
    if not isinstance(world, TickWise):
        return None
    actions = [fitted(world, action, None) for action in random_actions(world, 3)]
    ticks = world.spec(SOLVER).action.ticks
    whole = play_from(entry.make(), config, actions)
    parts: list[Observed] = [world.reset(options={"config": config})[0]]
    for action in actions[: len(whole) - 1]:
        for tick in range(ticks):
            world.play_ticks({player: action[player]["movement"][tick : tick + 1] for player in PLAYERS})
            seen = world.view(SOLVER, 40, 64)
            if seen.shape != (40, 64, 3) or seen.dtype != np.uint8:
                return [Problem("view", f"{seen.dtype} {list(seen.shape)}", "uint8 [40, 64, 3], as asked for")]
        parts.append(world.end_step({player: action[player]["utterance"] for player in PLAYERS})[0])
    return _differences("a step played tick by tick", whole, parts, "the bits of the whole step")


def _probes(entry: WorldEntry) -> list[Problem]:
    """Every probe is feasible somewhere, in both splits, and can be checked; and so is what games ask for."""
    problems = []
    if not entry.probes or len(set(entry.probes)) < len(entry.probes):
        problems.append(Problem("probes", repr(tuple(entry.probes)), "at least one name, each once"))
    world = entry.make(views=())
    for name in entry.probes:
        for split in SPLITS:
            found = _probe_problems(entry, world, name, split, PLACES)
            nothing = Problem(f"probe {name} of split {split}", f"None in {PLACES} places", "a request in some of them")
            problems += [nothing] if found is None else found
    for name in entry.games:
        for split in SPLITS:
            problems += _probe_problems(entry, world, name, split, PLACES_OF_GAMES) or []
    return problems


def _probe_problems(entry: WorldEntry, world: World, name: str, split: str, places: int) -> list[Problem] | None:
    """Return what is wrong with the first request in some places; None if nothing is asked for there."""
    for seed in range(places):
        world.reset(seed=seed, options={"config": entry.sample_config(seed)})
        spec = entry.probe(name, world, seed, split)
        if spec is None:
            continue
        where = f"probe {name} of split {split}"
        if not isinstance(spec, TaskSpec) or json.loads(json.dumps(dict(spec.arguments))) != dict(spec.arguments):
            return [Problem(where, repr(spec), "a TaskSpec whose arguments JSON keeps as they are")]
        if not spec.instruction or spec.max_steps < 1:
            found = f"{spec.instruction!r} within {spec.max_steps} steps"
            return [Problem(where, found, "an instruction and at least 1 step")]
        task = entry.make_task(spec)
        actions = all_silent(world)
        actions[SETTER]["utterance"] = spec.instruction
        world.step(actions)
        outcome = task.update(world, "")
        if not (isinstance(outcome, tuple) and len(outcome) == 2 and task.spec == spec):
            return [Problem(f"task {name}", repr(outcome), "(succeeded, events) from update, and its spec")]
        return []
    return None


def _scripted_players(entry: WorldEntry) -> list[Problem]:
    """The scripted setter asks, and both scripted players act as players can."""
    setter = entry.make_setter(tasks=dict.fromkeys(entry.probes, 1.0), split="train")
    asked = 0
    for perfect in (False, True):
        solver, world, seed = entry.make_solver(perfect=perfect), entry.make(views=()), int(perfect)
        observations = world.reset(seed=seed, options={"config": entry.sample_config(seed)})[0]
        setter.reset(world, seed)
        solver.reset(world, seed + 1)
        for step in range(SCRIPTED_STEPS):
            actions = {SOLVER: solver.act(observations[SOLVER]), SETTER: setter.act(observations[SETTER])}
            for player in PLAYERS:
                where = f"scripted {player}'s action at step {step}"
                if problems := action_problems(world, player, actions[player], where):
                    return problems
            asked += bool(actions[SETTER]["utterance"])
            observations = world.step(actions)[0]
            if setter.task is not None:
                setter.task.update(world, actions[SOLVER]["utterance"])
            if not world.agents:
                break
    if not asked:
        found = f"no request in 2 episodes of {SCRIPTED_STEPS} steps"
        return [Problem("scripted setter", found, "requests")]
    return []


def _differences(component: str, expected: Sequence[Observed], found: Sequence[Observed], wanted: str) -> list[Problem]:
    """Return the first difference between two sequences of observations, if there is one."""
    if len(expected) != len(found):
        return [Problem(component, f"the episode ends after {len(found)} steps, then after {len(expected)}", wanted)]
    for step, (one, other) in enumerate(zip(expected, found, strict=True)):
        for player in PLAYERS:
            there: Mapping[str, Any] = other[player]
            for name, value in one[player].items():
                if not np.array_equal(np.asarray(value), np.asarray(there[name])):
                    return [Problem(component, f"{name} of the {player} differs at step {step}", wanted)]
    return []
