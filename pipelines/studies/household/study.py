"""Watch-And-Help as a whole: goals are inferred from demonstrations, and Alice is helped in another home.

```
RUN/watch/..., RUN/policies/..., RUN/help/...: files of the parts
RUN/table.md: tables of all parts that have results
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pipelines.report.file import made_by
from pipelines.studies.household.parts import MODULES, load_parts
from rlhf.run.config import lock_run
from rlhf.run.progress import announce
from rlhf.store.files.durable import write_file

TABLE = "table.md"


def household_study(
    run: Path, seeds: Sequence[int], parts: Sequence[str] = (), modules: Mapping[str, str] = MODULES
) -> Path:
    """Run parts of the study and write the tables of all parts. Results that exist are not measured again.

    Args:
      run: folder of the study.
      seeds: of all chance in the parts.
      parts: to run now; none means all.
      modules: of all parts, by name.

    Returns:
      The tables, Markdown.

    Raises:
      UserError: there is no such part, or another process runs the study.
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
