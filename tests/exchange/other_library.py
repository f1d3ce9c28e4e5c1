"""Programs that another library's own Python runs, for tests of what is exchanged with that library."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ENVIRONMENTS = "EXCHANGE_ENVIRONMENTS"  # folder with an environment for each library; `make exchange` makes it
PROGRAMS = Path(__file__).parent / "programs"


def run_with(library: str, program: str, *words: str | Path, **variables: str | Path) -> Any:
    """Run a program of ``tests/exchange/programs`` in the environment of ``library``; return the JSON that it prints.

    The test is skipped where there is no such environment.

    Args:
      library: name of its folder.
      program: name of the file.
      words: its command line.
      variables: of its environment, besides those of this process.
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
