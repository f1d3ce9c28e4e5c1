"""`kill -9` of the server while judges judge: how many acknowledged verdicts are lost (none may be).

    python -m benchmarks.kill_judging --kills 50

The same as ``benchmarks/kill_server.py`` with raters. Judges give verdicts, revise them and submit as fast as the
server acknowledges. At the end the dataset must hold all acknowledged verdicts, and each one in transit wholly or not.
"""

from __future__ import annotations

import random
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from annotation.server.security.visitors import Role
from benchmarks.kill_server import Outcome, kill_over_and_over
from benchmarks.serving import PATIENCE_SEC, TAKES_OVER, RaterClient, ask_everybody, make_suite, new_people, served
from benchmarks.timing import options
from rlhf.records.marks import Judgement
from rlhf.store import open_store

STEPS = 40

Said = dict[str, Any]  # a verdict as it is sent: revision, success, step, left_out
_NOTHING: Said = {"revision": 0, "success": None, "step": None, "left_out": ""}


@dataclass
class Judge:
    """One judge's browser.

    Args:
      said: last acknowledged verdict on it.
      submitting: True if submission has been sent.
      submitted: verdicts whose submission was acknowledged, by request.
    """

    cookie: str
    rng: random.Random
    place: str = ""
    request: str = ""
    said: Said = field(default_factory=lambda: _NOTHING)
    unsure: Said | None = None
    submitting: bool = False
    submitted: dict[str, Said] = field(default_factory=dict)
    acknowledged: int = 0

    def work(self, url: str) -> None:
        """Judge until the server dies, or there is nothing more."""
        try:
            client = RaterClient(url, self.cookie)
            if self.place:
                self._resend(client)
            while self._begin(client):
                for _ in range(self.rng.randint(1, 3)):
                    self._say(client, self._next())
                self._submit(client)
        except httpx.TransportError:
            pass

    def lost(self, client: RaterClient) -> int:
        """Count verdicts that the server holds differently from what it acknowledged."""
        if not self.place:
            return 0
        found = client.ask("GET", self.place).json()
        possible = [said for said in (self.said, self.unsure) if said is not None]
        kept = _verdict(found["answers"][0]) if found["answers"] else _NOTHING
        wrong = kept not in possible or (found["submitted"] and not self.submitting)
        counted = client.ask("GET", "/api/tasks/judging").json()["submitted"]
        return int(wrong) + abs(counted - len(self.submitted) - int(found["submitted"]))

    def finish(self, client: RaterClient) -> dict[str, Said]:
        """Finish the present continuation, and return the judge's verdicts that the dataset must hold, by request."""
        if self.place:
            self._resend(client)
        return self.submitted

    def _begin(self, client: RaterClient) -> bool:
        """Open a continuation, if none is open; return False if there are no more."""
        if not self.place:
            assignment = client.ask("POST", "/api/tasks/judging/next").json()["assignment"]
            if assignment is None:
                return False
            place = f"/api/tasks/judging/{assignment}"
            self.request = client.ask("GET", place).json()["request"]
            self.place, self.said, self.submitting = place, _NOTHING, False
        return True

    def _next(self) -> Said:
        """Return a random next verdict, never an empty one."""
        success, left_out = self.rng.choice(((True, ""), (False, ""), (None, "no request"), (None, "cannot tell")))
        latest = self.unsure or self.said
        step = self.rng.randrange(TAKES_OVER, STEPS) if success else None
        return {"revision": latest["revision"] + 1, "success": success, "step": step, "left_out": left_out}

    def _say(self, client: RaterClient, verdict: Said) -> None:
        self.unsure = verdict
        named = {"id": self.place.rpartition("/")[2], **verdict}
        (kept,) = client.ask("PUT", f"{self.place}/answers", {"answers": [named]}).json()["answers"]
        answer = _verdict(kept)
        assert answer == verdict, f"{verdict} was sent, {answer} kept"
        self.said, self.unsure = verdict, None
        self.acknowledged += 1

    def _submit(self, client: RaterClient) -> None:
        self.submitting = True
        client.ask("POST", f"{self.place}/submit", {"revision": self.said["revision"]})
        self.submitted[self.request] = self.said
        self.acknowledged += 1
        self.place, self.submitting = "", False

    def _resend(self, client: RaterClient) -> None:
        """Send requests without an answer again, as a browser does after a reconnection."""
        if self.unsure is not None:
            self._say(client, self.unsure)
        if self.submitting or client.ask("GET", self.place).json()["submitted"]:
            self._submit(client)


def _verdict(kept: dict[str, Any]) -> Said:
    """Return a verdict that the server holds, without its id."""
    return {name: value for name, value in kept.items() if name != "id"}


def kill_and_count(folder: Path, kills: int, judges: int, continuations: int = 400, seed: int = 0) -> Outcome:
    """Kill the server of a new study in ``folder`` ``kills`` times while judges judge, and count losses."""
    rng = random.Random(seed)
    asked = make_suite(folder, continuations, STEPS)
    with served(folder):  # makes the database
        pass
    ask_everybody(folder, judges)
    cookies = new_people(folder, Role.JUDGE, judges)
    workers = [Judge(cookie, random.Random(rng.random())) for cookie in cookies]
    lost = kill_over_and_over(folder, kills, workers, rng)
    with served(folder) as (_, url, _):
        expected = set()
        for worker in workers:
            client = RaterClient(url, worker.cookie)
            lost += worker.lost(client)
            name = client.ask("GET", "/api/me").json()["id"]
            for request, said in worker.finish(client).items():
                expected.add(_judgement(asked[request], name, said))
        wrong = _wrong_in_dataset(folder, expected)
    return Outcome(sum(worker.acknowledged for worker in workers), lost, wrong)


def _judgement(episode: str, judge: str, said: Said) -> Judgement:
    """The dataset's record of a verdict that was submitted."""
    return Judgement(episode, judge, bool(said["success"]), said["step"], False, said["left_out"])


def _wrong_in_dataset(folder: Path, expected: set[Judgement]) -> int:
    """Count judgements that differ in the dataset, after their export."""
    until = time.monotonic() + PATIENCE_SEC
    while (found := set(open_store(folder / "sts").judgements())) != expected and time.monotonic() < until:
        time.sleep(0.05)
    return len(found ^ expected)


def main() -> None:
    """Run it and print the result."""
    settings = options(__doc__, kills=50, judges=8, continuations=400)
    with tempfile.TemporaryDirectory() as folder:
        outcome = kill_and_count(Path(folder) / "study", settings.kills, settings.judges, settings.continuations)
    print(
        f"{settings.kills} kills, {settings.judges} judges: {outcome.acknowledged} acknowledged, {outcome.lost} lost; "
        f"{outcome.wrong_in_dataset} judgements wrong in the dataset"
    )


if __name__ == "__main__":
    main()
