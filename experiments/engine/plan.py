"""The engine of every experiment: stages of each part and seed, each done once and noted, and a report after them.

An interrupted experiment resumes with the same command: a stage that is noted in ``RUN/seed-N/stages.json`` is not done
again (:mod:`pipelines.stages.running.staged_run`, which also runs `rlhf demo` and `rlhf iterate`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.stages.running.staged_run import Stage, open_run, run_stages
from rlhf.run.config import lock_run
from rlhf.run.progress import announce


def _nothing() -> None:
    """Prepare nothing."""


@dataclass(frozen=True)
class Plan:
    """An experiment that can be run.

    Args:
      stages: (part, seed) -> stages of one part and seed, in their order. Parts may share stages by their names.
      report: (part, seeds) -> writes tables and figures once these seeds have all stages of the part, and returns the
        path of the tables. Without seeds the part is "".
      settings: frozen dataclass; a folder that holds an experiment with other ones is refused. None checks nothing.
      parts: names, in the order in which they run; each with all seeds.
      shared: stages of all seeds, done first.
      prepare: called once the folder is locked.
      free: settings in which two commands for one folder may differ, besides seeds.
    """

    run: Path
    seeds: Sequence[int]
    stages: Callable[[str, int], Iterable[Stage]]
    report: Callable[[str, Sequence[int]], Path]
    settings: Any = None
    parts: Sequence[str] = ("",)
    shared: Sequence[Stage] = ()
    prepare: Callable[[], object] = _nothing
    free: Sequence[str] = ()

    def carry_out(self) -> Path:
        """Do what is not done yet, report after each seed of each part, and return the path of the tables.

        Raises:
          UserError: the folder holds another experiment or other settings, or another process works in it.
        """
        if self.settings is not None:
            open_run(self.run, self.settings, "experiment", free=("seeds", *self.free), option="--runs")
        self.run.mkdir(parents=True, exist_ok=True)
        with lock_run(self.run):
            self.prepare()
            if self.shared:
                run_stages(self.run, self.shared)
            path = self.report("", ()) if not self.seeds else self.run
            for part in self.parts:
                for number, seed in enumerate(self.seeds, start=1):
                    title = ", ".join(filter(None, (part, f"seed {seed}")))
                    run_stages(self.run / f"seed-{seed}", list(self.stages(part, seed)), title=f"{title}: ")
                    path = self.report(part, self.seeds[:number])
                    announce(f"{title}: {path}")
        return path
