"""Agents that learn in one part of the experiment and help in another: where they lie."""

from __future__ import annotations

from pathlib import Path

MARKS = "marks"  # folder of the part in which agents learn
CLONED, IMPROVED = Path("clone/agent"), Path("round-1/improve/agent")  # in the folder of one seed


def learned_in(folder: Path, seed: int) -> Path:
    """Return the folder of one seed of the part marks."""
    return folder / MARKS / f"seed-{seed}"
