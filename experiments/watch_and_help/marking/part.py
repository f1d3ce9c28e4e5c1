"""The part "marks": an agent is cloned from a scripted helper of Alice, and improved by marks of its own play.

```
RUN/marks/seed-0/: a run of the loop, as `rlhf demo` writes it: data, clone, round-1, results.json, report.html
```

The agents are rows "BC" and "BC+RL" of the part help. Its table here is of requests that they fulfil alone, while
Alice stands still.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from experiments.engine.page import Section
from experiments.engine.results_docs import ResultTable
from experiments.engine.rows import Rows, grouped, rows_of_results
from experiments.engine.table import Cell, by_arm, pooled, table
from experiments.watch_and_help.learned_agents import MARKS, learned_in
from pipelines.loops.loop import LoopConfig, demo
from pipelines.loops.rounds import agent_name, round_folder
from pipelines.presets import household
from pipelines.stages.evaluate import load_results
from pipelines.stages.running.staged_run import Stage

RESULTS = "results.json"
NAMES = {agent_name(1): "BC+RL"}  # of agents, in the tables
FULL = household.demo()


def stages(folder: Path, seed: int, settings: LoopConfig = FULL) -> list[Stage]:
    """Return the stage that runs the loop, or what is left of it."""
    return [Stage("marks", "the loop", lambda: demo(replace(settings, run=learned_in(folder, seed), seed=seed)))]


def section(folder: Path) -> Section:
    """Return the success of the agents alone; see :mod:`experiments.watch_and_help.parts`."""
    runs = {int(path.name.removeprefix("seed-")): path for path in sorted((folder / MARKS).glob("seed-*"))}
    results = {seed: [run / RESULTS, round_folder(run, 1) / RESULTS] for seed, run in runs.items()}
    files = {seed: paths for seed, paths in results.items() if all(path.is_file() for path in paths)}
    found = [
        (seed, replace(result, agent=NAMES.get(result.agent, result.agent)))
        for seed, paths in files.items()
        for path in paths
        for result in load_results(path)
    ]
    rows = [row for seed, one in found for row in rows_of_results("watch-and-help/marks", one.agent, seed, [one])]
    if not rows:
        return Section()

    def cell(agent: str) -> Cell:
        def share(own: Rows) -> str:
            played = [row for row in own if row.arm == agent]
            return f"{pooled(played)} of {len(played)}" if played else ""

        return share

    columns = [(agent, cell(agent)) for agent in grouped(rows, by_arm)]
    made = table(rows, "request", columns, lambda row: f"`{row.probe}`")
    total = table(rows, "request", columns, lambda _: "all")
    about = f"Requests that agents fulfil alone, held-out goals; seeds: {len(files)}; 95% intervals."
    return Section(rows, ["## Learning from marks", about, ResultTable(made.head, (*made.rows, *total.rows))])
