"""What a setter said of their requests: the last counts, and only what was a request is kept."""

from __future__ import annotations

import pytest

from annotation.session import verdicts
from annotation.session.verdicts import Asked, Said, Verdict, judged, left


def test_the_last_word_counts_and_comes_back_from_the_notes() -> None:
    asked = (Asked(3, "lift the duck"), Asked(9, "well done"), Asked(20, "is it red?"), Asked(31, "go"))
    asked = judged(asked, 3, Said.FAILURE, 8)
    asked = judged(asked, 20, Said.FAILURE, 25)
    asked = judged(asked, 3, Said.SUCCESS, 12)
    asked = judged(asked, 9, Said.NO_REQUEST, 40)
    assert left(asked) == (Asked(31, "go"),)
    kept = verdicts.note(asked)
    assert kept == [
        {"step": 12, "request_step": 3, "request": "lift the duck", "success": True},
        {"step": 25, "request_step": 20, "request": "is it red?", "success": False},
    ]
    assert verdicts.of_notes({"verdicts": kept}) == (Verdict(12, 3, "lift the duck", True), Verdict(25, 20, "is it red?", False))  # fmt: skip # noqa: E501
    assert verdicts.of_notes({}) == ()


def test_a_verdict_needs_a_request() -> None:
    with pytest.raises(KeyError):
        judged((Asked(3, "lift"),), 4, Said.SUCCESS, 8)
