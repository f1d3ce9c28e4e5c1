"""Fixtures of all tests of the store."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Synchronising matters only when the power fails, and takes most of the time."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
