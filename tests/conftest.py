"""Settings of every test: one thread per library, no account, no network, the same random draws."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

# Before any library reads them. Tests run side by side on few cores; more threads only get in each other's way.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_DATASETS_OFFLINE", "1")
os.environ.setdefault("WANDB_MODE", "offline")
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="rlhf-tests-")  # what the user trusts is the user's own
# Under `nohup ... &` SIGINT is ignored, also in processes that a test starts: a test that sends it would not end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.pop("RLHF_DEBUG", None)  # what users see is tested as users see it

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

from tests.scheduling import pytest_collection_modifyitems, pytest_xdist_make_scheduler  # noqa: E402, F401
from worlds.foreign_code.trust import permit  # noqa: E402

permit(map(str, (Path(__file__).parents[1] / "examples" / "own_world").glob("*.py")))

settings.register_profile("steady", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("steady")


# Imports make some millions of objects that live until the end. The garbage collector need not look at them again and
# again: a third of a test's time would be that.
gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage from now on, but only among what tests make."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    """Fork the server of forks before the first test, where tests use it."""
    if session.items and "tests.processes" in sys.modules:
        sys.modules["tests.processes"].begin_server()
    return (yield)


@pytest.fixture
def forked_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers start as forks of a process that has imported everything, in a tenth of the time."""
    from rlhf.run import processes
    from tests.processes import ForkedWorker

    monkeypatch.setattr(processes, "start_python", ForkedWorker)


@pytest.fixture(autouse=True)
def nothing_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin every test without what earlier ones named or trusted."""
    from worlds.foreign_code import trust

    monkeypatch.setenv(trust.PERMITTED, os.environ.get(trust.PERMITTED, "[]"))  # undone after the test
    trust.list_path().unlink(missing_ok=True)
