"""What may not be read, or has a name that is not UTF-8, is not damaged: it is said to be so, and nothing is lost."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rlhf.store import open_store, rebuild_index
from tests.unit.rlhf.store.upkeep.damage.small_dataset import whole
from worlds.errors import UserError

NOBODY = 65534


@pytest.fixture
def shared(folder: Path) -> Iterator[Path]:
    """The dataset in a place that every user of the system can reach."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    shutil.copytree(folder, place / "data")
    assert whole(place / "data")  # all code that reads is imported while root may read it
    yield place / "data"
    shutil.rmtree(place)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """While inside, this process may not read ``path``, also if it is root's."""
    mode, user = path.stat().st_mode, os.geteuid()
    path.chmod(0)
    if user == 0:
        for each in (path.parent.parent, *path.parent.parent.rglob("*")):
            os.chown(each, NOBODY, -1)
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)
        path.chmod(mode)


@pytest.mark.parametrize("name", ["episodes", "steps", "episodes/e1.parquet", "steps/e1.parquet"])
def test_what_may_not_be_read_is_no_damage(shared: Path, name: str) -> None:
    index = (shared / "index.jsonl").read_bytes()
    with locked(shared / name):
        with pytest.raises(UserError, match="cannot be read .*; change its permissions") as caught:
            open_store(shared).read("e1")
        assert "damaged" not in str(caught.value)
        problems = open_store(shared).verify()
        assert problems and {problem.hint for problem in problems} == {"change its permissions"}
        with pytest.raises((UserError, PermissionError)):
            rebuild_index(shared)
    assert (shared / "index.jsonl").read_bytes() == index and whole(shared)
