"""How often the perfect scripted solver does what people asked for in the lines of the paper's appendix B.

    python -m benchmarks.appendix_b --houses 3 --write

prints a Markdown table by subject, with an interval over lines, and with --write puts it between the markers of
docs/appendix-b.md. With --line NUMBER it plays these lines only and says what went wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.timing import options
from rlhf.run.statistics import ratio_interval
from worlds.contract import SETTER, SOLVER, Event
from worlds.playhouse.games.registry import understand
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.players.scenario_setter import ScenarioSetter
from worlds.playhouse.players.solver import ScriptedSolver
from worlds.playhouse.scenarios.appendix_b import SUBJECTS
from worlds.playhouse.scenarios.posing import pose
from worlds.playhouse.scenarios.scenario import Scenario
from worlds.playhouse.world import Playhouse

PAGE = Path(__file__).parents[1] / "docs" / "appendix-b.md"
FIRST_SEED = 5000  # places that nothing was tried in before
PRELUDE = 200  # steps in which a request has been made, at most


@dataclass(frozen=True)
class Outcome:
    """One line in one house.

    Args:
      fulfilled: whether its check became true in time.
    """

    posed: bool
    understood: bool = False
    fulfilled: bool = False
    reasons: tuple[str, ...] = ()


def play(world: Playhouse, line: Scenario, seed: int) -> Outcome:
    """Pose a line and let the perfect solver act until it has succeeded or its time is over."""
    posed = pose(line, seed)
    if posed is None:
        return Outcome(posed=False)
    observations, _ = world.reset(seed=seed, options={"config": posed.config})
    setter, solver = ScenarioSetter(posed, asks_before=seed % 2 == 1), ScriptedSolver.perfect()
    setter.reset(world, seed)
    solver.reset(world, seed)
    events: list[Event] = []
    done, understood = False, False
    while setter.asked is None or world.step_index <= setter.asked + _limit(setter):
        actions = {SETTER: setter.act(observations[SETTER]), SOLVER: solver.act(observations[SOLVER])}
        if setter.asked == world.step_index:
            understood = understand(line.words, Situation(world)) is not None
        observations, *_ = world.step(actions)
        if setter.task is not None:
            done, found = setter.task.update(world, actions[SOLVER]["utterance"])
            events += found if setter.asked is not None else ()
        if setter.asked is None and world.step_index > PRELUDE:
            return Outcome(posed=False)
        if setter.asked is not None and (setter.task is None or setter.task.over):
            break
    reasons = tuple(f"{event.step}: {'+' if event.sign > 0 else '-'} {event.reason}" for event in events)
    return Outcome(True, understood, done, reasons)


def _limit(setter: ScenarioSetter) -> int:
    return 0 if setter.task is None else setter.task.spec.max_steps


def rows(outcomes: dict[int, list[Outcome]]) -> Iterator[str]:
    """Rows of the table: a subject each, and all of them."""
    yield "| subject | lines | understood | fulfilled |"
    yield "|---|---:|---:|---:|"
    for subject, lines in SUBJECTS.items():
        numbers = [line.number for line in lines if line.number in outcomes]
        if numbers:
            yield _row(subject.replace("_", " "), numbers, outcomes)
    yield _row("all", list(outcomes), outcomes)


def _row(name: str, lines: Sequence[int], outcomes: dict[int, list[Outcome]]) -> str:
    asked = np.array([sum(o.posed for o in outcomes[n]) for n in lines], dtype=float)
    understood = np.array([sum(o.understood for o in outcomes[n]) for n in lines], dtype=float)
    fulfilled = np.array([sum(o.fulfilled for o in outcomes[n]) for n in lines], dtype=float)
    interval = ratio_interval(fulfilled, asked, seed=0)
    share = "-" if interval is None else f"{interval.estimate:.0%} ({interval.low:.0%} to {interval.high:.0%})"
    return f"| {name} | {len(lines)} | {understood.sum() / max(asked.sum(), 1):.0%} | {share} |"


def main() -> None:
    """Play, print and write."""
    arguments = options(
        __doc__,
        houses=(3, "in which each line is posed"),
        line=(None, "number of a line; all by default", {"action": "append", "type": int}),
        write=(False, f"write the table into {PAGE.name}"),
    )
    world = Playhouse(height=6, width=8, views=())
    outcomes: dict[int, list[Outcome]] = {}
    for line in (line for lines in SUBJECTS.values() for line in lines):
        if not line.is_checked or (arguments.line and line.number not in arguments.line):
            continue
        seeds = range(FIRST_SEED, FIRST_SEED + arguments.houses)
        outcomes[line.number] = [play(world, line, seed) for seed in seeds]
        for seed, outcome in zip(seeds, outcomes[line.number], strict=True):
            if arguments.line:
                print(line.number, line.words, seed, outcome)
    table = "\n".join(rows(outcomes))
    print(table)
    if arguments.write:
        page = PAGE.read_text(encoding="utf-8")
        command = f"`python -m benchmarks.appendix_b --houses {arguments.houses} --write`"
        written = f"{command}\n\n{table}\n"
        marks = r"(<!-- solver -->\n).*?(<!-- /solver -->)"
        PAGE.write_text(re.sub(marks, lambda m: m[1] + written + m[2], page, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
