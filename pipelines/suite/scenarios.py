"""The standardised test suite (paper, section 6.4): scenarios drawn from recorded play, in a file that stays as it is.

A scenario is a moment right after a request. What led to it is replayed; then an agent continues.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipelines.suite.request_kinds import KINDS
from rlhf.records.episode import WORLD_OPTIONS, Episode
from rlhf.records.json_records import BadRecord, from_json, to_json
from rlhf.store import ParquetStore, json_text, open_store
from rlhf.store.durable import write_file
from worlds.errors import UserError

VERSION = 1
NOTE = "scenario"  # in the notes of an episode: whose continuation of which scenario it is
RECORDED = "recorded"  # the agent that does again what the recorded solver did
_ID_LENGTH = 12


@dataclass(frozen=True)
class Scenario:
    """A moment from which agents continue.

    Args:
      name: unique in its suite. episode: of the dataset.
      request_step: at which the setter asked, in ``words``; step: the first of which the agent decides, the next one.
      limit: how many steps it may continue. kind: of the request, one of ``KINDS``.
      solver: who played it when it was recorded. co_piloted: whether a co-pilot took over before the setter spoke
        again. recorded: how many steps the recorded solver had until the setter spoke again, or the recording ended.
      context: fingerprint of the recording up to ``step``, see :func:`context_of`.
    """

    name: str
    episode: str
    request_step: int
    step: int
    limit: int
    kind: str
    words: str
    solver: str
    co_piloted: bool
    recorded: int
    context: str

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"scenario {self.name} is of kind {self.kind!r}; kinds are {', '.join(KINDS)}")
        if not 0 <= self.request_step < self.step or self.limit < 1:
            raise ValueError(f"scenario {self.name} continues from step {self.step} for {self.limit} steps")


@dataclass(frozen=True)
class Recordings:
    """The dataset that scenarios are from, and how its world is played.

    Args:
      folder: where it was. created: as its dataset.json says; with the scenarios' fingerprints it tells it from others.
      options: of the world, as the recordings note them.
    """

    folder: str
    created: str
    world: str
    image_size: tuple[int, int]
    options: dict[str, Any]


@dataclass(frozen=True)
class Suite:
    """A suite. ``id`` is a fingerprint of everything else: a file that was changed is another suite."""

    version: int
    id: str
    recordings: Recordings
    scenarios: tuple[Scenario, ...]

    @property
    def fingerprint(self) -> str:
        """What ``id`` is to be. Where the dataset lies does not count."""
        content = replace(self, id="", recordings=replace(self.recordings, folder=""))
        return hashlib.sha256(json_text.to_json(to_json(content)).encode()).hexdigest()[:_ID_LENGTH]


def frozen_suite(recordings: Recordings, scenarios: tuple[Scenario, ...]) -> Suite:
    """The suite of these scenarios."""
    unnamed = Suite(VERSION, "", recordings, scenarios)
    return replace(unnamed, id=unnamed.fingerprint)


def save_suite(suite: Suite, path: Path) -> None:
    """Write the suite as JSON, one scenario after the other, for people to read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, (json.dumps(to_json(suite), indent=2, ensure_ascii=False) + "\n").encode())


def load_suite(path: Path) -> Suite:
    """Read what :func:`save_suite` wrote.

    Raises:
      UserError: if there is no such file, it is no suite of this version, or it was changed since.
    """
    try:
        data = json_text.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path} holds no suite ({error}); `rlhf suite make` makes one") from error
    version = data.get("version") if isinstance(data, dict) else None
    if version != VERSION:
        raise UserError(f"{path} is a suite of version {version}, this program knows {VERSION}; make it again")
    try:
        suite = from_json(Suite, data)
    except (BadRecord, ValueError) as error:
        raise UserError(f"{path} is damaged ({error}); put back a copy, or make another suite") from error
    names = [scenario.name for scenario in suite.scenarios]
    if not names or len(set(names)) != len(names):
        raise UserError(f"{path} is damaged (its scenarios have no names of their own); put back a copy")
    if suite.id != suite.fingerprint:
        raise UserError(
            f"{path} was changed since it was made: agents would not be compared by the same scenarios; put back a "
            "copy, or make another suite (`rlhf suite make --kinds` says of what kind requests are)"
        )
    return suite


def open_recordings(suite: Suite, folder: Path | None) -> ParquetStore:
    """The dataset that the suite was drawn from, at ``folder`` or else where it was.

    Raises:
      UserError: if it is not there, or another dataset is.
    """
    store = open_store(folder or suite.recordings.folder)
    if store.description.created != suite.recordings.created:
        raise UserError(f"{store} is not the dataset that the suite was drawn from; name that with --recordings")
    return store


def context_of(episode: Episode, step: int) -> str:
    """Fingerprint of what a replay of the steps before ``step`` rests on: the place, and what both players did."""
    content = {
        "world": episode.world,
        "config": episode.config,
        "seed": episode.seed,
        "options": episode.notes.get(WORLD_OPTIONS),
        "utterance": episode.utterance[:step],
        "setter_utterance": episode.setter_utterance[:step],
    }
    said = hashlib.sha256(json_text.to_json(content).encode())
    for movement in (episode.movement, episode.setter_movement):
        said.update(movement[:step].astype("int8").tobytes())
    return said.hexdigest()[:16]


def silence_after(episode: Episode, request_step: int) -> int:
    """The step at which the setter speaks next after ``request_step``, or the number of steps if it never does."""
    later = range(request_step + 1, len(episode))
    return next((step for step in later if episode.setter_utterance[step]), len(episode))
