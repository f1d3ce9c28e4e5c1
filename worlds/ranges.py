"""Types of the numbers that settings accept; :mod:`worlds.settings` checks them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

LARGEST = 2**31 - 1  # of counts: what indices of every library can hold
LARGEST_FLOAT = 3.4e38  # what a float of 32 bits can hold

Count = Annotated[int, Field(ge=1, le=LARGEST)]
CountFromZero = Annotated[int, Field(ge=0, le=LARGEST)]
AtLeastTwo = Annotated[int, Field(ge=2, le=LARGEST)]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
Weight = Annotated[float, Field(ge=0, le=LARGEST_FLOAT)]
Positive = Annotated[float, Field(gt=0, le=LARGEST_FLOAT)]
Limited = Annotated[float, Field(gt=0, le=1_000_000)]
Seconds = Limited  # timers take no more
Megabytes = Limited
Share = Annotated[float, Field(ge=0, le=1)]
ShareBelowOne = Annotated[float, Field(ge=0, lt=1)]
Decay = ShareBelowOne  # share of the past in an average
Steps = CountFromZero
Pixels = CountFromZero
