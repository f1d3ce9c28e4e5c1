"""End-to-end tests: servers that start at once."""

from __future__ import annotations

from functools import partial

import pytest

from benchmarks import serving
from pipelines.cli.main import main
from rlhf.run import processes
from tests.processes import ForkedWorker, Printing


@pytest.fixture(autouse=True)
def forked_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let servers and workers start as forks of a process that has imported everything, in a tenth of the time.

    A module in which they have to start as users start them overrides this fixture.
    """
    monkeypatch.setattr(serving, "start", partial(Printing, main))
    monkeypatch.setattr(processes, "start_python", ForkedWorker)
