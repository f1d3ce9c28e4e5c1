"""Declarations of experiments: those of each folder are the ``EXPERIMENTS`` of its ``__init__.py``."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from experiments.engine.config import ExperimentSeed, check_seeds
from rlhf.run.setting_forms import Result
from worlds.errors import UserError
from worlds.ranges import Count
from worlds.settings import settings

Setting = Literal["episodes", "device", "arms", "parts", "source", "docs"]
Kind = Literal["arms", "parts", "demo", "own"]
_TAKEN: dict[Kind, frozenset[Setting]] = {
    "arms": frozenset({"episodes", "device", "arms", "docs"}),
    "parts": frozenset({"episodes", "device", "arms", "parts", "docs"}),
    "demo": frozenset({"episodes", "device", "docs"}),
    "own": frozenset(),
}
_REASONS: dict[Setting, str] = {
    "arms": "does not compare several agents",
    "parts": "has no parts",
    "docs": "writes no tables into the pages",
    "source": "needs no files of others",
    "episodes": "has its own numbers of episodes",
    "device": "chooses its own devices",
}


@settings
class ReproduceConfig:
    """Settings of `rlhf reproduce`.

    Args:
      name: name of the experiment, such as demo, plateau, babyai, school or watch-and-help; an unknown one lists
        all, and experiments/*/README.md describe them.
      seeds: seeds, each from 0 to 249; one run each.
      episodes: held-out episodes of each probe, agent and seed.
      runs: folder of the runs. Complete runs are not run again.
      arms: agents to train, of an experiment that compares several; none means all.
      parts: parts of an experiment that consists of several (babyai, by the beginnings of their names; watch-and-help;
        school); none means all.
      device: device that trains and evaluates: "cpu", "cuda" or "cuda:1"; None is the preset's. It may change when an
        experiment is resumed.
      source: folder of the published files that are learned from (door, overcooked), or of the language model that
        acts (school), which you download; or of the experiment whose agents are judged (judged) or trained further
        (fresh-marks, rounds).
      docs: write the tables of a complete experiment into the pages of this copy of the repository.
    """

    name: Result = "demo"
    seeds: tuple[ExperimentSeed, ...] = (0, 1, 2)
    episodes: Count = 200
    runs: Path = Path("runs/reproduce")
    arms: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    device: str | None = None
    source: Path | None = None
    docs: bool = False

    def __post_init__(self) -> None:
        check_seeds(self.seeds)

    @property
    def run(self) -> Path:
        """Folder of the experiment."""
        return self.runs / self.name

    def needed_source(self) -> Path:
        """Return ``source``, of an experiment that declares that it needs one."""
        assert self.source is not None, "it is checked before the experiment begins"
        return self.source.absolute()


@dataclass(frozen=True)
class Experiment:
    """What `rlhf reproduce NAME` runs.

    Args:
      entry: function as "module:name". It returns the configuration of the kinds "arms" (ExperimentConfig), "parts"
        (several of them, by name) and "demo" (LoopConfig). Of the kind "own" it takes the ReproduceConfig and
        returns the Plan.
      kind: see ``entry``.
      takes: settings that an experiment of the kind "own" takes besides seeds and folder.
      needs: why it cannot run without ``source``; "" where it can.
    """

    name: str
    entry: str
    kind: Kind = "arms"
    takes: frozenset[Setting] = frozenset()
    needs: str = ""

    def load(self) -> Callable[..., Any]:
        """Import the function."""
        module, _, function = self.entry.partition(":")
        return getattr(importlib.import_module(module), function)

    def check(self, config: ReproduceConfig) -> None:
        """Refuse settings that the experiment would ignore, and its lack of a source. Raises UserError."""
        default = ReproduceConfig()
        for setting, reason in _REASONS.items():
            if setting not in _TAKEN[self.kind] | self.takes and getattr(config, setting) != getattr(default, setting):
                raise UserError(f"{self.name} {reason}: leave out --{setting}")
        if self.needs and config.source is None:
            raise UserError(f"{self.name} {self.needs}: name their folder with --source")


def experiments() -> dict[str, Experiment]:
    """Return all declared experiments by name."""
    import experiments as rooms

    packages = (importlib.import_module(f"{rooms.__name__}.{one.name}") for one in pkgutil.iter_modules(rooms.__path__))
    found = (one for package in packages for one in getattr(package, "EXPERIMENTS", ()))
    return {one.name: one for one in sorted(found, key=lambda one: one.name)}


def experiment_named(name: str) -> Experiment:
    """Return the experiment ``name``. Raises UserError if there is none."""
    known = experiments()
    if name not in known:
        raise UserError(f"no experiment {name!r}; known: {', '.join(known)}")
    return known[name]
