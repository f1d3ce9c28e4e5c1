"""Checkpoints of a run: ``RUN/checkpoints/step-000000123/``, written whole or not at all.

``agent/`` holds weights, configuration, tokenizer and model card, as ``transformers`` reads them, ``state.pt`` the
optimiser and the random states, ``checkpoint.json`` the step, the score and a checksum of every file. ``latest`` names
the newest.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, overload

import safetensors.torch
import torch
from torch import nn

from agents.agent import InteractiveAgent
from agents.card import ModelCard
from agents.folder import load_agent, load_weights, save_agent
from agents.tokenizer import Tokenizer
from rlhf.run.tracking import METRICS_FILE
from rlhf.store.columns import json_text
from rlhf.store.files.durable import explained, sync, sync_tree, write_file
from worlds.errors import RunError, UserError, device_is_full

SCHEMA_VERSION = 1

_AGENT, _STATE, _RECORD, _LATEST = "agent", "state.pt", "checkpoint.json", "latest"
_UNFINISHED, _DISCARDED = ".unfinished-", ".discarded-"

A = TypeVar("A", bound=InteractiveAgent)


@dataclass(frozen=True)
class Checkpoint:
    """One checkpoint on disk. ``score``: of whatever the run maximises; None if it was not measured."""

    folder: Path
    step: int
    score: float | None
    checksums: Mapping[str, str]

    @property
    def agent_folder(self) -> Path:
        """Folder of the agent, which `rlhf evaluate` and ``transformers`` read."""
        return self.folder / _AGENT

    @overload
    def load_agent(self, kind: None = None, device: str = "cpu") -> tuple[InteractiveAgent, Tokenizer]: ...

    @overload
    def load_agent(self, kind: type[A], device: str = "cpu") -> tuple[A, Tokenizer]: ...

    def load_agent(self, kind: type[A] | None = None, device: str = "cpu") -> tuple[Any, Tokenizer]:
        """The agent and its tokenizer. Raises UserError if the checkpoint is damaged.

        Args:
          kind: its class; None takes the registered kind of agent that its configuration names.
        """
        self._verify(_AGENT)
        return load_agent(self.folder / _AGENT, kind, device, role=None)

    def load_weights_into(self, model: nn.Module) -> None:
        """Give an agent, or another model, the checkpoint's weights.

        Raises:
          UserError: if the checkpoint is damaged, or of a model of another size.
        """
        self._verify(_AGENT)
        weights = safetensors.torch.load_file(self.folder / _AGENT / "model.safetensors")
        load_weights(model, weights, str(self.folder))

    def load_state(self) -> dict[str, Any]:
        """Return the state that was saved beside the agent, on the CPU.

        Raises:
          UserError: if the checkpoint is damaged, or a tensor in it holds values that are not finite.
        """
        self._verify(_STATE)
        try:
            state = torch.load(self.folder / _STATE, map_location="cpu", weights_only=True)
        except pickle.UnpicklingError as error:  # its text says how to load what is not safe to load
            raise UserError(
                f"{self.folder / _STATE} is not loaded: it is damaged, or holds other things than tensors, numbers and "
                f"text, which could run code; {self._hint}"
            ) from error
        except (RuntimeError, EOFError) as error:
            raise UserError(f"{self.folder / _STATE} cannot be read ({_first_line(error)}); {self._hint}") from error
        if (broken := _not_finite(state, "state")) is not None:
            raise UserError(f"{self.folder / _STATE} holds values that are not finite in {broken}; {self._hint}")
        return state

    @contextmanager
    def taken_over(self) -> Iterator[dict[str, Any]]:
        """Give the block the state that was saved beside the agent, which then belongs to it.

        Raises:
          UserError: as :meth:`load_state`, or if the block finds that it is not the state of such a training.
        """
        state = self.load_state()
        try:
            yield state
        except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            if isinstance(error, RunError) or device_is_full(error):
                raise
            what = f"{type(error).__name__}: {_first_line(error)}"
            raise UserError(f"{self.folder / _STATE} is not the state of such a run ({what}); {self._hint}") from error

    @property
    def _hint(self) -> str:
        return f"remove {self.folder} to resume from the checkpoint before it"

    def _verify(self, part: str) -> None:
        """Compare the files of ``part`` with their checksums. Raises UserError, naming the file, if one differs."""
        for name, checksum in self.checksums.items():
            path = self.folder / name
            if name.split("/")[0] == part and (not path.is_file() or _checksum(path) != checksum):
                what = "is damaged" if path.is_file() else "is missing"
                raise UserError(f"{path} {what}; {self._hint}")


class Checkpoints:
    """The checkpoints of one run: the newest few, and the best.

    Args:
      run: the run's folder.
      keep: number of the newest checkpoints that are kept, beside the one of the highest score.
    """

    def __init__(self, run: str | Path, keep: int = 3) -> None:
        if keep < 1:
            raise ValueError(f"keep is {keep}: without the newest checkpoint a run cannot be resumed")
        self.folder = Path(run) / "checkpoints"
        self._keep = keep

    def save(
        self,
        step: int,
        agent: InteractiveAgent,
        tokenizer: Tokenizer,
        state: Mapping[str, Any],
        score: float | None = None,
        card: ModelCard | None = None,
    ) -> Checkpoint:
        """Write a checkpoint of an agent, with ``card`` as its README.md; see :meth:`write`."""
        return self.write(step, lambda folder: save_agent(agent, tokenizer, folder, card), state, score)

    def write(
        self, step: int, save: Callable[[Path], object], state: Mapping[str, Any], score: float | None = None
    ) -> Checkpoint:
        """Write a checkpoint; it is on disk on return, and ``latest`` names it.

        Args:
          state: nested dicts and lists of tensors, numbers, texts, booleans and None.
          score: score of what is trained; higher is better.

        Raises:
          TypeError: naming the entry of ``state`` that could not be read back.
          UserError: if there is no space or no permission. Earlier checkpoints stay as they were.
        """
        _check_plain(state, "state")
        with explained(f"the checkpoint of step {step}", self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._sweep()
            sync_tree(self.folder.parent / METRICS_FILE)  # its rows are those of the updates until here
            unfinished = self.folder / f"{_UNFINISHED}{os.getpid()}"
            try:
                self._fill(unfinished, step, save, state, score)
                final = self.folder / f"step-{step:09d}"
                self._discard(final)
                unfinished.rename(final)
            except BaseException:
                shutil.rmtree(unfinished, ignore_errors=True)
                raise
            sync(self.folder)
            write_file(self.folder / _LATEST, f"{final.name}\n".encode())
            self._prune()
        return _read(final)

    def all(self) -> list[Checkpoint]:
        """All checkpoints, oldest first. Raises UserError if the record of one is damaged."""
        return [_read(folder) for folder in self._folders()]

    def latest(self) -> Checkpoint:
        """The newest checkpoint. Raises UserError if the run has none, or its record is damaged."""
        folders = self._folders()
        if not folders:
            raise UserError(f"{self.folder.parent} has no checkpoint to resume from; start the run again")
        pointer = self.folder / _LATEST
        named = (
            self.folder / pointer.read_text(encoding="utf-8", errors="replace").strip() if pointer.is_file() else None
        )
        return _read(named if named in folders else folders[-1])

    def latest_if_any(self) -> Checkpoint | None:
        """The newest checkpoint, None if the run has none. Raises UserError if its record is damaged."""
        return self.latest() if self._folders() else None

    def best(self) -> Checkpoint | None:
        """The checkpoint of the highest score, the newest of equals; None if none was scored."""
        scored = [checkpoint for checkpoint in self.all() if checkpoint.score is not None]
        return max(scored, key=lambda checkpoint: (checkpoint.score, checkpoint.step), default=None)

    def _folders(self) -> list[Path]:
        return sorted(path for path in self.folder.glob("step-*") if path.is_dir())

    def _fill(
        self, folder: Path, step: int, save: Callable[[Path], object], state: Mapping[str, Any], score: float | None
    ) -> None:
        """Fill ``folder`` with a checkpoint, its record last."""
        save(folder / _AGENT)
        buffer = io.BytesIO()
        torch.save(dict(state), buffer)
        write_file(folder / _STATE, buffer.getvalue())
        checksums = {path.relative_to(folder).as_posix(): _checksum(path) for path in _files(folder)}
        for path in _files(folder):
            sync(path)
        sync(folder / _AGENT)
        record = {"schema_version": SCHEMA_VERSION, "step": step, "score": score, "checksums": checksums}
        write_file(folder / _RECORD, (json.dumps(record, indent=2) + "\n").encode())

    def _prune(self) -> None:
        """Remove all but the newest and the best."""
        best = self.best()
        for folder in self._folders()[: -self._keep]:
            if best is None or folder != best.folder:
                self._discard(folder)

    def _discard(self, folder: Path) -> None:
        """Remove ``folder`` so that, whatever dies in between, no half of it passes for a checkpoint."""
        if folder.exists():
            discarded = folder.with_name(_DISCARDED + folder.name)
            folder.rename(discarded)
            shutil.rmtree(discarded, ignore_errors=True)

    def _sweep(self) -> None:
        """Remove what a process that died has left."""
        for leftover in (*self.folder.glob(f"{_UNFINISHED}*"), *self.folder.glob(f"{_DISCARDED}*")):
            shutil.rmtree(leftover, ignore_errors=True)


def _read(folder: Path) -> Checkpoint:
    """The checkpoint in ``folder``. Raises UserError if its record is missing, damaged or of another version."""
    path = folder / _RECORD
    try:
        record = json_text.from_json(path.read_text(encoding="utf-8"))
        version = record["schema_version"]
        checkpoint = Checkpoint(folder, int(record["step"]), record["score"], dict(record["checksums"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        what = f"{path} is damaged or missing ({_first_line(error)})"
        raise UserError(f"{what}; remove {folder} to resume from the checkpoint before it") from error
    if version != SCHEMA_VERSION:
        raise UserError(f"{folder} is a checkpoint of version {version}, this program reads version {SCHEMA_VERSION}")
    return checkpoint


def _check_plain(value: Any, where: str) -> None:
    """Refuse at once what a safe loader would refuse when it is too late."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if type(key) not in (str, int):
                raise TypeError(f"{where} has the key {key!r}; a checkpoint's keys are texts and whole numbers")
            _check_plain(item, f"{where}.{key}")
    elif type(value) in (list, tuple):
        for index, item in enumerate(value):
            _check_plain(item, f"{where}[{index}]")
    elif not (value is None or type(value) in (bool, int, float, str, torch.Tensor)):
        raise TypeError(f"{where} is a {type(value).__name__}; a checkpoint holds tensors, numbers and texts")


def _not_finite(value: Any, where: str) -> str | None:
    """The first tensor in ``value`` that holds nan or infinity, if any does."""
    if isinstance(value, torch.Tensor):
        return None if bool(torch.isfinite(value).all()) else where
    items = (
        value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, (list, tuple)) else ()
    )
    return next((found for key, item in items if (found := _not_finite(item, f"{where}.{key}")) is not None), None)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
