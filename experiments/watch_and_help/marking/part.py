"""The part "marks": an agent is cloned from a scripted helper of Alice, and improved by marks of its own play.

```
RUN/marks/seed-0/: a run of the loop, as `rlhf demo` writes it: data, clone, reward, improve, results.json, report.html
```

The agents are rows "BC" and "BC+RL" of the part help. Its table here is of requests that they fulfil alone, while
Alice stands still.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from experiments.engine.results_docs import markdown_table
from experiments.engine.table import format_share
from experiments.watch_and_help.learned_agents import MARKS, learned_in
from pipelines.loops.demo import DemoConfig, demo
from pipelines.presets import household
from pipelines.stages.evaluate import load_results
from pipelines.stages.running.staged_run import Stage
from rlhf.run.statistics import wilson_interval

RESULTS = "results.json"
FULL = household.demo()


def stages(folder: Path, seed: int, settings: DemoConfig = FULL) -> list[Stage]:
    """Return the stage that runs the loop, or what is left of it.

    Args:
      folder: of the whole experiment.
      seed: of recording, training and play.
      settings: sizes of the loop.
    """
    return [Stage("marks", "the loop", lambda: demo(replace(settings, run=learned_in(folder, seed), seed=seed)))]


def section(folder: Path) -> str:
    """Return the success of the agents alone; see :mod:`experiments.watch_and_help.parts`."""
    found: dict[str, list[bool]] = {}
    cells: dict[tuple[str, str], list[bool]] = {}
    files = sorted((folder / MARKS).glob(f"seed-*/{RESULTS}"))
    for result in (one for file in files for one in load_results(file)):
        found.setdefault(result.agent, []).extend(result.success)
        cells.setdefault((result.probe, result.agent), []).extend(result.success)
    if not found:
        return ""
    agents, probes = list(found), list(dict.fromkeys(probe for probe, _ in cells))
    rows = [(f"`{probe}`", *(_share(cells.get((probe, agent), [])) for agent in agents)) for probe in probes]
    rows.append(("all", *(_share(found[agent]) for agent in agents)))
    about = f"Requests that agents fulfil alone, held-out goals; seeds: {len(files)}; 95% intervals."
    return f"## Learning from marks\n\n{about}\n\n{markdown_table(('request', *agents), rows)}".rstrip("\n")


def _share(success: Sequence[bool]) -> str:
    if not success:
        return ""
    return f"{format_share(wilson_interval(sum(success), len(success)))} of {len(success)}"
