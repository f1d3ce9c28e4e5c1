"""Fields of answers and settings, each with its range."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from rlhf.records.marks import PROGRESS, REGRESS

MAX_INT = 2**31 - 1


def _plus_or_minus_one(sign: int) -> int:
    if sign not in (PROGRESS, REGRESS):
        raise ValueError("a mark's sign is +1 or -1")
    return sign


Step = Annotated[int, Field(ge=0, le=MAX_INT)]
Sign = Annotated[int, Field(strict=True), AfterValidator(_plus_or_minus_one)]
