"""Utterances: any printable line."""

from __future__ import annotations

import pickle

import pytest

from worlds.contract import UTTERANCE_MAX_CHARS, Utterance


@pytest.mark.parametrize("line", ["", "lift the duck", "größer?", "Γειά σου", "赤いボールを持ってきて", "принеси мяч"])
def test_any_language_can_be_spoken(line: str) -> None:
    assert Utterance().contains(line)


@pytest.mark.parametrize("line", ["two\nlines", "\x1b[31m", "x" * (UTTERANCE_MAX_CHARS + 1), 3, None])
def test_texts_that_are_no_printable_line_cannot_be_said(line: object) -> None:
    assert not Utterance().contains(line)


def test_samples_can_be_said_and_the_space_travels() -> None:
    space = Utterance()
    space.seed(0)
    assert all(space.contains(space.sample()) for _ in range(50))
    assert pickle.loads(pickle.dumps(space)) == space
