"""Watch-And-Help: goals inferred from demonstrations, learned policies, and helpers beside Alice in held-out homes.

`rlhf reproduce watch-and-help`; `--parts watch`, `--parts help` and so on run one part.

Watch-And-Help as a whole: goals are inferred from demonstrations, and Alice is helped in another home.

```
RUN/watch/..., RUN/policies/..., RUN/help/...: files of the parts
RUN/table.md: tables of all parts that have results
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from experiments.engine.declaration import ReproduceConfig
from experiments.watch_and_help.parts import MODULES, load_parts
from pipelines.report.file import made_by
from rlhf.run.config import lock_run
from rlhf.run.progress import announce
from rlhf.store.files.durable import write_file

TABLE = "table.md"


def run_watch_and_help(
    run: Path, seeds: Sequence[int], parts: Sequence[str] = (), modules: Mapping[str, str] = MODULES
) -> Path:
    """Run parts of the experiment and write the tables of all parts. Results that exist are not measured again.

    Args:
      run: folder of the experiment.
      seeds: of all chance in the parts.
      parts: to run now; none means all.
      modules: of all parts, by name.

    Returns:
      The tables, Markdown.

    Raises:
      UserError: there is no such part, or another process runs the experiment.
    """
    chosen = load_parts(parts, modules)
    run.mkdir(parents=True, exist_ok=True)
    with lock_run(run):
        for name, part in chosen.items():
            announce(f"part {name}")
            part.run(run, seeds)
            path = write_tables(run, modules)
    announce(f"tables: {path}")
    return path


def write_tables(run: Path, modules: Mapping[str, str] = MODULES) -> Path:
    """Write the page of results from the files of all parts, and return its path."""
    head = f"# Watch-And-Help\n\n{made_by()}"
    sections = [section for part in load_parts((), modules).values() if (section := part.section(run))]
    path = run / TABLE
    write_file(path, "\n\n".join([head, *(each.strip("\n") for each in sections)]).encode() + b"\n")
    return path


def run(config: ReproduceConfig) -> Path:
    """`rlhf reproduce watch-and-help`."""
    return run_watch_and_help(config.run, config.seeds, config.parts)
