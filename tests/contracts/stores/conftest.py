"""Fixtures of the contract of stores: ``store``, one of each kind."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from rlhf.store import EpisodeStore
from tests.contracts.stores.small_records import STORES, fresh


@pytest.fixture(autouse=True, scope="module")
def no_waiting_for_the_disk() -> Iterator[None]:
    """Synchronising matters when the power fails, which no test here makes happen, and takes most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[EpisodeStore]:
    with fresh(request.param) as made:
        yield made
