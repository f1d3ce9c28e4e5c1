"""The command: ``python -m benchmarks.robustness``."""

from __future__ import annotations

import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from benchmarks.robustness.groups import GROUPS
from benchmarks.robustness.material import make_material
from benchmarks.robustness.page import format_table, write_page
from benchmarks.robustness.trial import Outcome, drawn, run_all
from rlhf.run.machine import usable_cores


def main() -> int:
    """Run the trials that are asked for, print the table, and return 1 if one of them broke."""
    settings = _settings()
    groups = [group for group in GROUPS if settings.only in (None, group.name)]
    with tempfile.TemporaryDirectory(dir=settings.folder) as made:
        print("making datasets, agents and runs to be damaged", flush=True)
        material = make_material(Path(made) / "material")
        trials = [
            (group.name, trial)
            for group in groups
            for trial in drawn(group, material, settings.seed, settings.count)
            if settings.trial in trial.name
        ]
        print(f"{len(trials)} trials in {len(groups)} groups, {settings.jobs} at once", flush=True)
        folder = Path(settings.keep or made) / "trials"
        folder.mkdir(parents=True)
        outcomes = run_all(trials, folder, settings.jobs, _show_if_broken)
    print(format_table(groups, outcomes))
    if settings.docs:
        print(f"figures: {write_page(groups, outcomes, _command(settings))}")
    return int(any(outcome.broke is not None for outcome in outcomes))


def _settings() -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks.robustness", description=__doc__)
    parser.add_argument("--only", choices=[group.name for group in GROUPS], help="one group of trials")
    parser.add_argument("--trial", default="", help="only trials whose name contains this")
    parser.add_argument("--count", type=int, help="largest number of trials of each group, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="seed of all random draws")
    parser.add_argument("--jobs", type=int, default=usable_cores(), help="number of trials at once")
    parser.add_argument("--folder", type=Path, help="folder for scratch files")
    parser.add_argument("--keep", type=Path, help="new folder in which files of trials that broke are kept")
    parser.add_argument("--docs", action="store_true", help="write the figures into docs/robustness.md")
    return parser.parse_args()


def _command(settings: Namespace) -> str:
    """Return the command that runs the same trials again."""
    words = ["python -m benchmarks.robustness", f"--seed {settings.seed}"]
    words += [f"--only {settings.only}"] if settings.only else []
    words += [f"--count {settings.count}"] if settings.count is not None else []
    return " ".join(words)


def _show_if_broken(outcome: Outcome) -> None:
    if outcome.broke is not None:
        print(f"broke: {outcome.group}: {outcome.trial}: {outcome.broke}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
