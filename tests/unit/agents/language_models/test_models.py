"""Models that answer: one computed here, and one behind an address, with all that can fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from agents.language_models.address import RemoteModel
from agents.language_models.config import ModelSource
from agents.language_models.folder import open_model
from agents.language_models.local import LocalModel
from agents.language_models.model import Prompt
from tests.unit.agents.language_models.tiny_model import completion, make_model, service
from worlds.errors import UserError
from worlds.foreign_code.trust import permit

PAIRS = [("ball left\nAct:", " left"), ("ball right\nAct:", " right"), ("a wall, and far away a door\nAct:", " stay")]
PROMPTS = [Prompt("", question) for question, _ in PAIRS]
ANSWERS = [answer.strip() for _, answer in PAIRS]


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("taught"), PAIRS)


def test_a_taught_model_answers_as_it_was_taught_alone_and_in_a_batch(taught: Path) -> None:
    model = LocalModel(ModelSource(folder=taught))
    together = model.complete(PROMPTS)
    assert [each.text for each in together] == ANSWERS
    assert [model.complete([prompt])[0].text for prompt in PROMPTS] == ANSWERS
    assert [each.prompt_tokens for each in together] == [len(prompt.text) for prompt in PROMPTS]
    for each in together:
        assert len(each.text) < each.answer_tokens <= 24 and each.seconds > 0
    state = torch.random.get_rng_state()
    model.complete(PROMPTS)
    assert torch.random.get_rng_state().equal(state)  # the learner's chance is left alone


def test_sampling_follows_its_seed(taught: Path) -> None:
    hot = ModelSource(folder=taught, temperature=5.0)
    one, same, other = (LocalModel(hot, seed=seed).complete(PROMPTS)[0].text for seed in (0, 0, 1))
    assert one == same != other


def test_a_long_prompt_is_cut_at_its_beginning(taught: Path) -> None:
    model = LocalModel(ModelSource(folder=taught))
    assert model.limit == 512 - 24
    (answer,) = model.complete([Prompt("x" * 5000, PROMPTS[1].present)])
    assert answer.prompt_tokens == model.limit


def test_folders_without_a_model_are_one_line(taught: Path, tmp_path: Path) -> None:
    torch.save({}, tmp_path / "pytorch_model.bin")  # pickled weights are not read
    for name, content, complaint in (
        ("", b"", "config.json is missing"),
        ("config.json", b"{}", "no weights in safetensors"),
        ("model.safetensors", b"nothing", "no causal language model"),
    ):
        if name:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(UserError, match=complaint) as refused:
            LocalModel(ModelSource(folder=tmp_path))
        assert "\n" not in str(refused.value)
    with pytest.raises(UserError, match="no template for conversations"):
        LocalModel(ModelSource(folder=taught, chat=True))


def remote(address: str, waited: list[float] | None = None, **settings: Any) -> RemoteModel:
    waits: list[float] = [] if waited is None else waited
    permit([address, *(f"--model.key-variable={settings[name]}" for name in settings if name == "key_variable")])
    return RemoteModel(ModelSource(address=address, name="large", **settings), seed=3, wait=waits.append)


def test_a_service_is_asked_and_its_tokens_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    seen = []

    def answer(path: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
        seen.append((path, body, headers.get("Authorization")))
        return completion(f" {body['prompt'][::-1]}\nmore")

    with service(answer) as address:
        found = remote(address, key_variable="MY_KEY").complete([Prompt("ab", "c"), Prompt("", "xy")])
    assert [(each.text, each.prompt_tokens, each.answer_tokens) for each in found] == [("cba", 7, 3), ("yx", 7, 3)]
    path, body, key = sorted(seen, key=lambda each: each[1]["prompt"])[0]
    assert path == "/v1/completions" and key == "Bearer secret"
    assert body == {
        "model": "large", "temperature": 0.0, "max_tokens": 24, "seed": 3, "prompt": "abc", "stop": ["\n"],
    }  # fmt: skip


def test_a_conversation_has_instructions_and_a_question() -> None:
    def answer(path: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
        assert path == "/v1/chat/completions" and "Authorization" not in headers
        said = [(message["role"], message["content"]) for message in body["messages"]]
        assert said == [("system", "Do it."), ("user", "Act:")]
        return 200, {"choices": [{"message": {"content": "left"}}]}

    with service(answer) as address:
        (found,) = remote(address, chat=True, key_variable="NO_SUCH").complete([Prompt("Do it.\n", "Act:")])
    assert (found.text, found.prompt_tokens, found.answer_tokens) == ("left", 3, 1)  # estimated


def test_a_service_that_recovers_is_asked_again() -> None:
    replies = iter([(500, {}), (429, {}), (200, b"no json"), completion("left")])
    waited: list[float] = []
    with service(lambda *_: next(replies)) as address:
        assert remote(address, waited).complete([Prompt("", "a")])[0].text == "left"
    assert waited == [1.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((401, {"error": {"message": "wrong key secret"}}), "status 401: wrong key ...); put the service's key"),
        ((404, {"error": "no such model"}), "status 404: no such model); check --model.address"),
        ((302, {}), "refuses the request (status 302)"),
        ((503, {}), "cannot be used (status 503; 3 attempts)"),
        ((200, b"no json"), "cannot be used (the reply is no JSON"),
        ((200, []), "not as OpenAI's protocol has it"),
        ((200, {"choices": [{"text": 3}]}), "not as OpenAI's protocol has it"),
    ],
)
def test_a_service_that_refuses_is_one_line(reply: Any, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    with service(lambda *_: reply) as address:
        with pytest.raises(UserError) as refused:
            remote(address, retries=2, key_variable="MY_KEY").complete([Prompt("", "a")])
    assert message in str(refused.value) and "\n" not in str(refused.value) and "secret" not in str(refused.value)


def test_nobody_at_the_address_is_one_line() -> None:
    with service(lambda *_: completion("left")) as address:
        pass  # it has ended
    with pytest.raises(UserError, match=r"cannot be used \(.*; 2 attempts\): start the service") as refused:
        remote(address, retries=1).complete([Prompt("", "a")])
    assert "\n" not in str(refused.value)


def test_a_key_is_not_sent_unencrypted_to_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    with pytest.raises(UserError, match="is not encrypted"):
        remote("http://example.org/v1", key_variable="MY_KEY")
    remote("https://example.org/v1", key_variable="MY_KEY")
    permit(["http://example.org/v1", "--model.key-variable=NO_SUCH"])
    open_model(ModelSource(address="http://example.org/v1", name="m", key_variable="NO_SUCH"))
