"""How often the scripted solver without imperfections does, or answers, what each language game asks.

    python -m benchmarks.language_games --houses 100 --write

prints a Markdown table and writes it between the markers of docs/log/measurements.md. With ``--game NAME`` it plays one
game only and names the seeds that failed. The houses are sampled from the seeds from ``--first-seed`` on. Those of the
default were not played while the solver was written; tune it on others.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.timing import options
from worlds.contract import SETTER, SOLVER, TaskSpec
from worlds.playhouse.games.registry import LanguageGame, language_games
from worlds.playhouse.players.setter import ScriptedSetter
from worlds.playhouse.players.solver import ScriptedSolver
from worlds.playhouse.world import Playhouse

FIRST_SEED = 2_000_000
PAGE = Path(__file__).resolve().parents[1] / "docs" / "log" / "measurements.md"
MARKERS = ("<!-- language games: begin -->", "<!-- language games: end -->")
HEADER = ("| game | prompt of the paper | done | steps, median |", "|---|---|---:|---:|")
KINDS = ("instruction", "question")


@dataclass
class Played:
    """Outcomes of one game."""

    asked: int = 0
    fulfilled: int = 0
    nothing: int = 0  # houses in which it cannot be asked
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


def row(game: LanguageGame, played: Played) -> str:
    """A row of the table."""
    share = f"{played.fulfilled} of {played.asked}" if played.asked else "-"
    typical = f"{sorted(played.steps)[len(played.steps) // 2]}" if played.steps else "-"
    return f"| {game.name} | {game.prompt} | {share} | {typical} |"


def main() -> None:
    """Play, print and write."""
    arguments = options(
        __doc__,
        houses=100,
        first_seed=FIRST_SEED,
        game=(
            None,
            "plays this game only, and names what failed",
            {"action": "append", "choices": tuple(language_games())},
        ),
        hands="full",
        settings=({"preset": "flat"}, "of houses, as JSON", json.loads),
        write=(False, f"put the table into {PAGE.name}"),
    )
    world = Playhouse(height=6, width=8, views=(), settings=arguments.settings, hands=arguments.hands)
    listed = [game for kind in KINDS for game in language_games().values() if game.kind == kind]
    chosen = [language_games()[name] for name in arguments.game or ()] or listed
    everything: list[Played] = []
    lines = [f"{arguments.houses} houses, `{json.dumps(arguments.settings)}`:", "", *HEADER]
    print(*lines, sep="\n")
    for game in chosen:
        played, began = Played(), time.perf_counter()
        for seed in range(arguments.first_seed, arguments.first_seed + arguments.houses):
            play(world, game.name, seed, played)
        everything.append(played)
        lines.append(row(game, played))
        print(lines[-1], f"{time.perf_counter() - began:.1f} s", flush=True)
        for seed, spec, reasons in played.failed if arguments.game else ():
            print("  failed:", seed, repr(spec.instruction), spec.max_steps, reasons)
    asked, fulfilled = sum(p.asked for p in everything), sum(p.fulfilled for p in everything)
    lines.append(f"| all | | {fulfilled} of {asked} | |")
    print(lines[-1])
    if arguments.write:
        page = PAGE.read_text(encoding="utf-8")
        before, rest = page.split(MARKERS[0])
        PAGE.write_text(
            "\n".join((before + MARKERS[0], *lines, MARKERS[1])) + rest.split(MARKERS[1])[1], encoding="utf-8"
        )


if __name__ == "__main__":
    main()
