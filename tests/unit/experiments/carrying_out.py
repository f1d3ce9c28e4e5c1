"""Parts of the experiment by themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pipelines.stages.running.staged_run import Stage, run_stages


def carry_out(stages: Callable[..., Iterable[Stage]], folder: Path, settings: Any, seed: int = 0) -> None:
    """Do the stages of a part that are not done yet."""
    run_stages(folder / f"seed-{seed}", list(stages(folder, seed, settings)))
