"""Setters' prompts: the paper's kinds, drawn by seed."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from annotation.session.prompts import CHALLENGE, INSTRUCTIONS, MODIFIERS, QUESTIONS, draw


def test_the_same_seed_gives_the_same_prompt_and_all_of_the_papers_come_up() -> None:
    assert (len(INSTRUCTIONS), len(QUESTIONS), len(MODIFIERS)) == (15, 10, 10)
    prompts = [draw(seed) for seed in range(3000)]
    assert prompts == [draw(seed) for seed in range(3000)]
    assert {p.name for p in prompts} == {*INSTRUCTIONS, *QUESTIONS}
    assert {p.modifier_name for p in prompts} == {*MODIFIERS, ""}
    for prompt in prompts[:100]:
        assert prompt.text == (QUESTIONS if prompt.group == "question" else INSTRUCTIONS)[prompt.name]
        assert prompt.modifier == MODIFIERS.get(prompt.modifier_name, "")
        assert json.loads(json.dumps(prompt.note()))["name"] == prompt.name
        hard = draw(prompts.index(prompt), challenge=True)
        assert (hard.name, hard.modifier_name, hard.challenge) == (prompt.name, prompt.modifier_name, True)
        assert hard.text == f"{prompt.text} {CHALLENGE}" and not prompt.challenge


def test_shares_are_kept() -> None:
    groups = Counter(draw(seed, questions=0.25, modified=0.5).group for seed in range(4000))
    assert abs(groups["question"] / 4000 - 0.25) < 0.03
    assert all(draw(seed, questions=1.0).group == "question" for seed in range(50))
    assert not any(draw(seed, modified=0.0).modifier for seed in range(50))
    with pytest.raises(ValueError, match="modified"):
        draw(0, modified=1.5)
