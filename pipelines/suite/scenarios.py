"""Standardised test suite (paper, section 6.4): scenarios sampled from recorded play, in a file that never changes.

A scenario is a moment right after a request. The episode is replayed up to it; then an agent continues.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipelines.suite.request_kinds import KINDS
from rlhf.records.episode import WORLD_OPTIONS, Episode
from rlhf.records.json_records import from_json, to_json
from rlhf.store import ParquetStore, open_store
from rlhf.store.columns import json_text
from rlhf.store.files.durable import write_file
from worlds import registry
from worlds.contract import WorldError
from worlds.contract.tiers import EXACT
from worlds.errors import UserError
from worlds.foreign_code.trust import UntrustedError
from worlds.settings import BadValue

VERSION = 1
NOTE = "scenario"  # key of a continuation's agent and scenario in its notes
RECORDED = "recorded"  # name of the agent that repeats the recorded solver
_ID_LENGTH = 12


@dataclass(frozen=True)
class Scenario:
    """Moment from which agents continue.

    Args:
      step: first step of the agent, the one after the request.
      co_piloted: true if a co-pilot took over before the setter spoke again.
      recorded: number of steps of the recorded solver until the setter spoke again, or the recording ended.
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
    """Dataset of the scenarios, and the settings of its world.

    Args:
      created: as in its dataset.json; with the scenarios' fingerprints it identifies the dataset.
      image_size: height and width of images, in pixels; None where nothing is observed in pictures.
    """

    folder: str
    created: str
    world: str
    image_size: tuple[int, int] | None
    options: dict[str, Any]


@dataclass(frozen=True)
class Suite:
    """Suite; ``id`` is a fingerprint of everything else, so that a changed file is another suite."""

    version: int
    id: str
    recordings: Recordings
    scenarios: tuple[Scenario, ...]

    @property
    def fingerprint(self) -> str:
        """Correct value of ``id``, independent of the dataset's folder."""
        content = replace(self, id="", recordings=replace(self.recordings, folder=""))
        return hashlib.sha256(json_text.to_json(to_json(content)).encode()).hexdigest()[:_ID_LENGTH]


def frozen_suite(recordings: Recordings, scenarios: tuple[Scenario, ...]) -> Suite:
    """Create the suite of these scenarios, with its id."""
    unnamed = Suite(VERSION, "", recordings, scenarios)
    return replace(unnamed, id=unnamed.fingerprint)


def save_suite(suite: Suite, path: Path) -> None:
    """Write the suite as readable JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, (json.dumps(to_json(suite), indent=2, ensure_ascii=False) + "\n").encode())


def load_suite(path: Path) -> Suite:
    """Read what :func:`save_suite` wrote.

    Raises UserError if there is no such file, or it is no suite of this version, or it was changed.
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
    except (BadValue, ValueError) as error:
        raise UserError(f"{path} is damaged ({error}); put back a copy, or make another suite") from error
    names = [scenario.name for scenario in suite.scenarios]
    if not names or len(set(names)) != len(names):
        raise UserError(f"{path} is damaged (its scenarios have no names of their own); put back a copy")
    if suite.id != suite.fingerprint:
        raise UserError(
            f"{path} was changed since it was made: agents would not be compared by the same scenarios; put back a "
            "copy, or make another suite (`rlhf suite make --kinds` sets the kinds of requests)"
        )
    return suite


def open_recordings(suite: Suite, folder: Path | None) -> ParquetStore:
    """Open the dataset of the suite, at ``folder`` or else at its folder when the suite was made.

    Raises UserError if it is missing, or is another dataset.
    """
    store = open_store(folder or suite.recordings.folder)
    if store.description.created != suite.recordings.created:
        raise UserError(f"{store} is not the dataset that the suite was made from; name that with --recordings")
    return store


def check_replays(world: str | None) -> None:
    """Refuse a world that declares too low a tier for agents to continue from the same moments.

    Raises WorldError if it declares one below the tier exact.
    """
    try:
        entry = registry.get(world or "")
    except (WorldError, UntrustedError):  # a suite can be made where its world cannot be played
        return
    entry.check_tier(EXACT, "a test suite")


def context_of(episode: Episode, step: int) -> str:
    """Fingerprint of the inputs of a replay of the steps before ``step``: the house, and both players' actions."""
    content = {
        "world": episode.world,
        "config": episode.config,
        "seed": episode.seed,
        "options": episode.notes.get(WORLD_OPTIONS),
        "utterance": episode.utterance[:step],
        "setter_utterance": episode.setter_utterance[:step],
    }
    digest = hashlib.sha256(json_text.to_json(content).encode())
    for movement in (episode.movement, episode.setter_movement, episode.continuous, episode.setter_continuous):
        if movement is not None:
            digest.update(movement[:step].tobytes())
    return digest.hexdigest()[:16]


def silence_after(episode: Episode, request_step: int) -> int:
    """Step at which the setter speaks next after ``request_step``, or the number of steps if it never does."""
    later = range(request_step + 1, len(episode))
    return next((step for step in later if episode.setter_utterance[step]), len(episode))
