"""Watch-And-Help: goals inferred from demonstrations, learned policies, and helpers beside Alice in held-out homes.

`rlhf reproduce watch-and-help`; `--parts watch`, `--parts help` and so on run one part.

Watch-And-Help as a whole: goals are inferred from demonstrations, and Alice is helped in another home.

```
RUN/watch/..., RUN/policies/..., RUN/help/...: files of the parts
RUN/table.md: tables of all parts that have results
```
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from experiments.engine.declaration import ReproduceConfig
from experiments.engine.page import Section, write_page
from experiments.engine.plan import Plan
from experiments.watch_and_help.parts import MODULES, load_parts
from pipelines.stages.running.staged_run import Stage


def plan_watch_and_help(
    run: Path, seeds: Sequence[int], parts: Sequence[str] = (), modules: Mapping[str, str] = MODULES
) -> Plan:
    """Return the plan of some parts; its tables are of all parts that have results.

    Args:
      parts: to run now; none means all.

    Raises:
      UserError: there is no such part.
    """
    chosen = load_parts(parts, modules)

    def stages(part: str, seed: int) -> Iterable[Stage]:
        return chosen[part].stages(run, seed)

    def report(_: str, __: Sequence[int]) -> Path:
        return write_tables(run, modules)

    return Plan(run, seeds, stages, report, parts=tuple(chosen))


def write_tables(run: Path, modules: Mapping[str, str] = MODULES) -> Path:
    """Write the page of results from the files of all parts, and return its path."""
    found = [part.section(run) for part in load_parts((), modules).values()]
    return write_page(
        run, "Watch-And-Help", [Section(one.rows, one.parts) for one in found]
    )  # figures are in the parts


def plan(config: ReproduceConfig) -> Plan:
    """`rlhf reproduce watch-and-help`."""
    return plan_watch_and_help(config.run, config.seeds, config.parts)
