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
from experiments.engine.plan import Plan
from experiments.watch_and_help.parts import MODULES, load_parts
from pipelines.report.file import made_by
from pipelines.stages.running.staged_run import Stage
from rlhf.store.files.durable import write_file

TABLE = "table.md"


def plan_watch_and_help(
    run: Path, seeds: Sequence[int], parts: Sequence[str] = (), modules: Mapping[str, str] = MODULES
) -> Plan:
    """Return the plan of some parts; its tables are of all parts that have results.

    Args:
      run: folder of the experiment.
      seeds: of all chance in the parts.
      parts: to run now; none means all.
      modules: of all parts, by name.

    Raises:
      UserError: there is no such part.
    """
    chosen = load_parts(parts, modules)

    def stages(part: str, seed: int) -> Iterable[Stage]:
        return chosen[part].stages(run, seed)

    def report(_: Sequence[int]) -> Path:
        return write_tables(run, modules)

    return Plan(run, seeds, stages, report, parts=tuple(chosen))


def write_tables(run: Path, modules: Mapping[str, str] = MODULES) -> Path:
    """Write the page of results from the files of all parts, and return its path."""
    head = f"# Watch-And-Help\n\n{made_by()}"
    sections = [section for part in load_parts((), modules).values() if (section := part.section(run))]
    path = run / TABLE
    write_file(path, "\n\n".join([head, *(each.strip("\n") for each in sections)]).encode() + b"\n")
    return path


def plan(config: ReproduceConfig) -> Plan:
    """`rlhf reproduce watch-and-help`."""
    return plan_watch_and_help(config.run, config.seeds, config.parts)
