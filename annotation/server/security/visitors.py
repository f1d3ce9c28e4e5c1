"""People who take part in a study, and their roles."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """Roles of people in a study."""

    ADMIN = "admin"
    SETTER = "setter"
    SOLVER = "solver"
    CO_PILOT = "co-pilot"
    RATER = "rater"
    JUDGE = "judge"


@dataclass(frozen=True)
class Visitor:
    """The person who makes a request."""

    person_id: str
    name: str
    pseudonym: str
    roles: frozenset[Role]
    session: str  # the cookie's token
    consent_due: bool = False  # there is a consent text to which they have not agreed
