"""``kill -9`` of commands at random moments: nothing acknowledged is lost, and the command can be completed.

Acknowledged is what a reader has seen: an episode or a mark in a dataset, a checkpoint that ``latest`` names. After the
kills the command is given again (with ``--resume`` if there is a checkpoint) and must have the same result as without
kills.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.robustness.commands import begin, fault, rlhf
from benchmarks.robustness.material import WORLD, Material, clone_words, improve_words, reward_words
from benchmarks.robustness.process import Ended
from benchmarks.robustness.state import Contents, contents
from benchmarks.robustness.trial import Group, Trial
from rlhf.store import open_store
from worlds.errors import UserError

KILLS = 3  # of one command, one after another
WORKERS_END_SEC = 30.0  # time that they need to notice the death of their parent
PATIENCE_SEC = 600.0
SHORT_PLAY = Path(__file__).parents[2] / "examples" / "own_world" / "shelf.py"  # a world of short episodes
LONGER = ("--training.updates=40", "--checkpoint-every=4")


@dataclass(frozen=True)
class Job:
    """A command that is killed.

    Args:
      words: words of the command, which writes into the given folder.
      acknowledged: returns what a reader of the folder sees, which must not be lost.
      lost: describes what of that is missing; None if nothing is.
      result: returns the result of the finished command, to be compared.
      again: words of the command after a kill; None uses ``words``.
    """

    words: Callable[[Material, Path], list[object]]
    acknowledged: Callable[[Path], object]
    lost: Callable[[Path, object], str | None]
    result: Callable[[Path], object]
    again: Callable[[Material, Path], list[object]] | None = None


def trials(material: Material, rng: random.Random) -> list[Trial]:
    """Return trials of every job, killed at random moments of its duration."""
    found = []
    for name, (job, times) in JOBS.items():
        for number in range(times):
            shares = [rng.random() for _ in range(KILLS)]
            found.append(Trial(f"{name}, {number + 1} of {times}", _killed(material, name, job, shares)))
    return found


@cache
def _undisturbed(material: Material, name: str) -> tuple[object, float]:
    """Return the result of the job without kills, and its duration in seconds."""
    folder = material.folder / f"undisturbed-{name}-{os.getpid()}".replace(" ", "-")  # trials run at the same time
    folder.mkdir()
    job = JOBS[name][0]
    began = time.monotonic()
    ended = rlhf(folder, *job.words(material, folder), limit_sec=PATIENCE_SEC)
    if ended.status != 0:
        raise RuntimeError(f"{name}: fails undisturbed: {ended.err[-300:]}")
    return job.result(folder), time.monotonic() - began


def _killed(material: Material, name: str, job: Job, shares: list[float]) -> Callable[[Path], str | None]:
    def run(folder: Path) -> str | None:
        expected, seconds = _undisturbed(material, name)
        for share in shares:
            process = begin(folder, *_next(job, material, folder))
            until, seen = time.monotonic() + share * seconds, job.acknowledged(folder)
            while process.running() and time.monotonic() < until:
                time.sleep(0.01)
                seen = job.acknowledged(folder)
            process.send(signal.SIGKILL)
            ended = process.wait(PATIENCE_SEC)
            left = process.left_after(WORKERS_END_SEC)
            process.kill_session()
            broke = f"{len(left)} processes outlive their parent" if left else _after_kill(job, folder, ended, seen)
            if broke:
                return broke
        ended = rlhf(folder, *_next(job, material, folder), limit_sec=PATIENCE_SEC)
        if broke := fault(ended):
            return f"after the kills {broke}"
        if ended.status != 0:
            return f"after the kills: {ended.err.splitlines()[-1][:200]}"
        return None if job.result(folder) == expected else "has another result than undisturbed"

    return run


def _after_kill(job: Job, folder: Path, ended: Ended, seen: object) -> str | None:
    if ended.status not in (0, -signal.SIGKILL):
        return f"fails before it is killed: {ended.err.splitlines()[-1][:200]}"
    return job.lost(folder, seen)


def _next(job: Job, material: Material, folder: Path) -> list[object]:
    """Return the words of the next command, which resumes if there is a checkpoint."""
    if job.again is not None and list(folder.glob("*/checkpoints/step-*")):
        return job.again(material, folder)
    return job.words(material, folder)


# Datasets


def _seen_episodes(folder: Path) -> object:
    try:
        return frozenset(open_store(folder / "new").ids())
    except (UserError, OSError):
        return frozenset()


def _seen_marks(folder: Path) -> object:
    return frozenset(open_store(folder / "play").marks()) if (folder / "play").exists() else frozenset()


def _lost_episodes(folder: Path, seen: object) -> str | None:
    assert isinstance(seen, frozenset)
    if not (folder / "new" / "dataset.json").exists():
        return "the dataset is gone" if seen else None
    store = open_store(folder / "new")
    if problems := [problem for problem in store.verify() if not problem.ignorable]:
        return f"verify: {problems[0].file}: {problems[0].what}"
    missing = seen - set(store.ids())
    return f"{len(missing)} acknowledged episodes are lost" if missing else None


def _lost_marks(folder: Path, seen: object) -> str | None:
    assert isinstance(seen, frozenset)
    store = open_store(folder / "play")
    if problems := [problem for problem in store.verify() if not problem.ignorable]:
        return f"verify: {problems[0].file}: {problems[0].what}"
    missing = seen - set(store.marks())
    return f"{len(missing)} acknowledged marks are lost" if missing else None


def _recorded(folder: Path) -> Contents:
    return contents(folder / "new")


def _record(workers: int) -> Job:
    def words(material: Material, folder: Path) -> list[object]:
        settings = ["--episodes=8", "--steps=24", f"--workers={workers}", "--held-out=0"]
        return ["record", f"--data={folder / 'new'}", *settings, *WORLD]

    return Job(words, _seen_episodes, _lost_episodes, _recorded)


def _record_in_groups(material: Material, folder: Path) -> list[object]:
    """Words that record episodes of a few steps, which are written in groups (:mod:`rlhf.store.group_writer`)."""
    settings = [f"--world.name={SHORT_PLAY}", "--episodes=1500", "--steps=20", "--workers=1", "--held-out=0"]
    return ["record", f"--data={folder / 'new'}", *settings]


def _mark_words(material: Material, folder: Path) -> list[object]:
    if not (folder / "play").exists():
        material.copy("play", folder)
    return ["mark", f"--data={folder / 'play'}", "--raters=12", "--miss=0"]


# Runs


def _seen_step(folder: Path) -> object:
    for latest in folder.glob("*/checkpoints/latest"):
        return int(latest.read_text().strip().removeprefix("step-"))
    return 0


def _lost_step(folder: Path, seen: object) -> str | None:
    assert isinstance(seen, int)
    if seen == 0:
        return None
    from rlhf.run.checkpoint import Checkpoints

    (run,) = (path.parent for path in folder.glob("*/checkpoints"))
    newest = Checkpoints(run).latest()
    newest.load_state()  # raises if a file of it is damaged
    return f"checkpoint {seen} is lost, the newest is {newest.step}" if newest.step < seen else None


def _weights(folder: Path) -> object:
    (path,) = (p for name in ("agent", "reward_model") for p in folder.glob(f"*/{name}/model.safetensors"))
    return path.read_bytes()


def _training(verb: str, words: Callable[[Material, Path], list[str]], *more: str) -> Job:
    return Job(
        lambda material, folder: [verb, *words(material, folder), *more],
        _seen_step,
        _lost_step,
        _weights,
        again=lambda material, folder: [verb, f"--resume={folder / verb}"],
    )


JOBS: dict[str, tuple[Job, int]] = {
    "record": (_record(1), 6),
    "record with two workers": (_record(2), 3),
    "record in groups": (Job(_record_in_groups, _seen_episodes, _lost_episodes, _recorded), 3),
    "mark": (Job(_mark_words, _seen_marks, _lost_marks, lambda folder: contents(folder / "play")), 4),
    "clone": (_training("clone", clone_words, *LONGER), 4),
    "reward": (_training("reward", reward_words, *LONGER), 4),
    "improve": (_training("improve", improve_words, "--updates=16"), 3),
}

GROUP = Group(
    name="kills",
    tried=f"`record`, `mark`, `clone`, `reward` or `improve` is killed (`kill -9`) {KILLS} times, at random moments",
    expectation=(
        "every episode, mark and checkpoint that a reader had seen is there, no process is left, the dataset verifies, "
        "and the same command, repeated, ends as it does without interruption"
    ),
    promises=(
        "An episode, a mark or a checkpoint that a reader has seen survives `kill -9` of its writer.",
        "A recording that was killed is completed by the same command, and has the same episodes.",
        "A killed `clone`, `reward` or `improve` is resumed with `--resume`, or begun again if it had no checkpoint, "
        "and ends with the same weights, bit for bit.",
        "Worker processes end when the command that started them has died.",
    ),
    trials=trials,
)
