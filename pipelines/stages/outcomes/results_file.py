"""Files of results of `rlhf evaluate`: a JSON list with a row for every agent and probe.

A row holds the settings and the weights that it was played with, so that an evaluation is resumed only with the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from agents.language_models import is_language_model
from agents.language_models.folder import load_language_model
from pipelines.stages.outcomes.paired import gain
from pipelines.stages.running.staged_run import format_differences
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.records.json_records import differences, from_json, to_json
from rlhf.run.statistics import Interval
from rlhf.store.columns import json_text
from rlhf.store.files.durable import write_file
from worlds.errors import UserError
from worlds.settings import BadValue

Split = Literal["held_out", "train"]
SCRIPTED = ("scripted", "perfect")  # in place of an agent's folder
RANDOM = "random"  # likewise, in evaluations
LEARNED = "learned setter"  # in place of a probe's name, where such a setter asks
_SETTINGS, _WEIGHTS = "evaluated_with", "weights"  # in a row
_DIFFERENCE = "difference"  # in a row; absent without a baseline
_FAILED = "failed"  # in a row; absent where no world failed
_HINT = "name another file with --out, or move that one away"


@dataclass(frozen=True)
class Difference:
    """Success of an agent less the baseline's, as shares of 1, paired by episode, with 95% bootstrap intervals."""

    baseline: str
    at_probe: Interval
    over_all: Interval


@dataclass(frozen=True)
class ProbeResult:
    """Result of one agent at one probe; entry i of every tuple is the same house and instruction for all agents.

    Args:
      steps: steps until success, None without success.
      difference: difference to the baseline; None without a baseline, and of the baseline itself.
      failed: seeds of the episodes in which the world failed; they count as no success.
    """

    agent: str
    probe: str
    seeds: tuple[int, ...]
    success: tuple[bool, ...]
    steps: tuple[int | None, ...]
    difference: Difference | None = None
    failed: tuple[int, ...] = ()

    @property
    def episodes(self) -> int:
        return len(self.success)

    @property
    def rate(self) -> float:
        return sum(self.success) / self.episodes


@dataclass(frozen=True)
class EvaluatedWith:
    """Settings that decide what is played, the same for all results of a file.

    Slots are among them, as an agent samples its actions for all slots together.

    Args:
      setters: what identifies a learned setter that asks (:func:`pipelines.stages.evaluate_setters.asked_with`); None
        where probes are asked.
    """

    episodes: int
    split: Split
    seed: int
    slots: int
    greedy: bool
    world: WorldConfig
    players: PlayersConfig
    setters: str | None = None
    greedy_words: bool = False


class ResultsFile:
    """File of results, written after every probe.

    Results that it holds are kept and not played again.

    Args:
      agents: folder of each agent by its name.

    Raises:
      UserError: if the file is of other settings, or of other weights under the name of one of ``agents``, or is none
        of results.
    """

    def __init__(self, path: Path, settings: EvaluatedWith, agents: Mapping[str, str]) -> None:
        self._path, self._settings = path, settings
        self._weights = {name: fingerprint(folder) for name, folder in agents.items()}
        self._rows: dict[tuple[str, str], dict[str, Any]] = {}
        if path.exists():
            self._rows = {(row["agent"], row["probe"]): row for row in _rows(path, _HINT)}
            for row in self._rows.values():
                self._check(row)

    def __contains__(self, pair: tuple[str, str]) -> bool:
        """Return True if the file holds the results of (agent, probe)."""
        return pair in self._rows

    def results(self) -> list[ProbeResult]:
        """Return all results in the file, in the order of playing."""
        return [_result(row) for row in self._rows.values()]

    def add(self, result: ProbeResult) -> None:
        """Write a result of one of the agents; it is on disk on return."""
        played = {_SETTINGS: to_json(self._settings), _WEIGHTS: self._weights[result.agent]}
        row = asdict(result) | played
        self._rows[result.agent, result.probe] = {name: row[name] for name in row if name != _FAILED or row[name]}
        self._write({})  # differences over all probes would not include this one

    def compare(self, baseline: str) -> None:
        """Write the differences of all results to those of the agent ``baseline``, in place of earlier ones."""
        self._write(differences_to(self.results(), baseline))

    def _write(self, found: Mapping[tuple[str, str], Difference]) -> None:
        for pair, row in self._rows.items():
            row.pop(_DIFFERENCE, None)
            if pair in found:
                row[_DIFFERENCE] = asdict(found[pair])
        write_file(self._path, json.dumps(list(self._rows.values())).encode())

    def _check(self, row: dict[str, Any]) -> None:
        try:
            settings = from_json(EvaluatedWith, row.get(_SETTINGS, {}))
        except BadValue as error:
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
    """Return a digest of an agent's weights, of a language model also of its prompts; a scripted player's name."""
    if folder in (*SCRIPTED, RANDOM):
        return folder
    if is_language_model(folder):
        return load_language_model(folder).digest()
    with open(Path(folder) / "model.safetensors", "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def load_results(path: Path) -> list[ProbeResult]:
    """Read the results in a file. Raises UserError if it is missing or something else."""
    return [_result(row) for row in _rows(path, "run it again")]


def _rows(path: Path, hint: str) -> list[dict[str, Any]]:
    """Read the rows of a file. Raises UserError, with ``hint``, if it is missing or something else."""
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
    return ProbeResult(
        row["agent"],
        row["probe"],
        tuple(row["seeds"]),
        tuple(row["success"]),
        tuple(row["steps"]),
        _difference(row.get(_DIFFERENCE)),
        tuple(row.get(_FAILED, ())),
    )


def _difference(found: dict[str, Any] | None) -> Difference | None:
    if found is None:
        return None
    return Difference(found["baseline"], Interval(**found["at_probe"]), Interval(**found["over_all"]))


def differences_to(results: Sequence[ProbeResult], baseline: str) -> dict[tuple[str, str], Difference]:
    """Return the differences of agents to ``baseline`` by agent and probe, at the probes that both have played."""
    before = {result.probe: result for result in results if result.agent == baseline}
    found = dict[tuple[str, str], Difference]()
    for agent in dict.fromkeys(result.agent for result in results if result.agent != baseline):
        after = [result for result in results if result.agent == agent and result.probe in before]
        if not after:
            continue
        over_all = gain([after], [[before[result.probe] for result in after]])
        for result in after:
            at_probe = gain([[result]], [[before[result.probe]]])
            found[agent, result.probe] = Difference(baseline, at_probe, over_all)
    return found
