"""Rounds of improvement behind the page *Teach* (`rlhf teach`).

They are `rlhf iterate --marks people`, whose play people mark in the web app: a process of its own plays, trains and
evaluates, and ends where people are to mark. All that is said and made is in the folder of the run, as of any loop.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import numpy as np

from annotation.server.errors import Refused
from annotation.server.teacher import Compared, Phase, Predicted, Taught, TaughtAgent, Work
from pipelines.loops import foreseen
from pipelines.loops.comparison import ROUNDS_FILE, write_rounds
from pipelines.loops.loop import iterate
from pipelines.loops.preferred import COMPARED, answers, compared_folder, count_pairs, record_both, share_preferred
from pipelines.loops.rounds import (
    CLONE,
    EVALUATED,
    MARKED,
    MOST_ROUNDS,
    PLAYED,
    LoopConfig,
    Round,
    asked_folder,
    asked_play,
    resolve_round,
    round_folder,
)
from pipelines.report.data import RoundResult, RoundsCompared
from pipelines.stages.running.staged_run import finished_stages
from rlhf.records.json_records import from_json
from rlhf.records.marks import Mark
from rlhf.records.preferences import RequestVerdict
from rlhf.run.json_lines import Row
from rlhf.run.statistics import percent, points
from rlhf.run.tracking import METRICS_FILE, read_metrics
from rlhf.store import open_store
from rlhf.store.columns import json_text
from rlhf.store.folder.description import DESCRIPTION_FILE
from worlds.errors import UserError

_UNTIL_ASKED = 10**9  # marks that nobody gives: the loop stops for people, and resumes when training is asked for
_NICER = 5  # of the process that trains, so that the page answers
LOG_FILE = "teach.log"


class Lessons:
    """The :class:`annotation.server.teacher.Teacher` of a run of `rlhf iterate`.

    Args:
      pairs: requests at which people compare the new agent of a round with the one before.
    """

    def __init__(self, config: LoopConfig, pairs: int) -> None:
        self._config, self._pairs = config, pairs
        self._lock = Lock()
        self._process: Any = None
        self._trains = False  # what the process does
        self._utilities: dict[str, np.ndarray] | None = None
        self._round = max(1, _begun(config.run))

    def begin(self) -> None:
        """Play, unless people may mark already, and resume a training that was interrupted."""
        phase = self._phase()
        if phase == "training":
            self._start(least=1)
        elif phase == "playing" or (phase == "marking" and self._round > 1 and not self._foreseen.is_file()):
            self._start(least=_UNTIL_ASKED)

    def close(self) -> None:
        """End the process that plays or trains; the next command resumes. What people preferred goes to rounds.json."""
        if self._works:
            self._process.terminate()
            self._process.join()
        if (self._config.run / ROUNDS_FILE).is_file():
            write_rounds(self._config)

    def state(self, rater: str) -> Taught:
        with self._lock:
            phase, one = self._phase(), self._one
            played = [one.play.data] if (one.play.data / DESCRIPTION_FILE).is_file() else []
            stores = [open_store(data) for data in (*played, *asked_play(self._config.run, [self._round]))]
            marks = [mark for store in stores for mark in store.marks()]
            verdicts = [verdict for store in stores for verdict in store.preferences(RequestVerdict)]
            return Taught(
                round=self._round,
                phase=phase,
                clips=sum(map(len, stores)),
                marks=len(marks),
                verdicts=len(verdicts),
                predicted=self._predicted(marks, verdicts),
                compared=self._compared(rater),
                work=self._work(one),
                results=self._results(rater),
                trouble=self._trouble() if phase == "failed" else "",
            )

    def comparison(self) -> tuple[str, int]:
        return compared_folder(self._config.run, self._round).name, self._pairs

    def agent(self) -> TaughtAgent:
        with self._lock:
            if self._phase() == "trained":
                raise Refused(409, "this round is done; press Again to ask the new agent")
            play, into = self._one.play, asked_folder(self._config.run, self._round)
            return TaughtAgent(play.name or CLONE, Path(play.solver), play.data.name, into.name)

    def train(self) -> None:
        with self._lock:
            if self._works or self._phase() not in ("marking", "failed"):
                raise Refused(409, "training has begun, or there is nothing to train on yet")
            self._start(least=1 if PLAYED in self._done() else _UNTIL_ASKED)

    def again(self) -> None:
        with self._lock:
            if self._phase() != "trained":
                raise Refused(409, "this round is not done")
            if self._round == MOST_ROUNDS:
                raise Refused(409, f"a run has at most {MOST_ROUNDS} rounds; begin another one from its last agent")
            self._round += 1
            self._utilities = None
            self.__dict__.pop("_one", None)
            self._start(least=_UNTIL_ASKED)

    @cached_property
    def _one(self) -> Round:
        return resolve_round(replace(self._config, rounds=self._round), self._round)

    @property
    def _works(self) -> bool:
        return self._process is not None and self._process.is_alive()

    def _phase(self) -> Phase:
        done = self._done()
        if self._works:
            return "training" if self._trains else "playing"
        if self._process is not None and self._process.exitcode:
            return "failed"
        if COMPARED in done:
            return "trained"
        if PLAYED not in done:
            return "playing"
        return "training" if MARKED in done else "marking"

    def _done(self) -> set[str]:
        return {stage.name for stage in finished_stages(round_folder(self._config.run, self._round))}

    @property
    def _foreseen(self) -> Path:
        return round_folder(self._config.run, self._round) / foreseen.FILE

    def _predicted(self, marks: Sequence[Mark], verdicts: Sequence[RequestVerdict]) -> Predicted | None:
        if self._utilities is None and self._foreseen.is_file():
            with np.load(self._foreseen) as found:
                self._utilities = dict(found)
        return None if self._utilities is None else foreseen.count_foreseen(self._utilities, marks, verdicts)

    def _start(self, least: int) -> None:
        self._trains = least == 1
        config = replace(self._config, rounds=self._round, least_marks=least)
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=_carry_out, args=(config, self._pairs), name="rlhf-teach", daemon=True)
        self._process.start()

    def _trouble(self) -> str:
        if self._process.exitcode < 0:
            return f"its process was ended by signal {-self._process.exitcode}; nothing that was complete is lost"
        lines = (self._config.run / LOG_FILE).read_text(encoding="utf-8", errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "it ended without a word")

    def _work(self, one: Round) -> list[Work]:
        folder = round_folder(self._config.run, self._round)
        done = self._done()
        if MARKED not in done and not (self._works and self._trains):
            return []
        trained = [name for name in done if name.startswith("reward model")]
        improved = [name for name in done if name.startswith("improvement")]
        return [
            _training("The reward model learns", folder / one.reward.name, one.reward.training.updates, bool(trained)),
            _training("The agent learns", folder / one.improve.name, one.improve.updates, bool(improved)),
            Work("It is tested", float(EVALUATED in done), None),
            Work("Both agents play", float(COMPARED in done), None),
        ]

    def _said(self, number: int, rater: str) -> tuple[int, list[bool | None]]:
        """Return how many pairs there are of a round, and what a person has said of them."""
        folder = compared_folder(self._config.run, number)
        if not folder.is_dir():
            return 0, []
        store = open_store(folder)
        return count_pairs(store), answers(store, self._config.run, number).get(rater, [])

    def _compared(self, rater: str) -> Compared | None:
        pairs, said = self._said(self._round, rater)
        return Compared(pairs, len(said)) if pairs else None

    def _results(self, rater: str) -> list[str]:
        """Return a sentence for each round that is done, from rounds.json and the pairs that the person has judged.

        Before they have judged all of the present round's, nothing may tell them which agent they chose.
        """
        if not (self._config.run / ROUNDS_FILE).is_file():
            return []
        text = (self._config.run / ROUNDS_FILE).read_text(encoding="utf-8")
        found = []
        for one in from_json(RoundsCompared, json_text.from_json(text)).rounds:
            pairs, said = self._said(one.number, rater)
            found.append(result(one, said if one.number < self._round or len(said) >= pairs else []))
        return found


def _carry_out(config: LoopConfig, pairs: int) -> None:
    """Run the loop; the process's exit code is 1 if it fails, and its output is in the log."""
    os.nice(_NICER)
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    with open(config.run / LOG_FILE, "a", encoding="utf-8", buffering=1) as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        try:
            if iterate(config) is not None:
                record_both(config, pairs)
            elif config.rounds > 1:  # people are to mark what the last model has not seen
                one, before = resolve_round(config, config.rounds), round_folder(config.run, config.rounds - 1)
                model = before / one.reward.name / "reward_model"
                foreseen.foresee(model, one.play.data, one.folder / foreseen.FILE, config.device or "cpu")
        except UserError as error:
            print(error, file=log)
            raise SystemExit(1) from None


def _end_with(parent: int) -> None:
    """End this process, as a power cut would, when the server's is gone."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _begun(run: Path) -> int:
    """Return how many rounds have begun."""
    number = 0
    while round_folder(run, number + 1).is_dir():
        number += 1
    return number


def _training(name: str, folder: Path, updates: int, finished: bool) -> Work:
    if finished or not (folder / METRICS_FILE).is_file():
        return Work(name, float(finished), None)
    rows: Sequence[Row] = read_metrics(folder)
    if not rows:
        return Work(name, 0.0, None)
    share = min(rows[-1]["step"] / updates, 1.0)
    took = rows[-1]["time"] - rows[0]["time"]
    steps = rows[-1]["step"] - rows[0]["step"]
    waited = time.time() - rows[-1]["time"]
    left = None if steps <= 0 else max((updates - rows[-1]["step"]) * took / steps - waited, 0.0)
    return Work(name, share, left)


def result(one: RoundResult, said: Sequence[bool | None]) -> str:
    """Return what a round has changed, in a sentence.

    Args:
      said: for each pair that the reader has judged, whether they preferred the new agent; None: neither.
    """
    preferred = share_preferred(said)
    if preferred is not None:
        count = f"{sum(map(bool, said))} of {preferred.count} pairs that you decided"
        bounds = f"{percent(preferred.estimate)}, {percent(preferred.low)} to {percent(preferred.high)}"
        yours = f"you preferred the new agent in {count} ({bounds}); "
    else:
        yours = f"you saw no difference in {len(said)} pairs; " if said else ""
    checks = f"the share of requests that the agent fulfils changed by {points(one.on_deployed)}"
    return f"Round {one.number}, from {one.marks} marks: {yours}by the tasks' own checks, {checks}."
