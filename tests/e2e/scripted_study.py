"""A study that scripted people have worked on: raters of different care mark the same episodes."""

from __future__ import annotations

import time
from pathlib import Path
from uuid import UUID

import numpy as np
from sqlalchemy import select

from annotation.scripted_rater import ScriptedRater
from annotation.server.app import open_study
from annotation.server.config import ServeConfig
from annotation.server.db.tables import AnswerRecord, Assignment, EpisodeRecord, ItemRecord, Person
from annotation.server.security.visitors import Role
from annotation.server.services import people
from rlhf.records.marks import Mark
from rlhf.store import ParquetStore, open_store
from worlds.contract import Event

BEGUN = time.time() - 5 * 86400  # when the study began
RATERS = {
    "Ann": ScriptedRater("ann", delay=(1.0, 0.6), miss=0.05, mistake=0.02, spurious=0.002, seed=1),
    "Bob": ScriptedRater("bob", delay=(2.4, 0.9), longest_delay=5, miss=0.1, mistake=0.05, spurious=0.004, seed=2),
    "Cid": ScriptedRater("cid", delay=(0.8, 0.6), miss=0.35, mistake=0.1, spurious=0.001, seed=3),
    "Dee": ScriptedRater("dee", delay=(1.4, 0.8), miss=0.1, mistake=0.3, spurious=0.03, seed=4),
}


def work_on(folder: Path, each: int = 3) -> dict[str, str]:
    """Let the scripted raters submit every episode of ``folder/play``, ``each`` of them; their pseudonyms by name."""
    study = open_study(ServeConfig(data=folder))
    store = open_store(folder / "play")
    rng = np.random.default_rng(0)
    with study.database.writing() as session:
        names = {name: people.new_person(session, name, Role.RATER, BEGUN).id for name in RATERS}
        for place, record in enumerate(session.scalars(select(EpisodeRecord).order_by(EpisodeRecord.place)).all()):
            truth = store.read(record.episode_id).truth
            for name in list(RATERS)[place % 2 :][:each]:
                when = BEGUN + 3600 * (7 * place + rng.uniform(0, 6))
                marks = RATERS[name].mark(record.episode_id, record.steps, _events(truth, record.steps))
                _submit(session, record.id, names[name], marks, when, float(rng.gamma(6.0, 12.0)))
    with study.database.reading() as session:
        pseudonyms = {name: session.get_one(Person, id).pseudonym for name, id in names.items()}
    study.exporter.now()
    study.database.close()
    return pseudonyms


def _events(truth: tuple[Event, ...], steps: int) -> list[Event]:
    """What there is to mark: the truth, and some more where it says little, so that there is something to agree on."""
    more = [Event(step, 1 if step % 3 else -1, "made up") for step in range(12, steps - 4, 43)]
    return sorted([*truth, *more], key=lambda event: event.step)


def _submit(session, episode: str, rater: str, marks: list[Mark], when: float, active_sec: float) -> None:  # noqa: ANN001
    item = session.scalars(select(ItemRecord).filter_by(episode_id=episode, kind="marking")).one()
    assignment = Assignment(
        item=item, rater_id=rater, opened=when - active_sec, locked_until=when, submitted=when,
        active_sec=active_sec,
    )  # fmt: skip
    session.add(assignment)
    session.flush()
    for number, (step, sign) in enumerate(sorted({mark.step: mark.sign for mark in marks}.items())):
        session.add(
            AnswerRecord(
                assignment_id=assignment.id, id=str(UUID(int=number)), revision=1, empty=False, saved=when,
                said={"step": step, "sign": sign, "deleted": False},
            )
        )  # fmt: skip


def play(folder: Path, episodes: int, steps: int) -> ParquetStore:
    """``folder/play`` with scripted play in a small house, large enough to be looked at."""
    from pipelines.stages.record import RecordConfig, record
    from pipelines.stages.settings.world_config import WorldConfig

    world = WorldConfig(height=144, width=192)
    record(RecordConfig(data=folder / "play", episodes=episodes, steps=steps, workers=1, world=world))
    return open_store(folder / "play")
