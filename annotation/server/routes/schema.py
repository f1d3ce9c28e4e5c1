"""The bodies of requests: only the fields that are listed, each of its type."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, create_model

from annotation.agreement.gold import QUALITY, TRAINING
from annotation.games import Key
from annotation.server.security.visitors import Role
from annotation.session.ratings import HIGHEST, LOWEST
from annotation.session.states import Kind
from annotation.session.states import Role as Part
from annotation.session.verdicts import LineVerdict
from annotation.tasks.contract import RaterTask
from annotation.tasks.fields import MAX_INT, Step
from annotation.viewer.index import OUTCOMES
from worlds.contract import UTTERANCE_MAX_CHARS


def _legible(text: str) -> str:
    if not any(unicodedata.category(letter)[0] in "LNPS" for letter in text):
        raise ValueError("write at least one visible character")
    return text


def _in_order(steps: tuple[int, int]) -> tuple[int, int]:
    if steps[0] > steps[1]:
        raise ValueError("a range of steps has its first before its last")
    return steps


Name = Annotated[str, StringConstraints(max_length=80, pattern=r"^[^\x00-\x1f\x7f]*$")]
Token = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Password = Annotated[str, StringConstraints(min_length=10, max_length=200)]
_Integer = Annotated[int, Field(ge=0, le=MAX_INT, strict=True)]
StepRange = Annotated[tuple[_Integer, _Integer], AfterValidator(_in_order)]
Revision = Annotated[int, Field(ge=1, le=MAX_INT, strict=True)]
MarkId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")]
OpaqueId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
PathId = Annotated[OpaqueId, Path()]  # of what an address names
Prose = Annotated[str, StringConstraints(max_length=20_000, pattern=r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$")]
Settings = Annotated[str, StringConstraints(max_length=4_000, strip_whitespace=True)]
Projects = Annotated[list[OpaqueId], Field(max_length=1000)]


class Body(BaseModel):
    """JSON of a request, without further fields."""

    model_config = ConfigDict(extra="forbid")


class LinkBody(Body):
    """A link that is looked at, or used; a new person gives a name."""

    token: Token
    name: Name = ""


class SignInBody(Body):
    """A name and its password."""

    name: Name
    password: Annotated[str, StringConstraints(max_length=200)]


class PasswordBody(Body):
    """A new password."""

    password: Password


class InvitationBody(Body):
    """An invitation to take part in ``role``, only in the projects that are named, if any are."""

    role: Role
    note: Name = ""
    projects: Projects = Field(default_factory=list)


class PersonBody(Body):
    """Changes of a person; None leaves a field as it is."""

    roles: Annotated[list[Role], Field(min_length=1, max_length=6)] | None = None
    active: Annotated[bool, Field(strict=True)] | None = None
    projects: Projects | None = None  # empty: every project


class ProjectBody(Body):
    """Changes of a project; None leaves a field as it is."""

    title: Name | None = None
    instructions: Prose | None = None
    open: Annotated[bool, Field(strict=True)] | None = None
    place_settings: Settings | None = None  # JSON of an object; "": not set here
    world_options: Settings | None = None


class FramesQuery(Body):
    """Choice of pictures of an episode: all as recorded, or the chunk that begins at a step, as recorded or sharp."""

    begin: Step | None = None
    view: Annotated[str, StringConstraints(pattern="^(seen|sharp)$")] = "seen"


class LookQuery(Body):
    """Filters of episodes; a field that is left out filters nothing."""

    kind: Annotated[str, StringConstraints(max_length=200)] = ""
    split: Annotated[str, StringConstraints(max_length=200)] = ""
    player: Annotated[str, StringConstraints(max_length=500)] = ""
    task: Annotated[str, StringConstraints(max_length=500)] = ""
    outcome: Annotated[str, StringConstraints(pattern=f"^({'|'.join(OUTCOMES)}|)$")] = ""
    shortest: Step = 0
    longest: Step = 0
    marks: Annotated[str, StringConstraints(pattern="^(yes|no|)$")] = ""
    words: Annotated[str, StringConstraints(max_length=200)] = ""
    page: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class RemovalBody(Body):
    """A deletion: with or without the episodes in which the person played."""

    episodes: Annotated[bool, Field(strict=True)]


class GoldBody(Body):
    """The rater whose marks of an episode are the known ones, and its purpose."""

    rater: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    purpose: Annotated[str, StringConstraints(pattern=f"^({TRAINING}|{QUALITY})$")]


class ConsentBody(Body):
    """The next version of the consent text; empty asks for nothing."""

    text: Prose


class AgreeBody(Body):
    """The version that the visitor agrees to."""

    version: Annotated[int, Field(ge=1, le=MAX_INT, strict=True)]


class TraceBody(Body):
    """A reward model's name; ``again``: even if it failed before."""

    model: Annotated[str, StringConstraints(min_length=1, max_length=1000)]
    again: bool = False


class TaskProjectBody(Body):
    """Settings of every task in a project."""

    overlap: Annotated[int, Field(ge=1, le=1000, strict=True)]
    open: Annotated[bool, Field(strict=True)]


class WorkBody(Body):
    """Work on an item: the step that is shown, the seconds of work, and the steps that were seen.

    ``seen`` has ranges of steps, first and last; what a request leaves out stays as it is.
    """

    position: _Integer | None = None
    active_sec: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)] = 0.0
    seen: Annotated[list[StepRange], Field(max_length=2000)] | None = None


class AnswersBody(WorkBody):
    """Some answers, see :func:`answers_body`."""

    answers: list[Any]


class CountBody(WorkBody):
    """The end of work on an item with many answers: how many the browser has that say something."""

    answers: Annotated[int, Field(ge=0, le=MAX_INT, strict=True)]


class RevisionBody(WorkBody):
    """The end of work on an item with one answer: the revision of it that the browser shows."""

    revision: Revision


def answers_body(task: RaterTask) -> type[AnswersBody]:
    """Return the body of a request that saves answers of ``task``."""
    fields: dict[str, Any] = {"id": (MarkId if task.many else OpaqueId, ...), "revision": (Revision, ...)}
    edit = create_model(f"{task.kind.capitalize()}Edit", __base__=task.Answer, **fields)
    body: dict[str, Any] = {"answers": (Annotated[list[edit], Field(max_length=500)], ...)}
    return create_model(f"{task.kind.capitalize()}Body", __base__=AnswersBody, **body)


def settings_body(task: RaterTask) -> type[BaseModel]:
    """Return the body of a request that changes settings of ``task`` in a project; None leaves one as it is."""
    every = TaskProjectBody.model_fields | task.Settings.model_fields
    changes: dict[str, Any] = {
        name: (Annotated[field.annotation, Field(), *field.metadata] | None, None)  # type: ignore[valid-type]
        for name, field in every.items()
    }
    return create_model(f"{task.kind.capitalize()}SettingsBody", __base__=Body, **changes)


class ReturnBody(Body):
    """The reason for which work is sent back, and the next rater of the episode: the same, or another."""

    reason: Annotated[Prose, StringConstraints(strip_whitespace=True, max_length=1000), AfterValidator(_legible)]
    to: Literal["rater", "another"]


class DatasetBody(Body):
    """A new dataset to play into."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]


class GameBody(Body):
    """A game to play, and the role of the person who starts it."""

    project: OpaqueId
    kind: Kind
    role: Part
    prompted: Annotated[bool, Field(strict=True)] = True
    challenge: Annotated[bool, Field(strict=True)] = False
    agent: Annotated[str, StringConstraints(max_length=200)] = ""


class TutorialBody(Body):
    """The project in whose world a person learns the keys; without one, in the Playhouse."""

    project: OpaqueId | None = None


class JoinBody(Body):
    """The role in which a person joins a game."""

    role: Part


_Moved = Annotated[float, Field(ge=-1000, le=1000, allow_inf_nan=False)]


class InputsMessage(Body):
    """A player's actions since the message before; see :class:`annotation.games.Inputs`."""

    held: Annotated[list[Key], Field(max_length=len(Key))] = []
    tapped: Annotated[list[Key], Field(max_length=len(Key))] = []
    turn: _Moved = 0.0
    look: _Moved = 0.0
    reach: _Moved = 0.0
    pressed: Annotated[list[Annotated[int, Field(ge=0, le=999)]], Field(max_length=16)] = []
    say: Annotated[str, StringConstraints(max_length=4 * UTTERANCE_MAX_CHARS)] = ""
    chosen: Annotated[str, StringConstraints(pattern=r"^[a-z0-9_-]{0,60}$")] = ""
    chosen_at: Step = 0


class JudgeMessage(Body):
    """A verdict of an evaluation's setter on their utterance at a step."""

    request_step: Step
    said: LineVerdict


_Rating = Annotated[int, Field(ge=LOWEST, le=HIGHEST, strict=True)]


class RatingsMessage(Body):
    """Ratings of the helper, after a game; see :class:`annotation.session.ratings.HelperRatings`."""

    knew_goal: _Rating
    helpful: _Rating
    trusted: _Rating


class PlayerMessage(Body):
    """One message of a player's browser."""

    seen: Annotated[int, Field(ge=0, le=MAX_INT)] | None = None
    do: Literal["ready", "leave", "take_over", "hand_back", "end"] | None = None
    inputs: InputsMessage | None = None
    judge: JudgeMessage | None = None
    rate: RatingsMessage | None = None
