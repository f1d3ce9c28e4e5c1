"""Division of the tests among processes: whole files, those that take longest first."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

END_TO_END = Path("tests/e2e")

# Longest first, so that all processes end at about the same time. All tests that start Ray are run by one of them.
# End-to-end tests come before all others, whose files are short and fill what time is left.
_LONGEST = (
    "ray", "test_accessibility", "test_playing_in_a_browser", "test_loop", "test_study", "test_unfinished_evaluations",
    "test_a_study_from_zero", "test_commands", "test_kill_serving", "test_kill_training",
)  # fmt: skip
_RANKS = {group: number for number, group in enumerate(_LONGEST)}


class Scheduling(LoadScopeScheduling):
    """Scheduling in which a file's tests run in one process, and all that start Ray in one."""

    def _split_scope(self, nodeid: str) -> str:
        return _group(Path(nodeid.partition("::")[0]))


def _group(path: Path) -> str:
    return "ray" if path.parent == END_TO_END / "ray" else path.as_posix()


def _rank(path: Path) -> int:
    if not path.is_relative_to(END_TO_END):
        return len(_RANKS) + 1
    return _RANKS.get(Path(_group(path)).stem, len(_RANKS))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """Have pytest-xdist divide the tests so for ``--dist loadscope``."""
    return Scheduling(config, log) if config.getvalue("dist") == "loadscope" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest groups first."""
    items.sort(key=lambda item: _rank(item.path.relative_to(config.rootpath)))
