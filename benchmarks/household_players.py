"""Planners of the household: success and steps by activity, speed, helpers, and demonstrations an hour.

    python -m benchmarks.household_players

Alice alone plays tasks of each predicate set in the apartments of training, within 250 steps; beside her mean steps
stand those that Watch-And-Help published for the same activities, in apartments of its own. Then helpers play the tasks
of test 1 in the held-out apartments together with her. A step's time is processor time of the planner alone; the rest
of a step is the world's. Last, demonstrations are played by several processes, in wall-clock time.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

from benchmarks.timing import options
from experiments.watch_and_help.benchmark import DEMONSTRATIONS, demonstration, task
from experiments.watch_and_help.demonstrations import Demonstration, demonstrate, play
from worlds.household.homes.placing import place
from worlds.household.navigation.ways import Ways
from worlds.household.players.acting import PlanningPlayer, Player
from worlds.household.players.helpers import make_helper
from worlds.household.players.planner import Decision, Intent
from worlds.household.players.settings import PlannerSettings
from worlds.household.state.home import State
from worlds.household.tasks.progress import GoalCheck
from worlds.household.tasks.sampling import sample
from worlds.household.tasks.sets import NAMES

# Watch-And-Help: mean steps of Alice alone; success and speedup of both persons, over five seeds. Published speedups
# are clipped at 0, and 0 for failures; those that are printed here are the paper's, alone / helped - 1.
PUBLISHED_STEPS = {"setup_table": 130, "put_fridge": 124, "prepare_food": 115, "put_dishwasher": 118, "read_book": 150}
PUBLISHED_HELP = {"random": (0.922, 0.212), "random_goal": (0.685, 0.250), "planner": (0.911, 0.612)}
PUBLISHED_HELP["true_goal"] = (0.973, 0.766)


class Timed:
    """A player whose processor time is measured.

    Attributes:
      seconds: of each of its steps.
    """

    def __init__(self, player: Player) -> None:
        self._player, self.seconds = player, []

    def act(self, state: State, reason: str, intent: Intent | None = None) -> Decision:
        start = time.thread_time()
        decision = self._player.act(state, reason, intent)
        self.seconds.append(time.thread_time() - start)
        return decision

    def intent(self, state: State) -> Intent:
        return self._player.intent(state)


def together(
    config: Mapping[str, Any], goal: Mapping[str, int], seed: int, helper: str, settings: PlannerSettings
) -> tuple[Demonstration, Timed, Timed | None]:
    """Return how Alice and a helper play a task; the helper "" is nobody."""
    home, state = place(config)
    alice = Timed(PlanningPlayer(home, home.persons[0], goal, seed, settings))
    bob = Timed(make_helper(helper, home, goal, seed + 1, settings)) if helper else None
    check = GoalCheck(home, goal, home.persons[0])
    return play(home, state, Ways(home, state), check, alice, bob, seed), alice, bob


def report_alone(tasks: int, settings: PlannerSettings) -> None:
    """Print success, steps and speed of Alice alone."""
    print(f"\nAlice alone, {tasks} tasks of each set")
    seconds, successes = [], []
    for name in NAMES:
        steps = []
        for seed in range(tasks):
            config = sample(seed, tasks=(name,))
            played, alice, _ = together(config, config["task"]["goal"], seed, "", settings)
            steps.append(played.steps)
            successes.append(played.success)
            seconds += alice.seconds
        error = np.std(steps) / len(steps) ** 0.5
        success = np.mean(successes[-tasks:])
        print(
            f"  {name:15} {success:6.1%} succeed, {np.mean(steps):6.1f} +- {error:.1f} steps"
            f" (published {PUBLISHED_STEPS[name]})"
        )
    print(f"  all             {np.mean(successes):6.1%} succeed; asked: 95%")
    mean, slow = np.mean(seconds) * 1e3, np.percentile(seconds, 99) * 1e3
    print(f"  {mean:.2f} ms a step, the slowest 1% above {slow:.1f}; asked: 5")


def report_help(tasks: int, settings: PlannerSettings) -> None:
    """Print success, speedup and speed of helpers."""
    print(f"\nAlice and a helper, {tasks} tasks of test 1 in the held-out apartments")
    chosen = [task("test_1", number * 100 // tasks) for number in range(tasks)]
    alone = [together(each.help, each.goal, 1, "", settings)[0].steps for each in chosen]
    print(f"  {'alone':12} {np.mean(alone):6.1f} steps")
    for helper, (success, speedup) in PUBLISHED_HELP.items():
        played = [together(each.help, each.goal, 1, helper, settings) for each in chosen]
        steps, succeeded = [one.steps for one, _, _ in played], np.array([one.success for one, _, _ in played])
        gained = np.divide(alone, steps) - 1
        seconds = np.concatenate([bob.seconds for _, _, bob in played if bob])
        print(
            f"  {helper:12} {np.mean(steps):6.1f} steps, {succeeded.mean():6.1%} succeed (published {success:.1%}),"
            f" speedup {gained.mean():.2f} (published, clipped, {speedup:.2f}); {seconds.mean() * 1e3:.2f} ms a step"
        )


def demonstrated(number: int) -> tuple[bool, float]:
    """Return whether a demonstration succeeded, and the processor seconds that it took."""
    start = time.process_time()
    played = demonstrate(demonstration("train", number), number)
    return played.success, time.process_time() - start


def report_demonstrations(number: int, processes: int) -> None:
    """Print how fast demonstrations are played."""
    with ProcessPoolExecutor(processes) as pool:
        list(pool.map(demonstrated, range(processes * 7), chunksize=7))  # compiles, and builds the apartments
        start = time.perf_counter()
        played = list(pool.map(demonstrated, range(number), chunksize=8))
        rate = number / (time.perf_counter() - start)
    share, busy = (float(np.mean(column)) for column in zip(*played, strict=True))
    total = DEMONSTRATIONS["train"]
    minutes, busy_minutes = total / rate / 60, total * busy / processes / 60
    print(f"\n{number} demonstrations by {processes} processes, with their places")
    print(f"  {share:6.1%} succeed; {rate:.1f} a second of wall-clock time: {minutes:.1f} minutes for {total:,}")
    print(f"  {busy * 1e3:.0f} ms of processor time each: {busy_minutes:.1f} minutes on as many free cores; asked: 30")


def main() -> None:
    """Run all parts."""
    arguments = options(
        __doc__,
        tasks=(100, "of each predicate set"),
        helped=(100, "tasks of each helper, at most 100"),
        demonstrations=200,
        processes=2,
        prior=("uniform", "", {"choices": ("uniform", "reference")}),
    )
    settings = PlannerSettings(prior=arguments.prior)
    report_alone(arguments.tasks, settings)
    if arguments.helped:
        report_help(arguments.helped, settings)
    if arguments.demonstrations:
        report_demonstrations(arguments.demonstrations, arguments.processes)


if __name__ == "__main__":
    main()
