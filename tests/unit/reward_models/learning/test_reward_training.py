"""Training of reward models: learning, resuming, stopping, and refusals."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from reward_models.autoregressive import AutoregressiveRewardModel
from reward_models.contract import RewardModel
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.learning.evaluation import Evaluator
from reward_models.learning.training import (
    RewardTrainer,
    RewardTrainingConfig,
    reward_terms,
    train_reward_model,
)
from reward_models.marks.marked_play import MarkedPlay, mark_play
from reward_models.scores import scoring
from rlhf.records.marks import Mark
from worlds.errors import UserError

QUICK = RewardTrainingConfig(
    updates=150,
    steps=20,
    batch=16,
    learning_rate=3e-3,
    warmup=20,
    evaluate_every=50,
    css_weight=0.1,
    bc_weight=0.1,
    log_every=10,
)


@pytest.fixture(scope="module")
def play(lamp_play) -> MarkedPlay:
    return lamp_play(range(150))


@pytest.fixture(scope="module")
def held_out(lamp_play) -> MarkedPlay:
    return lamp_play(range(1000, 1040))


def weights_of(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in model.state_dict().items()}


def test_it_learns_which_lamp_was_asked_for(agent: InteractiveAgent, play: MarkedPlay, held_out: MarkedPlay) -> None:
    """Only language separates (+) from (-): every colour is lit as often rightly as wrongly."""
    logged: list[int] = []
    untouched = weights_of(agent)
    config = replace(QUICK, calibrate=True)
    trainer = RewardTrainer(InterTemporalRewardModel.from_agent(agent), play, held_out, config)
    trainer.run(on_metrics=lambda update, _: logged.append(update))
    result = trainer.finish()
    assert result.best["reward_model_validation/balanced_accuracy"] > 0.9
    assert result.best["reward_model_validation/wrong_words_accuracy"] > 0.9
    untaught = Evaluator.of(held_out, 40).evaluate(InterTemporalRewardModel.from_agent(agent))
    assert untaught["pair_accuracy"] < 0.75
    assert logged == list(range(10, 151, 10))
    # The model returned is the one that did best, and its rewards are on the scale asked for.
    found = Evaluator.of(held_out, config.evaluation_episodes).evaluate(result.model)
    assert found["pair_accuracy"] == result.best["reward_model_validation/pair_accuracy"]
    assert result.model.config.reward_scale != 1.0
    assert all(torch.equal(value, untouched[name]) for name, value in agent.state_dict().items())
    # Reward arrives where the lamp is lit, not elsewhere: the largest change is within a step of the mark.
    near = 0
    for episode, utility in enumerate(scoring.score(result.model, held_out.episodes)):
        mark = int(np.flatnonzero(held_out.marks_of(episode).any(axis=(1, 2)))[0])
        near += abs(int(np.abs(scoring.rewards(utility)).argmax()) - mark) <= 1
    assert near / len(held_out) > 0.9


@pytest.mark.parametrize(
    ("settings", "weights"),
    [
        ({}, {"ibt": 1.0, "movement": 1.0, "language": 5.0, "css": 1.0}),  # the paper's
        (
            {
                "ibt_weight": 2.0,
                "bc_weight": 0.5,
                "language_weight": 3.0,
                "css_weight": 0.25,
                "unmarked_drift_weight": 4.0,
            },
            {"ibt": 2.0, "movement": 0.5, "language": 1.5, "css": 0.25, "quiet": 4.0},
        ),
        ({"bc_weight": 0.0, "css_weight": 0.0}, {"ibt": 1.0}),
    ],
)
def test_the_loss_is_the_weighted_sum_of_its_terms(
    agent: InteractiveAgent,
    play: MarkedPlay,
    held_out: MarkedPlay,
    settings: dict[str, float],
    weights: dict[str, float],
) -> None:
    config = RewardTrainingConfig(steps=20, batch=16, **settings)
    metrics = RewardTrainer(InterTemporalRewardModel.from_agent(agent), play, held_out, config).update(0.0)
    others = {"loss", "gradient_norm", "learning_rate"}
    assert metrics.keys() == {f"reward_model/{name}" for name in weights.keys() | others}
    expected = sum(weight * metrics[f"reward_model/{name}"] for name, weight in weights.items())
    assert metrics["reward_model/loss"] == pytest.approx(expected, rel=1e-5)


def test_memory_is_carried_from_window_to_window(
    agent: InteractiveAgent, play: MarkedPlay, held_out: MarkedPlay
) -> None:
    trainer, twin = (RewardTrainer(InterTemporalRewardModel.from_agent(agent), play, held_out, QUICK) for _ in range(2))
    memory = twin.memory
    for _ in range(3):
        window = twin.stream.next_marked()
        twin.model.load_state_dict(trainer.model.state_dict())
        with torch.no_grad():
            _, memory = reward_terms(twin.model, window, memory, QUICK)
        trainer.update(0.0)
        torch.testing.assert_close(tuple(trainer.memory), tuple(memory))
    assert memory.hidden.abs().max() > 0 and not trainer.memory.hidden.requires_grad


@pytest.mark.parametrize("kind", [InterTemporalRewardModel, AutoregressiveRewardModel])
def test_training_resumes_bit_exactly(
    kind: type[RewardModel], agent: InteractiveAgent, play: MarkedPlay, held_out: MarkedPlay
) -> None:
    config = replace(QUICK, batch=4, updates=6, evaluate_every=2, evaluation_episodes=5, calibrate=True)
    saved: list[dict] = []

    def save() -> None:
        buffer = io.BytesIO()
        torch.save({"model": trainer.model.state_dict(), "training": trainer.state_dict()}, buffer)
        buffer.seek(0)
        saved.append(torch.load(buffer, weights_only=True))

    trainer = RewardTrainer(kind.from_agent(agent), play, held_out, config)
    trainer.model.prepare(trainer.play)
    trainer.run(on_checkpoint=save)
    whole = trainer.finish()
    assert [state["training"]["update"] for state in saved] == [2, 4, 6]
    again = RewardTrainer(kind.from_agent(agent), play, held_out, config)
    again.model.load_state_dict(saved[0]["model"])
    again.load_state_dict(saved[0]["training"])
    again.run()
    resumed = again.finish()
    assert resumed.history == whole.history and resumed.best_update == whole.best_update
    expected = weights_of(whole.model)
    assert all(torch.equal(value, expected[name]) for name, value in resumed.model.state_dict().items())
    assert (whole.model.config.reward_scale == 1.0) == (kind is AutoregressiveRewardModel)  # its rewards are marks


def test_it_stops_when_time_is_up(agent: InteractiveAgent, play: MarkedPlay, held_out: MarkedPlay) -> None:
    config = replace(QUICK, updates=10**6, max_seconds=0.5, evaluate_every=10**6, evaluation_episodes=3)
    progress: list[float] = []
    result = train_reward_model(agent, play, held_out, config, on_progress=progress.append)
    assert 0 < result.best_update < 10**4 and progress == sorted(progress) and progress[-1] == 1.0


def test_terms_leave_out_what_is_altered_or_not_demonstrated(
    agent: InteractiveAgent, play: MarkedPlay, held_out: MarkedPlay
) -> None:
    model = InterTemporalRewardModel.from_agent(agent)
    trainer = RewardTrainer(model, play, held_out, replace(QUICK, unmarked_drift_weight=1.0))
    window = trainer.stream.next_marked()
    state = model.initial_state(QUICK.batch)
    terms, _ = reward_terms(model, window, state, trainer.config)
    assert set(terms) == {"ibt", "movement", "language", "css", "quiet"}
    assert all(term.item() > 0 for term in terms.values())
    nothing = torch.zeros_like(window.imitate)
    terms, _ = reward_terms(
        model, replace(window, imitate=nothing, matched=nothing, unmarked=nothing), state, trainer.config
    )
    assert [terms[name].item() for name in ("movement", "language", "css", "quiet")] == [0.0] * 4


@pytest.mark.parametrize(
    ("signs", "step", "augmentation", "complaint"),
    [
        ((), 1, 0.33, "none of the 6 episodes has a mark"),
        ((1, -1), 0, 0.33, "order no two moments"),
        ((-1,), 2, 0.33, "needs"),
        ((1,), 2, 0.0, "set augmentation above 0"),
    ],
    ids=["no-marks", "first-steps-only", "only-minus", "only-plus"],
)
def test_marks_without_pairs_are_refused(
    agent, make_play, tokenizer, tiny, held_out, signs, step, augmentation, complaint
) -> None:
    episodes = [make_play(str(n), ["is it on" if n % 2 else "which is it"] * 4) for n in range(6)]
    marks = [Mark(e.episode_id, "ann", step, sign, True) for e in episodes for sign in signs[:1]]
    marks += [Mark(e.episode_id, "ann", step, sign, True) for e in episodes for sign in signs[1:]]
    play = mark_play(episodes, marks, tokenizer, tiny)
    with pytest.raises(UserError, match=complaint):
        RewardTrainer(
            InterTemporalRewardModel.from_agent(agent), play, held_out, replace(QUICK, augmentation=augmentation)
        )


def test_marks_of_progress_only_can_be_learned_through_augmentation(
    agent, make_play, tokenizer, tiny, held_out
) -> None:
    episodes = [make_play(str(n), ["is it on" if n % 2 else "which is it"] * 4) for n in range(6)]
    play = mark_play(episodes, [Mark(e.episode_id, "ann", 2, 1, True) for e in episodes], tokenizer, tiny)
    trainer = RewardTrainer(InterTemporalRewardModel.from_agent(agent), play, held_out, replace(QUICK, updates=2))
    assert np.isfinite(trainer.update(0.0)["reward_model/loss"])


def test_held_out_play_needs_marks(agent, play, make_play, tokenizer, tiny) -> None:
    unmarked = mark_play([make_play("a", ["x"] * 3)], [], tokenizer, tiny)
    with pytest.raises(UserError, match="none of the 1 episodes set aside"):
        RewardTrainer(InterTemporalRewardModel.from_agent(agent), play, unmarked, QUICK)


def test_a_loss_that_is_not_finite_stops_the_run(agent, play, held_out) -> None:
    trainer = RewardTrainer(InterTemporalRewardModel.from_agent(agent), play, held_out, QUICK)
    last = trainer.model.utility[-1]
    assert isinstance(last, torch.nn.Linear)
    with torch.no_grad():
        last.bias.fill_(float("nan"))
    before = weights_of(trainer.model)
    with pytest.raises(FloatingPointError, match="ibt is nan"):
        trainer.update(0.0)
    assert torch.equal(trainer.model.state_dict()["trunk.ask.weight"], before["trunk.ask.weight"])


def test_the_kept_model_is_the_one_with_the_best_balanced_accuracy(
    agent: InteractiveAgent, play: MarkedPlay, held_out: MarkedPlay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nine marks in ten are (+), a utility that always rises has the best plain accuracy."""
    trainer = RewardTrainer(InterTemporalRewardModel.from_agent(agent), play, held_out, QUICK)
    evaluations = iter([(0.9, 0.5), (0.8, 0.7), (0.85, 0.6)])

    def evaluate(model: object) -> dict[str, float]:
        pairs, balanced = next(evaluations)
        return {"pair_accuracy": pairs, "balanced_accuracy": balanced}

    monkeypatch.setattr(type(trainer.evaluator), "evaluate", lambda self, model: evaluate(model))
    for update in range(3):
        trainer.update_index = update
        trainer.evaluate()
    assert trainer.best_update == 1
