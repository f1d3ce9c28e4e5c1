"""Rewards from utilities (Eq. 2), in pieces and in a process of its own."""

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
from reward_models.marks.marked_play import MarkedPlay
from reward_models.marks.pairs import PLUS
from reward_models.scores import scoring
from reward_models.scores.tracing import serve
from rlhf.data.memory import encode_episodes
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.reward_models.given_marks import marks_at
from tests.unit.rlhf import tiny_agent


@pytest.fixture
def nine(lamp_play) -> MarkedPlay:
    return lamp_play(range(9))


def test_reward_is_the_change_of_utility() -> None:
    found = scoring.rewards(np.array([5.0, 5.5, 4.0, 4.0]))
    assert found.dtype == np.float32 and found.tolist() == [0.0, 0.5, -1.5, 0.0]
    assert scoring.rewards(np.array([1.0, 3.0]), scale=0.5).tolist() == [0.0, 1.0]
    assert scoring.rewards(np.array([7.0])).tolist() == [0.0]


def test_scoring_in_pieces_is_scoring_at_once(
    model: InterTemporalRewardModel, nine: MarkedPlay, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = scoring.score(model, nine.episodes)
    monkeypatch.setattr(scoring, "_STEPS_AT_ONCE", 3)
    for whole, pieces in zip(at_once, scoring.score(model, nine.episodes), strict=True):
        np.testing.assert_allclose(pieces, whole, atol=1e-6)


def test_a_plus_is_worth_the_mean_change_across_it() -> None:
    """(+) at 2, (-) at 4, (+) at 5 of 8 steps; the utility rises a little before the first."""
    utility = np.array([0.0, 1.0, 3.0, 3.0, 1.0, 2.0, 2.0, 5.0])
    assert list(scoring._changes_at_plus(utility, marks_at(8, plus=(2, 5), minus=(4,)))) == pytest.approx([2.5, 2.0])


def test_calibrated_rewards_make_a_plus_worth_one(model: InterTemporalRewardModel, nine: MarkedPlay) -> None:
    with torch.no_grad():
        model.utility[-1].weight.mul_(20.0)  # type: ignore[union-attr]
    scale = scoring.calibrated_scale(model, nine)
    scored = zip(range(9), scoring.score(model, nine.episodes), strict=True)
    worth = [c for e, u in scored for c in scoring._changes_at_plus(scale * u, nine.marks_of(e))]
    assert np.mean(np.abs(worth)) == pytest.approx(1.0, rel=1e-4)
    unmarked = [e for e in range(9) if not nine.marks_of(e)[..., PLUS].any()]
    assert unmarked and scoring.calibrated_scale(model, nine, unmarked) == 1.0


def test_utility_rewards_step_by_step_equal_those_of_the_whole(
    model: InterTemporalRewardModel, nine: MarkedPlay
) -> None:
    model.config.reward_scale = 2.0
    play = nine.episodes
    rows = np.stack([np.arange(play.starts[e], play.starts[e] + 6) for e in (3, 8)], axis=1)
    scorer = scoring.UtilityScorer(model, 2)
    rewards = np.concatenate([scorer.rewards(play.gather(part)[0], play.first[part]) for part in (rows[:4], rows[4:])])
    for column, utility in enumerate(scoring.score(model, play, [3, 8])):
        np.testing.assert_allclose(rewards[:, column], [0.0, *2.0 * utility[1:6]], atol=1e-5)
    with pytest.raises(ValueError, match="steps of every slot"):
        scorer.rewards(play.gather(rows)[0], play.first[rows][:, :1])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of two episodes and a reward model that has learned nothing."""
    place = tmp_path_factory.mktemp("traced")
    store = open_store(place / "play", create=True)
    for seed in range(2):
        store.write(synthetic_episode(seed, steps=30, height=12, width=16))
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
    assert "nothing" in errors[1]["error"] and "observation.image.height" in errors[3]["error"]
    assert len(last["utility"]) == 30
