"""Ratings of a helper by the person whom it helped: three statements on a scale, after an episode. Pure.

The statements are those of the human study of Watch-And-Help (Puig et al., 2021, Section 6).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from rlhf.records.preferences import HIGHEST_RATING, LOWEST_RATING, HelperRating
from worlds.errors import UserError

NOTE = "ratings"  # in the notes of an episode
LOWEST, HIGHEST = LOWEST_RATING, HIGHEST_RATING


@dataclass(frozen=True)
class HelperRatings:
    """One person's ratings of the helper of one episode, each from LOWEST to HIGHEST.

    Raises UserError if a rating is no whole number on the scale.
    """

    knew_goal: int
    helpful: int
    trusted: int

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if type(value) is not int or not LOWEST <= value <= HIGHEST:
                raise UserError(f"rating {name}: {value!r} is no whole number from {LOWEST} to {HIGHEST}")


QUESTIONS = tuple(field.name for field in fields(HelperRatings))


def note(ratings: HelperRatings | None) -> dict[str, Any]:
    """Return the ratings for an episode's notes; null where none were given."""
    return {NOTE: None if ratings is None else asdict(ratings)}


def read_ratings(notes: Mapping[str, Any]) -> HelperRatings | None:
    """Return the ratings in an episode's notes; None where none were given. Raises UserError if they are damaged."""
    found = notes.get(NOTE)
    if found is None:
        return None
    if not isinstance(found, Mapping) or set(found) != set(QUESTIONS):
        raise UserError(f"notes.{NOTE} has not one rating for each of {', '.join(QUESTIONS)}")
    return HelperRatings(**found)


def rating_of(episode_id: str, steps: int, rater: str, given: HelperRatings) -> HelperRating:
    """Return a person's ratings as a dataset records them."""
    return HelperRating(episode_id, 0, steps, given.knew_goal, given.helpful, given.trusted, rater, scripted=False)
