"""Verdicts of a setter on their requests: the last counts, and only requests are kept."""

from __future__ import annotations

import pytest

from annotation.session import verdicts
from annotation.session.verdicts import LineVerdict, SetterLine, Verdict, with_verdict, without_verdict


def test_the_last_word_counts_and_comes_back_from_the_notes() -> None:
    lines = ((3, "lift the duck"), (9, "well done"), (20, "is it red?"), (31, "go"))
    asked = tuple(SetterLine(step, words) for step, words in lines)
    asked = with_verdict(asked, 3, LineVerdict.FAILURE, 8)
    asked = with_verdict(asked, 20, LineVerdict.FAILURE, 25)
    asked = with_verdict(asked, 3, LineVerdict.SUCCESS, 12)
    asked = with_verdict(asked, 9, LineVerdict.NO_REQUEST, 40)
    assert without_verdict(asked) == (SetterLine(31, "go"),)
    kept = verdicts.note(asked)
    assert kept == {
        "verdicts": [
            {"step": 12, "request_step": 3, "request": "lift the duck", "success": True},
            {"step": 25, "request_step": 20, "request": "is it red?", "success": False},
        ],
        "no_requests": [9],
    }
    said = (Verdict(12, 3, "lift the duck", True), Verdict(25, 20, "is it red?", False))
    assert verdicts.read_verdicts(kept) == said and verdicts.no_requests(kept) == {9}
    assert verdicts.read_verdicts({}) == () and verdicts.no_requests({}) == frozenset()


def test_a_verdict_needs_a_request() -> None:
    with pytest.raises(KeyError):
        with_verdict((SetterLine(3, "lift"),), 4, LineVerdict.SUCCESS, 8)
