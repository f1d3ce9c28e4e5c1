"""The four rater tasks for tests of what they have in common: a study with some items of each, and answers to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from annotation.server.db.tables import Assignment
from annotation.server.security.visitors import Role
from annotation.server.study import Study
from experiments.watch_and_help.watching.recorded import record_shown
from rlhf.records.episode import Episode
from rlhf.records.preferences import ClipPair, InferredGoal
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode
from tests.patience import until
from tests.unit.annotation.server.conftest import Browser

STEPS, TAKES_OVER = 20, 8  # of continuations
AGENTS = ("zaphod", "recorded")


@dataclass(frozen=True)
class Kind:
    """A task in a study whose ``dataset`` has some ``items``, with three different answers and wrong ones."""

    name: str
    dataset: str
    items: int
    answers: tuple[dict[str, Any], dict[str, Any], dict[str, Any]]
    shown: frozenset[str]  # fields of its page besides those of every task
    wrong: tuple[dict[str, Any], ...]  # changes of the first answer that are refused
    missing: str  # said to who submits without an answer
    records: Callable[[ParquetStore], list[Any]]  # that the dataset holds
    more: Callable[[ParquetStore], list[Episode]] = lambda store: []  # other episodes, of which one is an item
    role: Role = Role.RATER
    settings: tuple[tuple[str, Any], ...] = ()  # so that there are as many items

    @property
    def nothing(self) -> str:
        """The address where there is nothing to do."""
        return f"/api/tasks/{self.name}/None"

    @property
    def projects(self) -> str:
        """The address of its settings."""
        return f"/api/tasks/{self.name}/projects"

    @property
    def many(self) -> bool:
        """Whether an item has any number of answers."""
        return self.name == "marking"

    def begin(self, browser: Browser) -> str:
        """The address of the item that the rater gets."""
        return f"/api/tasks/{self.name}/{browser.said('POST', f'/api/tasks/{self.name}/next')['assignment']}"

    def edit(self, place: str, answer: dict[str, Any], revision: int = 1) -> dict[str, Any]:
        """The first answer to an item, as browsers send it."""
        id = str(UUID(int=1)) if self.many else place.rpartition("/")[2]
        return {"id": id, "revision": revision, **answer}

    def say(self, browser: Browser, place: str, answer: dict[str, Any], revision: int = 1, **work: Any) -> Any:
        """Save an answer; what the server has then."""
        body = {"answers": [self.edit(place, answer, revision)], **work}
        (kept,) = browser.said("PUT", f"{place}/answers", body)["answers"]
        return kept

    def ending(self, revision: int = 1) -> dict[str, int]:
        """The request that submits an item with one answer, which has this revision."""
        return {"answers": 1} if self.many else {"revision": revision}

    def submit(self, browser: Browser, place: str, number: int = 0, **work: Any) -> None:
        """Give an answer and submit it."""
        self.say(browser, place, self.answers[number], **work)
        browser.said("POST", f"{place}/submit", self.ending())

    def submit_all(self, browser: Browser, number: int = 0) -> list[str]:
        """Addresses of all that a rater gets and submits."""
        places = []
        while (place := self.begin(browser)) != self.nothing:
            self.submit(browser, place, number)
            places.append(place)
        return places

    def project(self, admin: Browser, **changes: Any) -> dict[str, Any]:
        """Change the task's settings; return the project as the leader sees it then."""
        id = next(one["id"] for one in admin.said("GET", self.projects)["projects"] if one["dataset"] == self.dataset)
        if changes:
            admin.said("PATCH", f"{self.projects}/{id}", changes)
        return next(one for one in admin.said("GET", self.projects)["projects"] if one["id"] == id)

    def written(self, folder: Path, count: int) -> list[Any]:
        """The dataset's records, once there are as many as wanted."""
        return until(
            lambda: found if len(found := self.records(open_store(folder / self.dataset))) == count else None,
            f"{count} records of {self.name}",
        )


def mark(number: int, step: int, sign: int = 1, revision: int = 1, deleted: bool = False) -> dict[str, Any]:
    """A mark as browsers send it."""
    return {"id": str(UUID(int=number)), "revision": revision, **mark_of(step, sign, deleted)}


def say(browser: Browser, place: str, *marks: dict[str, Any]) -> Any:
    """Save marks."""
    return browser.said("PUT", f"{place}/answers", {"answers": list(marks)})


def submit(rater: Browser, *marks: dict[str, Any], **work: Any) -> str:
    """Mark the episode that a rater gets, and submit it; return its address."""
    place = MARKING.begin(rater)
    say(rater, place, *marks)
    rater.said("POST", f"{place}/submit", {"answers": len(marks), **work})
    return place


def mark_of(step: int, sign: int = 1, deleted: bool = False, until: int | None = None) -> dict[str, Any]:
    return {"step": step, "sign": sign, "deleted": deleted, "until": until}


def verdict(success: bool | None, step: int | None = None, left_out: str = "") -> dict[str, Any]:
    return {"success": success, "step": step, "left_out": left_out}


def continuation(seed: int, agent: str, number: int = 0) -> Episode:
    """An episode that continues a scenario of a suite."""
    about = {
        "suite": "5u1te", "name": f"s{seed:03d}", "agent": agent, "number": number, "step": TAKES_OVER,
        "request_step": TAKES_OVER - 1, "request": f"lift number {seed}", "kind": "instruction-following",
        "limit": STEPS - TAKES_OVER, "episode": f"of-{seed}", "player": f"agent:{agent}",
    }  # fmt: skip
    made = synthetic_episode(100 * seed + AGENTS.index(agent) * 10 + number, steps=STEPS, height=12, width=16)
    return replace(
        made, episode_id=f"sts-5u1te-s{seed:03d}-{agent}-{number}", solver=f"agent:{agent}", notes={"scenario": about}
    )


def also_spoken(episode: Episode) -> list[Episode]:
    """A copy of a demonstration, and one in which somebody speaks, so that it is none."""
    words = ("two plates, please", *episode.setter_utterance[1:])
    return [replace(episode, episode_id="again"), replace(episode, episode_id="spoken", setter_utterance=words)]


@cache
def demonstrations(folder: Path) -> tuple[Episode, ...]:
    """Demonstrations of tasks of two activities, played once in ``folder``."""
    record_shown(folder / "made", "test_1_tasks", (40, 41, 61))
    store = open_store(folder / "made")
    return tuple(store.read(name) for name in store.ids())


MARKING = Kind(
    "marking", "play", 4, (mark_of(3), mark_of(5, -1), mark_of(3, -1)),
    frozenset({"words", "title", "instructions", "training", "seen", "returned"}),
    (
        {"step": 60}, {"step": -1}, {"step": 1.5}, {"step": "3"}, {"step": 2**31}, {"sign": 0}, {"sign": 2},
        {"sign": True}, {"revision": 0}, {"id": "x"}, {"id": "../../etc"}, {"rater": "bob"}, {"deleted": 1},
        {"until": 3}, {"until": 61}, {"until": "9"},
    ),
    "the server has 0 marks of this episode and your browser 1", lambda store: store.marks(),
    more=lambda store: [synthetic_episode(77, steps=60, height=12, width=16)],
)  # fmt: skip
JUDGING = Kind(
    "judging", "sts", 4, (verdict(True, 9), verdict(False), verdict(None, None, "cannot tell")),
    frozenset({"words", "takes_over", "request_step", "request"}),
    (
        {"step": TAKES_OVER - 1}, {"step": STEPS}, {"step": -1}, {"step": 9.5}, {"step": "9"}, {"step": None},
        {"success": False}, {"success": None}, {"success": 1}, {"revision": 0}, {"revision": 2**31}, {"agent": "x"},
        verdict(False, None, "no request"), {"left_out": "boring"}, {"id": "0" * 32},
    ),
    "load the page again", lambda store: store.judgements(),
    more=lambda store: [continuation(5, "zaphod", 4)], role=Role.JUDGE,
)  # fmt: skip
COMPARING = Kind(
    "comparing", "play", 6, ({"answer": "left"}, {"answer": "same"}, {"answer": "cannot tell"}),
    frozenset({"clips", "pictured", "title", "instructions"}),
    ({"answer": "a"}, {"answer": None}, {"revision": 0}, {"clip": 1}, {"id": "0" * 32}),
    "load the page again", lambda store: store.preferences(ClipPair), settings=(("pairs", 6),),
)  # fmt: skip
_PLATE = "on_plate_kitchentable"
INFERRING = Kind(
    "inferring", "shown", 3, ({"goal": {_PLATE: 2}}, {"goal": {"sit_sofa": 1}}, {"goal": {}}),
    frozenset({"choices", "title", "instructions"}),
    (
        {"goal": {"on_piano_kitchentable": 1}}, {"goal": {_PLATE: 5}}, {"goal": {"sit_sofa": 2}},
        {"goal": {_PLATE: -1}}, {"goal": {_PLATE: 1.5}}, {"goal": {_PLATE: True}}, {"goal": [_PLATE]},
        {"goal": {"": 1}}, {"revision": 0},
    ),
    "load the page again", lambda store: store.preferences(InferredGoal),
    more=lambda store: also_spoken(store.read(store.ids()[0])),
)  # fmt: skip
KINDS = (MARKING, JUDGING, COMPARING, INFERRING)


def write_items(folder: Path, kind: Kind, played: Path) -> None:
    """Write the dataset of a kind, beside one of play if it is another; ``played`` keeps played demonstrations."""
    play = open_store(folder / "play", create=True)
    for seed in range(4 if kind.dataset == "play" else 1):
        play.write(synthetic_episode(seed, steps=60, height=12, width=16))
    if kind is JUDGING:
        store = open_store(folder / "sts", create=True)
        for agent in AGENTS:
            for seed in range(2):
                store.write(continuation(seed, agent))
    if kind is INFERRING:
        store = open_store(folder / "shown", create=True)
        for episode in demonstrations(played):
            store.write(episode)


def record_of(study: Study, place: str) -> Assignment:
    """The assignment at an address."""
    with study.database.reading() as session:
        return session.get_one(Assignment, place.rpartition("/")[2])
