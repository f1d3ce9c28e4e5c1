"""Prompts: their form, what they leave out to fit a model, the budget, and the folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.language_models.calls import Call, Calls, read_calls
from agents.language_models.config import Budget, ModelSource, PromptConfig
from agents.language_models.folder import LanguageModelAgent, load_language_model, save_language_model
from agents.language_models.model import Completion, Prompt, first_line
from agents.language_models.prompts import Example, PromptMaker, ShownStep
from worlds.errors import UserError

EXAMPLES = tuple(
    Example((ShownStep(f"ball {n}", f"go {n}"),), success) for n, success in enumerate((True, False, None))
)
BEFORE = [ShownStep(f"seen {n}", f"done {n}") for n in range(5)]


class Reader:
    """A model that reads so many characters, each of them a token."""

    def __init__(self, limit: int | None) -> None:
        self.limit = limit

    def count_tokens(self, text: str) -> int:
        return len(text)

    def complete(self, prompts):
        raise NotImplementedError


def test_a_prompt_has_instructions_examples_and_the_last_steps() -> None:
    prompt = PromptMaker("Do it.", EXAMPLES[:2], history=2).prompt(BEFORE, "a wall")
    assert prompt.text == (
        "Do it.\n\nNew episode.\nObs:\nball 0\nAct: go 0\nSuccess!\n\nNew episode.\nObs:\nball 1\nAct: go 1\nFailure!\n"
        "\nNew episode.\nObs:\nseen 3\nAct: done 3\nObs:\nseen 4\nAct: done 4\nObs:\na wall\nAct:"
    )
    assert "seen" not in PromptMaker("Do it.", history=0).prompt(BEFORE, "a wall").text
    assert "seen 0" in PromptMaker("Do it.", history=None).prompt(BEFORE, "a wall").text
    assert not EXAMPLES[2].text.endswith("!\n")  # whether it succeeded is not known


def test_as_little_as_possible_is_left_out_examples_first() -> None:
    maker = PromptMaker("Do it.", EXAMPLES, history=None)
    order = [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (3, 2), (3, 3), (3, 4), (3, 5)]
    lengths = [len(maker.prompt(BEFORE, "a wall", left_out).text) for left_out in order]
    assert lengths == sorted(lengths, reverse=True)
    for limit in [None, *range(lengths[0], 0, -1)]:
        kept = maker.fitted(Reader(limit), BEFORE, "a wall")
        fits = (number for number, length in enumerate(lengths) if limit is None or length <= limit)
        assert (kept.examples_left_out, kept.steps_left_out) == order[next(fits, len(order) - 1)]


def test_the_first_line_that_is_not_empty_is_the_answer() -> None:
    for answer, line in (("\n \n  go\t1 \nstop", "go 1"), ("\n", ""), ("\x00a\ud800b", "a b")):
        assert first_line(answer) == line


def call(step: int, problem: str = "", seconds: float = 0.5) -> Call:
    return Call.of("one", step, Prompt("a", "b"), Completion("go", 10, 2, seconds), problem)


def test_calls_are_written_and_count_in_the_budget_of_later_runs(tmp_path: Path) -> None:
    file = tmp_path / "new" / "calls.jsonl"
    calls = Calls(Budget(calls=3), file)
    calls.check(3)
    with pytest.raises(UserError, match="budget of 3 calls"):
        calls.check(4)
    calls.add(call(0))
    calls.add(call(1, "no action"))
    assert str(calls.spent).startswith("2 calls, 20 tokens read, 4 written, 1.0 s; 1 answers counted as doing nothing")
    with file.open("a") as cut:
        cut.write('{"episode": "on')  # a crash
    assert [row["step"] for row in read_calls(file)] == [0, 1]
    later = Calls(Budget(calls=3), file)
    later.check()
    later.add(call(2))
    with pytest.raises(UserError) as refused:
        later.check()
    assert str(file) in str(refused.value) and "\n" not in str(refused.value)
    assert [row["step"] for row in read_calls(file)] == [0, 1, 2]
    assert read_calls(file)[0] == {
        "episode": "one", "step": 0, "prompt": "ab", "answer": "go", "problem": "", "prompt_tokens": 10,
        "answer_tokens": 2, "seconds": 0.5, "left_out": 0,
    }  # fmt: skip


@pytest.mark.parametrize(("budget", "name"), [(Budget(tokens=20), "tokens"), (Budget(seconds=0.9), "seconds")])
def test_tokens_and_seconds_are_limited_too(budget: Budget, name: str) -> None:
    calls = Calls(budget)
    calls.add(call(0))
    calls.check()
    calls.add(call(1))
    with pytest.raises(UserError, match=f"budget of .* {name} is spent"):
        calls.check()


def test_the_folder_gives_back_the_agent_without_any_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret-of-the-service")
    source = ModelSource(address="https://example.org/v1", name="large", key_variable="MY_KEY", chat=True)
    agent = LanguageModelAgent(source, PromptConfig(None, "Do it."), Budget(calls=9), EXAMPLES)
    save_language_model(agent, tmp_path / "one")
    assert load_language_model(tmp_path / "one") == agent
    assert "secret" not in "".join(path.read_text() for path in (tmp_path / "one").iterdir())
    other = LanguageModelAgent(source, PromptConfig(0, "Do it."), Budget(calls=9), EXAMPLES)
    cheaper = LanguageModelAgent(source, PromptConfig(None, "Do it."), Budget(calls=8), EXAMPLES)
    assert agent.digest() == cheaper.digest() != other.digest()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("language_model.json", text) for text in ("", "[]", '{"model": {}, "prompt": {}, "budget": {}}')),
        ("examples.json", '[{"steps": [], "success": "perhaps"}]'),
        ("calls.jsonl", 'nothing\n{"episode": "a"}\n'),
    ],
)
def test_a_damaged_file_is_named(name: str, text: str, tmp_path: Path) -> None:
    save_language_model(LanguageModelAgent(ModelSource(address="http://localhost/v1", name="m")), tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match="is damaged") as refused:
        load_language_model(tmp_path)
        Calls(Budget(), tmp_path / name)
    assert str(tmp_path) in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"address": "ftp://a/v1", "name": "m"}, {"address": "http://u:p@host/v1", "name": "m"},
        {"address": "http://host:x/v1", "name": "m"}, {"address": "http://host/v1"},
        {"address": "http://host/v1?key=1", "name": "m"}, {"temperature": -1.0}, {"answer_tokens": 0},
        {"timeout_sec": 0.0}, {}, {"folder": Path("here"), "address": "http://localhost/v1", "name": "m"},
    ],
)  # fmt: skip
def test_impossible_sources_are_refused(wrong: dict) -> None:
    with pytest.raises(UserError) as refused:
        ModelSource(**wrong).check_given()
    assert "\n" not in str(refused.value)
