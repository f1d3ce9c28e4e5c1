"""Programs that another library's own Python runs, for tests of what is exchanged with that library."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rlhf.records.episode import Episode
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.unit.rlhf.declared_spaces import SPACES

ENVIRONMENTS = "EXCHANGE_ENVIRONMENTS"  # folder with an environment for each library; `make exchange` makes it
PROGRAMS = Path(__file__).parent / "programs"


def played(name: str, number: int, steps: int) -> Episode:
    """Return an episode of the Playhouse, or of other declared spaces."""
    if name == "playhouse":
        return synthetic_episode(number, steps, height=36, width=48, episode_id=f"e{number}")
    return synthetic_play(number, SPACES[name], steps, f"e{number}")


def run_with(library: str, program: str, *words: str | Path, **variables: str | Path) -> Any:
    """Run a program of ``tests/exchange/programs`` in the environment of ``library``; return the JSON that it prints.

    The test is skipped where there is no such environment.
    """
    folder = os.environ.get(ENVIRONMENTS)
    if not folder:
        pytest.skip(f"{ENVIRONMENTS} names no folder with an environment of {library}; `make exchange` makes one")
    python = Path(folder) / library / "bin" / "python"
    if not python.exists():
        pytest.skip(f"there is no {python}; `make exchange` makes it if it finds a Python for {library}")
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [python, "-W", "ignore", PROGRAMS / program, *words],
        env=own | {name: str(value) for name, value in variables.items()},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])
