"""The numbers that settings take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest

from agents.ranges import LARGEST, Count, Decay, Positive, Range, Seed, Share, Steps, Weight, check_ranges, refusal


@pytest.mark.parametrize(
    ("hint", "value", "message"),
    [
        (Count, 0, "at least 1, not 0"),
        (Count, 10**23, f"at most {LARGEST:,}, not 1" + 23 * "0"),
        (Count, -(10**400), "at least 1, not a negative number of more digits"),
        (Count, 1.5, "a whole number, not 1.5"),
        (Count, True, "a whole number, not True"),
        (Count, "3", "a whole number, not '3'"),
        (Count | None, 0, "at least 1, not 0"),
        (Steps, -1, "a number of steps from 0 on, not -1"),
        (Seed, 2**32, "from 0 to 4,294,967,295, not 4294967296"),
        (Weight, -0.5, "at least 0, not -0.5"),
        (Weight, float("nan"), "at least 0, not nan"),
        (Positive, 0.0, "above 0, not 0.0"),
        (Positive | None, float("inf"), "a finite number, above 0, not inf"),
        (Share, 1.1, "a share from 0 to 1, not 1.1"),
        (Decay, 1.0, "from 0 to less than 1, not 1.0: it is the share of the past in an average"),
        (Annotated[float, Range(above=0, most=1)], 2.0, "above 0 and up to 1, not 2.0"),
        (Annotated[float, Range(above=0, below=1)], 0.0, "above 0 and less than 1, not 0.0"),
        (tuple[Share, ...], (0.5, 2.0), "a share from 0 to 1, not 2.0"),
        (tuple[Steps, Steps], (1, -1), "a number of steps from 0 on, not -1"),
        (Mapping[str, Weight], {"a": 1.0, "b": -1.0}, "at least 0, not -1.0"),
        (float, float("-inf"), "a finite number, not -inf"),
        (float, "much", "a number, not 'much'"),
    ],
)
def test_a_refusal_names_the_accepted_values(hint: Any, value: Any, message: str) -> None:
    assert refusal(hint, value) == message


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (Count, 1),
        (Count, LARGEST),
        (Count | None, None),
        (Share, 0),
        (Share, 1.0),
        (tuple[Share, ...], ()),
        (Weight, 1e23),
        (Seed, 2**32 - 1),
        (str, "text"),
        (float, 3),
        (Any, float("nan")),
    ],
)
def test_accepted_values_pass(hint: Any, value: Any) -> None:
    assert refusal(hint, value) is None


@dataclass(frozen=True)
class Settings:
    name: str = "a"
    steps: Count = 3
    rates: tuple[Positive, ...] = ()
    inner: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_ranges(self)


class OtherError(Exception):
    pass


def test_a_configuration_names_the_setting_that_is_wrong() -> None:
    assert Settings(steps=4).steps == 4
    with pytest.raises(ValueError, match=r"^steps is at least 1, not 0$"):
        Settings(steps=0)
    with pytest.raises(ValueError, match=r"^rates is above 0, not -1.0$"):
        Settings(rates=(1.0, -1.0))
    settings = Settings()
    object.__setattr__(settings, "steps", 0)
    with pytest.raises(OtherError, match="steps"):
        check_ranges(settings, OtherError)
