"""`kill -9` of the server while raters mark: how many acknowledged marks are lost (none may be).

    python benchmarks/kill_server.py --kills 50

Raters send marks, moves and deletions as fast as they are acknowledged. The server is killed at a random moment and
started again, over and over; then the raters submit, and the dataset must hold exactly what they know to be saved.
What was sent but not acknowledged may be there or not: a browser sends it again.
"""

from __future__ import annotations

import random
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

import httpx

from annotation.server.security.visitors import Role
from benchmarks.serving import PATIENCE_SEC, RaterClient, make_study, new_people, served
from benchmarks.timing import options
from rlhf.store import open_store


class Worker(Protocol):
    """A rater's browser: its changes, and those that were acknowledged."""

    cookie: str  # of their session
    acknowledged: int  # acknowledgements by the server

    def work(self, url: str) -> None:
        """Work until the server dies."""
        ...

    def lost(self, client: RaterClient) -> int:
        """Count what the server holds differently from what it acknowledged."""
        ...


@dataclass
class Rater:
    """One rater's browser: its changes, and those that were acknowledged."""

    cookie: str
    steps: int
    rng: random.Random
    place: str = ""
    marks: dict[str, dict[str, Any]] = field(default_factory=dict)  # as last acknowledged, by id
    unsure: dict[str, dict[str, Any]] = field(default_factory=dict)  # sent, without an answer
    acknowledged: int = 0

    def work(self, url: str) -> None:
        """Mark until the server dies."""
        try:
            client = RaterClient(url, self.cookie)
            self.place = self.place or client.begin() or ""
            self._send(client, list(self.unsure.values()))  # as a browser does after a reconnection
            while True:
                self._send(client, [self._next() for _ in range(self.rng.randint(1, 3))])
        except httpx.TransportError:
            pass

    def finish(self, client: RaterClient) -> set[tuple[int, int]]:
        """Submit, and return steps and signs of this rater's marks that the dataset must hold."""
        self._send(client, list(self.unsure.values()))
        living = [mark for mark in self.marks.values() if not mark["deleted"]]
        client.ask("POST", f"{self.place}/submit", {"answers": len(living)})
        return {(mark["step"], mark["sign"]) for mark in living if mark["until"] is None}

    def lost(self, client: RaterClient) -> int:
        """Count marks that the server holds differently from what it acknowledged."""
        if not self.place:
            return 0
        kept = {mark["id"]: mark for mark in client.ask("GET", self.place).json()["answers"]}
        missing = 0
        for mark_id, mark in self.marks.items():
            possible = [mark, self.unsure[mark_id]] if mark_id in self.unsure else [mark]
            missing += kept.get(mark_id) not in possible
        return missing

    def _next(self) -> dict[str, Any]:
        """Return a new mark or verdict, or a known one, moved or deleted."""
        if self.marks and self.rng.random() < 0.3:
            old = self.rng.choice(list(self.marks.values()))
            revision = max(old["revision"], self.unsure.get(old["id"], old)["revision"]) + 1
            moved = {} if old["until"] else {"step": self._step()}
            return old | {"revision": revision, "deleted": self.rng.random() < 0.5} | moved
        new = {"id": str(UUID(int=self.rng.getrandbits(128))), "revision": 1, "step": self._step()}
        until = self.steps if self.rng.random() < 0.2 else None  # then it is a verdict, up to the end
        return new | {"sign": self.rng.choice((1, -1)), "deleted": False, "until": until}

    def _step(self) -> int:
        return self.rng.randrange(self.steps)

    def _send(self, client: RaterClient, marks: list[dict[str, Any]]) -> None:
        latest = {mark["id"]: mark for mark in marks}  # the same mark twice in one message: the later counts
        if not latest or len(self.marks) > 4000:
            return
        self.unsure |= latest
        client.ask("PUT", f"{self.place}/answers", {"answers": list(latest.values())})
        for mark_id, mark in latest.items():
            self.marks[mark_id] = mark
            self.unsure.pop(mark_id, None)
        self.acknowledged += len(latest)


@dataclass(frozen=True)
class Outcome:
    """Result of a run."""

    acknowledged: int
    lost: int
    wrong_in_dataset: int


def kill_over_and_over(folder: Path, kills: int, workers: Sequence[Worker], rng: random.Random) -> int:
    """Kill the server of ``folder`` repeatedly while users work, and return what restarted servers have lost."""
    lost = 0
    for _ in range(kills):
        with served(folder) as (process, url, _):
            lost += sum(worker.lost(RaterClient(url, worker.cookie)) for worker in workers)
            threads = [threading.Thread(target=worker.work, args=(url,)) for worker in workers]
            for thread in threads:
                thread.start()
            before = sum(worker.acknowledged for worker in workers)
            while sum(worker.acknowledged for worker in workers) == before and any(t.is_alive() for t in threads):
                time.sleep(0.01)
            time.sleep(rng.uniform(0, 1.0))
            process.kill()
            for thread in threads:
                thread.join()
    return lost


def kill_and_count(folder: Path, kills: int, raters: int, steps: int = 300, seed: int = 0) -> Outcome:
    """Kill the server of a new study in ``folder`` repeatedly while raters mark, and count losses."""
    rng = random.Random(seed)
    make_study(folder, raters, steps)
    with served(folder):  # makes the database
        pass
    workers = [Rater(cookie, steps, random.Random(rng.random())) for cookie in new_people(folder, Role.RATER, raters)]
    lost = kill_over_and_over(folder, kills, workers, rng)
    with served(folder) as (_, url, _):
        lost += sum(worker.lost(RaterClient(url, worker.cookie)) for worker in workers)
        expected = [worker.finish(RaterClient(url, worker.cookie)) for worker in workers]
        wrong = _wrong_in_dataset(folder, expected)
    return Outcome(sum(worker.acknowledged for worker in workers), lost, wrong)


def _wrong_in_dataset(folder: Path, expected: list[set[tuple[int, int]]]) -> int:
    """Count raters whose marks differ in the dataset, after the export."""
    wanted = sorted(sorted(marks) for marks in expected if marks)
    until = time.monotonic() + PATIENCE_SEC
    while True:
        by_rater: dict[str, set[tuple[int, int]]] = {}
        for mark in open_store(folder / "play").marks():
            by_rater.setdefault(mark.rater, set()).add((mark.step, mark.sign))
        found = sorted(sorted(marks) for marks in by_rater.values())
        if found == wanted or time.monotonic() > until:
            return sum(marks not in found for marks in wanted) + max(0, len(found) - len(wanted))
        time.sleep(0.05)


def main() -> None:
    """Run it and print the result."""
    settings = options(__doc__, kills=50, raters=8)
    with tempfile.TemporaryDirectory() as folder:
        outcome = kill_and_count(Path(folder) / "study", settings.kills, settings.raters)
    print(
        f"{settings.kills} kills, {settings.raters} raters: {outcome.acknowledged} changes acknowledged, "
        f"{outcome.lost} lost; marks of {outcome.wrong_in_dataset} raters wrong in the dataset"
    )


if __name__ == "__main__":
    main()
