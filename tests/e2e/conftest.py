"""End-to-end tests: their division among processes, and servers that start at once."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

HERE = Path(__file__).parent

# Longest first, so that all processes end at about the same time. All tests that start Ray are run by one of them.
_LONGEST = (
    "ray", "test_playing_in_a_browser", "test_iterate", "test_accessibility", "test_kill_evaluating", "test_study",
    "test_a_study_from_zero", "test_firefox", "test_demo", "test_full_disk", "test_slow_lines_in_a_browser",
    "test_kill_serving", "test_kill_training",
)  # fmt: skip


class Scheduling(LoadScopeScheduling):
    """A division of the tests among processes: a file's tests in one process, and all that start Ray in one."""

    def _split_scope(self, nodeid: str) -> str:
        return _group(Path(nodeid.partition("::")[0]))


def _group(path: Path) -> str:
    return "ray" if path.parent.name == "ray" else path.stem


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    """Have pytest-xdist divide the tests so, whatever its ``--dist``."""
    return Scheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest groups first."""
    rank = {group: number for number, group in enumerate(_LONGEST)}
    own = sorted(
        (each for each in items if each.path.is_relative_to(HERE)),
        key=lambda each: rank.get(_group(each.path), len(rank)),
    )
    ordered = iter(own)
    items[:] = [next(ordered) if each.path.is_relative_to(HERE) else each for each in items]


@pytest.fixture(autouse=True)
def forked_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let servers start as forks of a process that has imported everything, in a tenth of the time.

    A module in which they have to start as users start them overrides this fixture.
    """
    from benchmarks import serving
    from pipelines.cli.main import main
    from tests.processes import Printing

    monkeypatch.setattr(serving, "start", partial(Printing, main))
