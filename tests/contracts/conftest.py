"""Fixture ``entry``: one world of :data:`tests.contracts.tried_worlds.TIERS`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from tests.contracts.tried_worlds import ANNOUNCED, EXAMPLES, PICTURED
from tests.distributions import installed
from tests.patience import PATIENCE_SEC
from worlds import registry


@pytest.fixture(scope="module")
def announcing(tmp_path_factory):
    """Install a package that announces the example world under another name."""
    source = f"""from dataclasses import replace
from worlds.registry import get, register
register(replace(get({str(EXAMPLES / "discs.py")!r}), name={ANNOUNCED!r}))
"""
    with installed(tmp_path_factory.mktemp("site"), registry.ENTRY_POINT_GROUP, ANNOUNCED, source):
        yield


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Let the trial of a world take longer than users would wait: other programs may make everything slower."""
    monkeypatch.setattr("worlds.checks.parts.PART_SEC", PATIENCE_SEC)


@pytest.fixture
def entry(request):
    name = request.param
    if name.startswith(("gym:BabyAI", "gym:MiniGrid")):
        pytest.importorskip("minigrid")
    if name == ANNOUNCED:
        request.getfixturevalue("announcing")
    world = name.partition(",")[0]
    found = registry.get(str(EXAMPLES / world) if world in ("discs.py", "shelf.py") else world)
    options = PICTURED.get(name)
    return found if options is None else replace(found, make=partial(found.make, **options))
