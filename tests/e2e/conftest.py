"""End-to-end tests: servers that start at once, stages that end at once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from benchmarks import serving
from pipelines.stages.running import staged_run
from rlhf.run import processes
from tests.e2e.patient_server import serve
from tests.processes import ForkedWorker, Printing


@pytest.fixture(autouse=True)
def forked_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let servers and workers start as forks of a process that has imported everything, in a tenth of the time.

    A module in which they have to start as users start them overrides this fixture.
    """
    monkeypatch.setattr(serving, "start", partial(Printing, serve))
    monkeypatch.setattr(processes, "start_python", ForkedWorker)


@pytest.fixture(scope="module", autouse=True)
def memory_is_kept() -> Iterator[None]:
    """Leave out that every stage gives memory back: to search all objects of the tests' process takes half a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(staged_run, "release_memory", lambda: None)
        yield
