"""The contract of a rater task, and the records that declarations and server hand each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from annotation.server.security.visitors import Role
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import Statement, Stretch
from rlhf.store import ParquetStore
from rlhf.store.columns.compressed import CompressedEpisode
from worlds.spaces.action_words import action_words

Record = Mark | Judgement | Statement


class Answer(BaseModel):
    """What a rater says. Browsers send it, and the database keeps it as JSON."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @property
    def empty(self) -> bool:
        """True if nothing is said: a mark was deleted, or an answer taken back."""
        return False


class Settings(BaseModel):
    """Settings of a task in a project, besides how many raters each item gets and whether items are handed out."""

    model_config = ConfigDict(extra="forbid")

    @property
    def order(self) -> str:
        """The order in which raters get items: a name in :data:`annotation.tasks.assignment.STRATEGIES`."""
        return "shuffled"


@dataclass(frozen=True)
class Item:
    """What a rater gets in one piece: an episode, or two clips."""

    id: str
    episodes: tuple[str, ...]
    steps: tuple[int, ...]
    world: str | None
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Submission:
    """Submitted work on an item."""

    item: Item
    rater_id: str
    rater: str
    answers: tuple[Any, ...]
    active_sec: float


@dataclass(frozen=True)
class Shown:
    """The part of an episode that raters see: nothing of its truth.

    Args:
      frames: recorded images as one file, see :mod:`annotation.viewer.frames_file`; None where none were recorded.
      words: step, "setter" or "solver", and what was said, in order.
      actions: what the solver did at every step, by declared names; None where pictures show it.
    """

    frames: bytes | None
    words: tuple[tuple[int, str, str], ...]
    actions: tuple[str, ...] | None = None

    @property
    def page(self) -> dict[str, Any]:
        """Fields of a page that shows the whole episode."""
        page: dict[str, Any] = {"words": said_at(self.words)}
        return page if self.actions is None else page | {"actions": self.actions, "pictured": self.frames is not None}


def said_at(words: Sequence[tuple[int, str, str]], begin: int = 0) -> list[dict[str, Any]]:
    """Return utterances for a page; steps count from ``begin``."""
    return [{"step": step - begin, "who": who, "words": said} for step, who, said in words]


def spoken(episode: CompressedEpisode) -> list[tuple[int, str, str]]:
    """Return step, player and words of every utterance; at one step the setter's first."""
    said = []
    for step, (setter, solver) in enumerate(zip(episode.setter_utterance, episode.utterance, strict=True)):
        said += [(step, who, words) for who, words in (("setter", setter), ("solver", solver)) if words]
    return said


def acted(episode: CompressedEpisode) -> tuple[str, ...] | None:
    """Return what the solver did at every step, by declared names; None of many ticks, of which pictures show more."""
    action = episode.spaces.solver.action
    if episode.frames is not None and action.ticks > 1:
        return None
    values = episode.continuous if episode.continuous is not None else [None] * len(episode)
    return tuple(action_words(action, *both) for both in zip(episode.movement, values, strict=True))


class RaterTask(ABC):
    """A kind of work for raters: what they get, see and are asked, what is refused, and what is recorded.

    Attributes:
      kind: its name, in addresses and in the database.
      many: a rater gives an item any number of answers; otherwise exactly one.
      instructed: raters see the title and the instructions of the project.
      gold: of some items the answers are known: raters train on them and are measured by them.
      drawn: items are drawn when a project wants some; otherwise each episode is one.
      film: the pictures are a film of both players, otherwise the solver's view.
      unmarked: datasets that hold such items are not marked.
      unknown, settled, missing, absent: said to who asks for another's item, changes what is submitted, submits
        without an answer, and changes a project without such items.
    """

    kind: ClassVar[str]
    role: ClassVar[Role] = Role.RATER
    Answer: ClassVar[type[Answer]]
    Settings: ClassVar[type[Settings]] = Settings
    many: ClassVar[bool] = False
    instructed: ClassVar[bool] = True
    gold: ClassVar[bool] = False
    drawn: ClassVar[bool] = False
    film: ClassVar[bool] = False
    unmarked: ClassVar[bool] = False
    unknown: ClassVar[str]
    settled: ClassVar[str] = "you have opened the next one; your answer to this stays as it is"
    missing: ClassVar[str] = "give an answer first"
    absent: ClassVar[str] = "there is no such project"

    def holds(self, store: ParquetStore) -> bool:
        """Return whether a dataset has items of this task. Raises UserError if it cannot be read."""
        return True

    def facts(self, store: ParquetStore, episode_id: str) -> dict[str, Any] | None:
        """Return what is to be noted of an episode of such a dataset; None if raters do not get it.

        Nothing of it may say whose play it is: raters' pages are made of it.

        Raises UserError if the episode cannot be read, or is none for this task.
        """
        return {}

    def clips(self, item: Item, rater_id: str) -> list[Stretch]:
        """Return the play whose pictures a rater sees, in their order."""
        return [Stretch(item.episodes[0], 0, item.steps[0])]

    def first_step(self, item: Item) -> int:
        """Return the step that is shown first."""
        return 0

    def page(self, item: Item, rater_id: str, episodes: Sequence[Shown]) -> dict[str, Any]:
        """Return what a rater sees of an item, besides its pictures and what every task's page has.

        Raises Refused if it cannot be shown.
        """
        return episodes[0].page

    @abstractmethod
    def check(self, answer: Any, item: Item) -> None:
        """Refuse an answer that cannot be given to ``item``. Raises Refused."""

    @abstractmethod
    def records(self, submission: Submission) -> list[Any]:
        """Return what the dataset is to hold. Raises ValueError if there can be no such records."""

    @abstractmethod
    def write(self, store: ParquetStore, records: Sequence[Any]) -> None:
        """Write those records that ``store`` does not have yet."""

    def withdraw(self, store: ParquetStore, item: Item, rater: str) -> None:
        """Take what a rater has said of an item out of ``store``."""
        raise NotImplementedError(f"nothing of {self.kind} is taken back")

    def progress(self, submissions: Sequence[Submission]) -> dict[str, Any]:
        """Return what the leader's page says of submitted work on drawn items, besides how much there is."""
        return {}
