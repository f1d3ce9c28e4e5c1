"""The check of a world: which tier it really reaches, found by trying every promise of the contract."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from worlds.checks.parts import BOUNDS, Finding, check_parts, checked_part
from worlds.checks.problems import PLAYERS, Problem, all_silent
from worlds.contract import SOLVER
from worlds.contract.random_play import fitted, play_from, random_actions
from worlds.contract.tiers import EXACT, NAMES, RECORDED, SEEDED, TICK_WISE, includes
from worlds.registry import WorldEntry, get, is_found_anywhere
from worlds.spaces.observation import PlayerSpec

OTHER_PROCESS, PICKLES = "another process", "pickles"
_PARTS = {  # that a tier needs besides those of the tiers before it
    RECORDED: ("spaces",),
    SEEDED: ("reset and step", "places", "reset by seed"),
    EXACT: ("replay", OTHER_PROCESS),
    TICK_WISE: ("ticks",),
}
_ARRAYS = {
    "numpy.ndarray", "numpy.dtype", "numpy._core.multiarray._reconstruct", "numpy.core.multiarray._reconstruct",
}  # fmt: skip
# Parts without which a world can be played.
ADVICE = (BOUNDS, "reset by seed", "replay", OTHER_PROCESS, "ticks", PICKLES)
_PROCESS_SEC = 60.0


@dataclass(frozen=True)
class WorldReport:
    """What the check of a world has found.

    Args:
      spec: the solver's spaces; None if they cannot be read.
      steps_per_sec: random play on one core, resets included; None if the world cannot be played.
      declared: the tier that the entry declares; None if it declares none.
    """

    findings: tuple[Finding, ...]
    spec: PlayerSpec | None = None
    steps_per_sec: float | None = None
    start_sec: float | None = None
    declared: str | None = None

    @property
    def tier(self) -> str | None:
        """The highest tier that the world reaches; None if its spaces cannot be declared."""
        reached = None
        for tier in NAMES:
            if self.needs(tier):
                break
            reached = tier
        return reached

    def reaches(self, tier: str) -> bool:
        """Return True if the world reaches ``tier`` and all tiers before it."""
        return not any(self.needs(one) for one in NAMES[: NAMES.index(tier) + 1])

    @property
    def falls_short(self) -> bool:
        """True if the world does not reach the tier that it declares."""
        return self.declared is not None and not (self.tier and includes(self.tier, self.declared))

    @property
    def fails(self) -> bool:
        """True if the world breaks what it declares; a world of recorded play need not be played."""
        return self.falls_short or bool(self.broken and self.declared != RECORDED)

    def needs(self, tier: str) -> str:
        """Return what a tier needs besides the tiers before it that the world does not have; "" for nothing."""
        there = {finding.part: finding for finding in self.findings}
        for part in _PARTS[tier]:
            finding = there.get(part)
            if finding is None and part != OTHER_PROCESS:
                return f"{part}: not tried, as an earlier part fails"
            if finding is not None and finding.problems:
                return str(finding.problems[0])
            if finding is not None and not finding.offered:
                return "play_ticks, end_step and view (worlds.contract.TickWise)"
        return ""

    @property
    def broken(self) -> tuple[Problem, ...]:
        """The problems without which the world could be played."""
        spared = ADVICE if self.reaches(EXACT) else (*ADVICE, "snapshot")  # chance that no seed rules spoils both
        return tuple(each for finding in self.findings if finding.part not in spared for each in finding.problems)


def check_world(
    entry: WorldEntry, name: str | None = None, options: Mapping[str, Any] | None = None, seconds: float = 2.0
) -> Iterator[Finding | WorldReport]:
    """Try every promise of the contract; yield each finding as it is made, and at last the report of all.

    Args:
      name: name by which another process finds the world; None skips that part.
    """
    found = replace(entry, make=partial(entry.make, **options)) if options else entry
    findings: list[Finding] = []
    with unpickled() as classes:
        for finding in check_parts(found):
            findings.append(finding)
            yield finding
    parts: list[tuple[str, Callable[[WorldEntry], list[Problem] | None]]] = []
    if name is not None and is_found_anywhere(name) and not WorldReport(tuple(findings)).needs(SEEDED):
        parts.append((OTHER_PROCESS, lambda one: _other_process(one, name, options or {})))
    parts.append((PICKLES, lambda one: pickle_problems(classes)))
    for part, check in parts:
        findings.append(checked_part(part, check, found))
        yield findings[-1]
    spec = None if findings[0].problems else found.player_specs()[SOLVER]
    speed = None, None
    if not WorldReport(tuple(findings)).broken:
        speed = _speed(found, seconds)
    yield WorldReport(tuple(findings), spec, *speed, declared=entry.tier)


def play_digest(name: str, options: str) -> str:
    """Return a digest of all observations of one episode of random play, to compare processes; ``options`` is JSON."""
    entry = get(name)
    return _digest(replace(entry, make=partial(entry.make, **json.loads(options))))


def _digest(entry: WorldEntry) -> str:
    world, digest = entry.make(views=PLAYERS), hashlib.sha256()
    for seen in play_from(world, entry.sample_config(13), random_actions(world, 5)):
        for player in PLAYERS:
            there: Mapping[str, Any] = seen[player]
            for key in sorted(there):
                value = there[key]
                digest.update(value.encode() if isinstance(value, str) else np.ascontiguousarray(value).tobytes())
    world.close()
    return digest.hexdigest()


def _other_process(entry: WorldEntry, name: str, options: Mapping[str, Any]) -> list[Problem]:
    """The same play gives the same bits in a fresh process, with another order of Python's sets."""
    code = "import sys; from worlds.checks.report import play_digest; print(play_digest(*sys.argv[1:]))"
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, name, json.dumps(dict(options))], capture_output=True, text=True,
        timeout=_PROCESS_SEC, env=os.environ | {"PYTHONPATH": paths, "PYTHONHASHSEED": "1"},
    )  # fmt: skip
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1][:200]
        return [Problem("play in another process", reason, "play as in this one")]
    if done.stdout.split()[-1:] != [_digest(entry)]:
        return [Problem("play in another process", "other observations after the same actions", "the same bits")]
    return []


_heard: list[set[str]] = []  # sets of those who listen; a hook of the interpreter cannot be removed
_hooked = False


@contextmanager
def unpickled() -> Iterator[set[str]]:
    """Collect the names of the classes that anything in the body unpickles."""
    global _hooked
    if not _hooked:
        sys.addaudithook(_listen)
        _hooked = True
    found: set[str] = set()
    _heard.append(found)
    try:
        yield found
    finally:
        _heard.remove(found)


def _listen(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "pickle.find_class":
        for found in _heard:
            found.add(".".join(map(str, arguments)))


def pickle_problems(classes: set[str]) -> list[Problem]:
    """Return a problem that names what was unpickled, if anything was but arrays and numba's compiled code.

    Compiled code that takes named tuples of ours, or has members of enumerations in it, looks their classes up so.
    """
    classes = {name for name in classes if name not in _ARRAYS and not name.startswith("worlds.")}
    if any(name.startswith("numba.") for name in classes):
        classes = {name for name in classes if not name.startswith(("numba.", "builtins.", "copyreg.", "_operator."))}
    if not classes:
        return []
    wanted = "files of a plain format, such as JSON or npz: what is unpickled may run any code"
    return [Problem("unpickled while it was made and played", ", ".join(sorted(classes)[:5]), wanted)]


def _speed(entry: WorldEntry, seconds: float) -> tuple[float, float]:
    """Return steps a second of random play, and the seconds until the first observation."""
    began = time.perf_counter()
    world = entry.make()
    world.reset(seed=0)
    world.step(all_silent(world))
    start = time.perf_counter() - began
    actions = random_actions(world, 4, steps=64)
    steps = seed = 0
    began = time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        if not world.agents:
            seed += 1
            world.reset(seed=seed)
        world.step(fitted(world, actions[steps % len(actions)], None))
        steps += 1
    world.close()
    return steps / passed, start
