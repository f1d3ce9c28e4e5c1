"""The process that scores episodes for programs without PyTorch returns the model's scores."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.loaded import load_with_tokenizer
from reward_models.scores.tracing import serve
from rlhf.data.memory import encode_episodes
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.rlhf import tiny_agent


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of two episodes and a reward model that has learned nothing."""
    place = tmp_path_factory.mktemp("traced")
    store = open_store(place / "play", create=True)
    for seed, size in ((0, (12, 16)), (1, (12, 16))):
        store.write(synthetic_episode(seed, steps=30, height=size[0], width=size[1]))
    tokenizer = Tokenizer.train(["please lift the mug", "done"], 280)
    torch.manual_seed(0)
    sizes = tiny_agent.config(image_size=(12, 16), vocab_size=tokenizer.vocab_size)
    save_agent(InterTemporalRewardModel(sizes), tokenizer, place / "model")
    return place


def answers(*asked: dict[str, str]) -> list[dict]:
    said = io.StringIO()
    serve(io.StringIO("".join(json.dumps(line) + "\n" for line in asked)), said)
    return [json.loads(line) for line in said.getvalue().splitlines()]


def test_a_trace_has_the_models_scores(folder: Path) -> None:
    ids = open_store(folder / "play").ids()
    asked = [{"model": str(folder / "model"), "dataset": str(folder / "play"), "episode_id": id} for id in ids]
    model = load_with_tokenizer(folder / "model")
    scores = model.score(encode_episodes(list(open_store(folder / "play").stream(ids)), model.tokenizer, model.sizes))
    for said, scored in zip(answers(*asked), scores, strict=True):
        assert np.allclose(said["utility"], scored.utility, atol=2e-6) and len(said["utility"]) == 30
        assert np.allclose(said["reward"], scored.reward, atol=2e-6) and said["kind"] == model.kind


def test_errors_are_answered_and_the_next_request_is_scored(folder: Path, tmp_path: Path) -> None:
    good = {"model": str(folder / "model"), "dataset": str(folder / "play"), "episode_id": "synthetic-000000"}
    other = open_store(tmp_path / "large", create=True)
    other.write(synthetic_episode(0, steps=5, height=24, width=32))
    wrong = [
        good | {"model": str(tmp_path)}, good | {"episode_id": "nothing"}, good | {"dataset": str(tmp_path / "no")},
        good | {"dataset": str(tmp_path / "large")},
    ]  # fmt: skip
    *errors, last = answers(*wrong, good)
    assert all(set(said) == {"error"} and "\n" not in said["error"] for said in errors)
    assert "nothing" in errors[1]["error"] and "24x32" in errors[3]["error"].replace(" ", "")
    assert len(last["utility"]) == 30
