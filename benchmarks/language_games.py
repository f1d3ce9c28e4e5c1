"""How often the perfect scripted solver does what each language game asks for, in houses that it has not been tuned to.

    python -m benchmarks.language_games --houses 100

prints a Markdown table and writes it between the markers of docs/play.md. With --game NAME it plays one game only and
names the seeds that failed.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, field
from typing import Any

from worlds.contract import SETTER, SOLVER, TaskSpec
from worlds.playhouse.games.registry import games
from worlds.playhouse.players.setter import ScriptedSetter
from worlds.playhouse.players.solver import ScriptedSolver
from worlds.playhouse.world import Playhouse

FIRST_SEED = 900_000
SETTINGS = {"rooms": (1, 3)}


@dataclass
class Played:
    """Outcomes of one game."""

    asked: int = 0
    fulfilled: int = 0
    nothing: int = 0  # houses in which it could not be asked
    steps: list[int] = field(default_factory=list)
    failed: list[tuple[int, TaskSpec, list[str]]] = field(default_factory=list)


def play(world: Playhouse, name: str, seed: int, played: Played) -> None:
    """Ask once and let the perfect solver act until it has succeeded or its time is over."""
    observations, _ = world.reset(seed=seed)
    setter = ScriptedSetter(tasks=(name,), follow_up=False, first_request=(0, 0))
    solver = ScriptedSolver.perfect()
    setter.reset(world, seed)
    solver.reset(world, seed)
    reasons: list[str] = []
    for step in range(2000):
        actions = {SETTER: setter.act(observations[SETTER]), SOLVER: solver.act(observations[SOLVER])}
        if not setter.requests:
            played.nothing += 1
            return
        observations, *_ = world.step(actions)
        assert setter.task is not None
        done, events = setter.task.update(world, actions[SOLVER]["utterance"])
        reasons += [f"{world.step_index}: {'+' if event.sign > 0 else '-'} {event.reason}" for event in events]
        spec = setter.requests[-1][1]
        if done or setter.task.over or step >= spec.max_steps:
            break
    played.asked += 1
    played.fulfilled += done
    if done:
        played.steps.append(world.step_index)
    else:
        played.failed.append((seed, spec, reasons))


def row(name: str, played: Played) -> str:
    """A row of the table."""
    share = f"{played.fulfilled / played.asked:.0%}" if played.asked else "-"
    typical = f"{sorted(played.steps)[len(played.steps) // 2]}" if played.steps else "-"
    return f"| {name} | {played.asked} | {share} | {typical} |"


def main() -> None:
    """Play, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--houses", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--game", action="append")
    parser.add_argument("--hands", default="full")
    parser.add_argument("--settings", type=json.loads, default=SETTINGS, help="of houses, as JSON")
    arguments = parser.parse_args()
    settings: dict[str, Any] = arguments.settings
    world = Playhouse(height=6, width=8, views=(), settings=settings, hands=arguments.hands)
    names = arguments.game or [g.name for g in games().values() if g.kind == "instruction"]
    print("| game | requests | fulfilled | steps (median) |\n|---|---:|---:|---:|")
    for name in names:
        played, began = Played(), time.perf_counter()
        for seed in range(arguments.first_seed, arguments.first_seed + arguments.houses):
            play(world, name, seed, played)
        print(row(name, played), f"{time.perf_counter() - began:.1f} s", flush=True)
        for seed, spec, reasons in played.failed if arguments.game else ():
            print("  failed:", seed, repr(spec.instruction), spec.max_steps, reasons)


if __name__ == "__main__":
    main()
