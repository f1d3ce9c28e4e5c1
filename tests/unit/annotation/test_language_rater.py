"""A language model as a rater: signs, moments, examples, and its agreement with others."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agents.language_models.calls import Calls
from agents.language_models.config import Budget
from agents.language_models.model import Completion, Prompt
from agents.language_models.prompts import ShownStep
from annotation.agreement.recorded import recorded_agreement
from annotation.language_rater import LanguageRater, RatedMoment, draw_moments, moment_text, read_sign
from rlhf.records.marks import Mark

STEPS = [ShownStep(f"far {5 - n}", f"go {n}") for n in range(6)]


class Reads:
    """A model that says + where the prompt ends at an even distance, rubbish at 3, else 0."""

    limit = None

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.prompts: list[str] = []

    def count_tokens(self, text: str) -> int:
        return len(text)

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        self.batches.append(len(prompts))
        self.prompts += [prompt.text for prompt in prompts]
        far = [int(prompt.text.rpartition("far ")[2][0]) for prompt in prompts]
        return [Completion("perhaps" if n == 3 else "+" if n % 2 == 0 else "0", 5, 1, 0.1) for n in far]


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("+", 1), (" + (progress)", 1), ("+1", 1), ("Progress was made", 1), ("-", -1), ("-1", -1), ("−", -1),
        ("regress", -1), ("0", 0), ("Neither.", 0), ("\n\n0\n+", 0), ("", None), ("perhaps", None), ("10", None),
        ("progressive", None),
    ],
)  # fmt: skip
def test_signs(text: str, sign: int | None) -> None:
    assert read_sign(text) == sign


def test_a_moment_shows_what_was_done_before_and_not_what_is_done_then() -> None:
    assert moment_text(STEPS, 2, 1) == "Obs:\nfar 4\nAct: go 1\nNow:\nfar 3\nSign:"
    assert moment_text(STEPS, 0, 3) == "Now:\nfar 5\nSign:"
    assert moment_text(STEPS, 5, None).count("Act:") == 5
    assert str(RatedMoment(moment_text(STEPS, 0, 3), -1)).endswith("Sign: -\n")


def test_an_episode_is_marked_and_known_answers_are_not_asked_for_again() -> None:
    model, calls = Reads(), Calls(Budget())
    rater = LanguageRater(model, "lm", calls, examples=(RatedMoment("Now:\nfar 9\nSign:", 1),), batch=4)
    marks = rater.mark("one", STEPS, {5: "-"})
    assert marks == [Mark("one", "lm", 1, 1, True), Mark("one", "lm", 3, 1, True), Mark("one", "lm", 5, -1, True)]
    assert model.batches == [4, 1] and calls.spent.calls == 5 and calls.spent.problems == {"no judgement": 1}
    assert all("far 9\nSign: +\n" in prompt and prompt.endswith("Sign:") for prompt in model.prompts)
    sparse = LanguageRater(Reads(), "lm", Calls(Budget()), every=2).mark("one", STEPS, {})
    assert [mark.step for mark in sparse] == [1, 3, 5]  # the last step is among them: it shows how the episode ended


def test_examples_have_each_sign_as_often_as_there_are_any() -> None:
    signs = {("a", step): 0 for step in range(20)} | {("a", 3): 1, ("a", 5): 1, ("a", 9): 1, ("a", 12): -1}
    drawn = draw_moments(signs, 6, seed=0)
    assert sorted(signs[moment] for moment in drawn) in ([-1, 0, 0, 1, 1, 1], [-1, 0, 0, 0, 1, 1])
    assert len(set(drawn)) == 6 and drawn == draw_moments(signs, 6, seed=0) != draw_moments(signs, 6, seed=1)
    assert len(draw_moments(signs, 99, seed=0)) == 20


def test_agreement_counts_episodes_without_marks_where_they_are_known_to_be_rated() -> None:
    people = [Mark("a", "ann", 2, 1, False), Mark("b", "ann", 4, -1, False)]
    model = [Mark("a", "lm", 3, 1, True)]
    (pair,) = recorded_agreement(people + model, {"a": 10, "b": 10, "c": 10}, {"lm": ["a", "b", "c"]}, tolerance=2)
    assert pair["raters"] == ["ann", "lm"] and pair["episodes"] == 2
    assert pair["whether"]["value"] == 0.5 and pair["sign"]["value"] == 1.0  # one of two moments was marked by both
    (blind,) = recorded_agreement(people + model, {"a": 10, "b": 10}, {}, tolerance=2)
    assert blind["episodes"] == 1 and blind["whether"]["value"] == 1.0
    assert recorded_agreement(model, {"a": 10}, {}, tolerance=2) == []
