"""Files of results of `rlhf evaluate`: a JSON list with a row for every agent and probe.

A row says with what settings and by which weights it was played, so that an evaluation is gone on with where it is the
same, and no other takes its place.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal

from pipelines.stages.running.staged_run import format_differences
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.records.json_records import BadRecord, differences, from_json, to_json, with_new_settings
from rlhf.run.progress import announce
from rlhf.store import json_text
from rlhf.store.durable import write_file
from worlds.errors import UserError

Split = Literal["held_out", "train"]
SCRIPTED = ("scripted", "perfect")  # in place of an agent's folder
_SETTINGS, _WEIGHTS = "evaluated_with", "weights"  # in a row; files of older versions have neither
_HINT = "name another file with --out, or move that one away"


@dataclass(frozen=True)
class ProbeResult:
    """How one agent did at one probe; entry i of every tuple is about the same house and instruction for all agents."""

    agent: str
    probe: str
    seeds: tuple[int, ...]
    success: tuple[bool, ...]
    steps: tuple[int | None, ...]  # until success

    @property
    def episodes(self) -> int:
        return len(self.success)

    @property
    def rate(self) -> float:
        return sum(self.success) / self.episodes


@dataclass(frozen=True)
class EvaluatedWith:
    """The settings that decide what is played; all results in one file are of the same. Slots are among them, as an
    agent draws its actions for all of them together."""

    episodes: int
    split: Split
    seed: int
    slots: int
    greedy: bool
    world: WorldConfig
    players: PlayersConfig


class ResultsFile:
    """Results that are written after every probe: what was played is kept, whatever happens to the rest.

    What the file holds already is kept, and is not to be played again. One of an older version, which does not say what
    it is of, is set aside under another name.

    Args:
      path: of the file. settings: of this evaluation. agents: the folder of each, by name.

    Raises:
      UserError: if the file is of other settings, or of other weights under the name of one of ``agents``, or is none
        of results.
    """

    def __init__(self, path: Path, settings: EvaluatedWith, agents: Mapping[str, str]) -> None:
        self._path, self._settings = path, settings
        self._weights = {name: fingerprint(folder) for name, folder in agents.items()}
        self._rows: dict[tuple[str, str], dict[str, Any]] = {}
        if path.exists():
            self._rows = {(row["agent"], row["probe"]): row for row in self._known(_rows(path, _HINT))}

    def __contains__(self, pair: tuple[str, str]) -> bool:
        """Whether the results of (agent, probe) are there."""
        return pair in self._rows

    def results(self) -> list[ProbeResult]:
        """All that the file holds, in the order in which they were played."""
        return [_result(row) for row in self._rows.values()]

    def add(self, result: ProbeResult) -> None:
        """Write ``result``, of one of the agents; it is on disk when this returns."""
        played = {_SETTINGS: to_json(self._settings), _WEIGHTS: self._weights[result.agent]}
        self._rows[result.agent, result.probe] = asdict(result) | played
        write_file(self._path, json.dumps(list(self._rows.values())).encode())

    def _known(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """``rows``, if they are of this evaluation. Raises UserError if they are of another."""
        if not all(_SETTINGS in row and _WEIGHTS in row for row in rows):
            aside = set_aside(self._path)
            announce(
                f"{self._path} does not say with what settings it was made (an older version's); it is now {aside}"
            )
            return []
        for row in rows:
            self._check(row)
        return rows

    def _check(self, row: dict[str, Any]) -> None:
        try:
            settings = from_json(EvaluatedWith, with_new_settings(EvaluatedWith, row[_SETTINGS]))
        except BadRecord as error:
            raise UserError(f"{self._path} was written by another version ({error}); {_HINT}") from error
        if other := list(differences(settings, self._settings)):
            raise UserError(f"{self._path} holds results of other settings: {format_differences(other)}; {_HINT}")
        agent = row["agent"]
        if self._weights.get(agent, row[_WEIGHTS]) != row[_WEIGHTS]:
            raise UserError(
                f"{self._path} holds results of an agent {agent} of other weights; call this one by another name, "
                f"{_HINT}"
            )


def fingerprint(folder: str) -> str:
    """What tells an agent's weights from others: a digest of its file of them; of a scripted player, its name."""
    if folder in SCRIPTED:
        return folder
    with open(Path(folder) / "model.safetensors", "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def set_aside(path: Path) -> Path:
    """Rename ``path`` to a name beside it that nothing has; that name."""
    numbered = (path.with_name(f"{path.name}.older{'' if number == 1 else f'-{number}'}") for number in count(1))
    aside = next(name for name in numbered if not name.exists())
    path.rename(aside)
    return aside


def load_results(path: Path) -> list[ProbeResult]:
    """Read the results in a file, an older version's too. Raises UserError if it is missing or something else."""
    return [_result(row) for row in _rows(path, "run it again")]


def _rows(path: Path, hint: str) -> list[dict[str, Any]]:
    """The rows of a file. Raises UserError, with what one can do, if it is missing or something else."""
    try:
        rows = json_text.from_json(path.read_text(encoding="utf-8"))
        if not isinstance(rows, list):
            raise TypeError("no list")
        for row in rows:
            _result(row)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} holds no results of `rlhf evaluate` ({error}): {hint}") from error
    return rows


def _result(row: dict[str, Any]) -> ProbeResult:
    return ProbeResult(row["agent"], row["probe"], tuple(row["seeds"]), tuple(row["success"]), tuple(row["steps"]))
