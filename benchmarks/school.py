"""Steps a second of the school: its environments, the world, and recording in it; and what its demonstrator solves.

    python -m benchmarks.school

An agent moves at random: left, right, forward or toggle, no sooner done. Rates are per core: steps per second of
processor time of one process, resets included, one observation a step; the median of rounds, the slowest in brackets.
Recorded episodes are written to disk as `rlhf record` writes them, with the scripted setter. `--demonstrations` counts
the episodes that the perfect demonstrator solves, places in turn of all problems.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.timing import options
from rlhf.replay.play import Plan, ScriptedSolvers, play
from rlhf.run.statistics import wilson_interval
from rlhf.store import open_store
from rlhf.store.group_writer import GroupWriter
from worlds import registry
from worlds.contract import SETTER, SOLVER
from worlds.school.environments.environment import NOTHING, SchoolEnv
from worlds.school.parameters.branches import FULL
from worlds.school.parameters.tree import narrow
from worlds.school.parameters.tree import sample as sample_tree
from worlds.school.problems.problem import DONE
from worlds.school.sampling import sample
from worlds.school.tasks import NAMES, task_name
from worlds.school.world import SchoolWorld

TYPES = ("Information_seeking", "AppleStealing", "Collaboration")
TARGET, TARGET_RECORDED = 8_000, 5_000  # steps a second and core
ENTRY = registry.get("school")


class RandomMover:
    """A solver that moves at random."""

    def reset(self, world: Any, seed: int) -> None:
        self._moves, self._body = np.random.default_rng(seed), world.spec(SOLVER).action

    def act(self, observation: Any) -> Any:
        action = self._body.silent()
        action["movement"][:] = self._moves.integers(DONE)
        return action


def environment(kind: str, steps: int, seed: int) -> float:
    """Return the steps a second of an environment of one type, parameters drawn from the whole tree."""
    tree = narrow(FULL, {"Env_type": kind})
    env = SchoolEnv(lambda rng: sample_tree(tree, rng))
    moves = np.full((steps, 3), NOTHING)
    moves[:, 0] = np.random.default_rng(seed).integers(DONE, size=steps)
    env.reset(seed=seed)
    began = time.process_time()
    for move in moves:
        _, _, terminated, truncated, _ = env.step(move)
        if terminated or truncated:
            env.reset()
    return steps / (time.process_time() - began)


def world(steps: int, seed: int) -> float:
    """Return the steps a second of the world, which checks actions and observes for both players."""
    place = SchoolWorld()
    mover, played, number = RandomMover(), 0, seed * 1000
    began = time.process_time()
    while played < steps:
        place.reset(options={"config": sample(number)})
        mover.reset(place, number)
        number += 1
        while place.agents:
            place.step({SOLVER: mover.act({})})
            played += 1
    return played / (time.process_time() - began)


def recorded(steps: int, seed: int) -> float:
    """Return the steps a second of episodes that are played and written to a dataset."""
    tasks = dict.fromkeys(NAMES, 1.0)

    def plans() -> Iterator[Plan]:
        for number in range(seed * 1000, seed * 1000 + steps // 80 + 1):
            setter = ENTRY.make_setter(tasks=tasks)
            yield Plan(f"school-{number}", sample(number), setter, number, 80, solver=RandomMover())

    played = 0
    with tempfile.TemporaryDirectory(dir=".") as made:
        store = open_store(Path(made) / "data", create=True)
        began = time.process_time()
        with GroupWriter(store.write_group) as writer:
            for episode in play(ENTRY, [SchoolWorld()], plans(), ScriptedSolvers(1), threads=1):
                writer.add(episode)
                played += len(episode)
        return played / (time.process_time() - began)


def demonstrated(episodes: int) -> dict[str, tuple[int, int]]:
    """Return how many episodes of each task the perfect demonstrator solves, and how many there were."""
    found: dict[str, tuple[int, int]] = dict.fromkeys(NAMES, (0, 0))
    place: Any = SchoolWorld()
    for number in range(episodes * len(NAMES)):
        config = sample(number)
        seen, _ = place.reset(options={"config": config})
        setter, solver = ENTRY.make_setter(tasks=dict.fromkeys(NAMES, 1.0)), ENTRY.make_solver(perfect=True)
        setter.reset(place, number)
        solver.reset(place, number + 1)
        while place.agents:
            seen, *_ = place.step({SETTER: setter.act(seen[SETTER]), SOLVER: solver.act(seen[SOLVER])})
        name = task_name(config["parameters"])
        solved, tried = found[name]
        found[name] = solved + place.state.problem.success, tried + 1
    return found


def report(steps: int, rounds: int) -> None:
    """Print the rates."""
    print(f"{rounds} rounds of {steps:,} steps each; targets {TARGET:,}, recorded {TARGET_RECORDED:,}")
    measured: dict[str, Callable[[int, int], float]] = {
        **{f"environment {kind}": lambda n, seed, kind=kind: environment(kind, n, seed) for kind in TYPES},
        "world, both players observed": world,
        "recorded": recorded,
    }
    for name, measure in measured.items():
        measure(500, 99)  # compiles
        rates = [measure(steps, seed) for seed in range(rounds)]
        print(f"  {median(rates):8,.0f} ({min(rates):,.0f}) steps/s and core: {name}")


def report_demonstrations(episodes: int) -> None:
    """Print what the demonstrator solves."""
    for name, (solved, tried) in demonstrated(episodes).items():
        bounds = wilson_interval(solved, tried)
        print(f"  {name:<18} {solved:5} of {tried} ({100 * bounds.low:.1f} to {100 * bounds.high:.1f}%)")


def main() -> None:
    chosen = options(
        __doc__,
        steps=(20_000, "of a round"),
        rounds=(5, "of each measurement"),
        demonstrations=(0, "episodes of each task instead of rates"),
    )
    if chosen.demonstrations:
        report_demonstrations(chosen.demonstrations)
    else:
        report(chosen.steps, chosen.rounds)


if __name__ == "__main__":
    main()
