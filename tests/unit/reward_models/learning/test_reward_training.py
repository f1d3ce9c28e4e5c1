"""Training of reward models: learning, resuming, stopping, and refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from reward_models.autoregressive import AutoregressiveRewardModel
from reward_models.contract import RewardModel
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.learning.evaluation import Evaluator
from reward_models.learning.training import (
    RewardTrainer,
    RewardTrainingConfig,
    finished,
    reward_terms,
    train_reward_model,
)
from reward_models.marks.marked_play import mark_play
from reward_models.scores import scoring
from rlhf.data.dataset import Dataset
from rlhf.learning.cloner import imitation_terms
from rlhf.learning.training import Training
from rlhf.records.marks import Mark
from rlhf.records.preferences import Preference
from tests.unit.reward_models.lamp_preferences import ALL_KINDS, everything
from tests.unit.reward_models.resuming import ends_the_same
from worlds.errors import UserError

QUICK = RewardTrainingConfig(
    updates=150, steps=20, batch=16, learning_rate=3e-3, warmup=20, evaluate_every=50, css_weight=0.1, bc_weight=0.1,
    log_every=10,
)  # fmt: skip


@pytest.fixture(scope="module")
def judged(many, held_out) -> list[Preference]:
    return [*everything(many), *everything(held_out)]


def test_it_learns_which_lamp_was_asked_for(agent, trainer, held_out) -> None:
    """Only language separates (+) from (-): every colour is lit as often rightly as wrongly."""
    untouched = {name: value.clone() for name, value in agent.state_dict().items()}
    config = replace(QUICK, calibrate=True)
    trained = trainer(config)
    (training := Training(trained, config)).run()
    result = finished(trained, training)
    assert result.metrics["reward_model_validation/balanced_accuracy"] > 0.9
    assert result.metrics["reward_model_validation/wrong_words_accuracy"] > 0.9
    untaught = Evaluator.of(held_out, 40).evaluate(InterTemporalRewardModel.from_agent(agent))
    assert untaught["pair_accuracy"] < 0.75
    # The model returned is the one that did best, and its rewards are on the scale asked for.
    found = Evaluator.of(held_out, config.evaluation_episodes).evaluate(result.model)
    assert found["pair_accuracy"] == result.metrics["reward_model_validation/pair_accuracy"]
    assert result.model.config.reward_scale != 1.0
    assert all(torch.equal(value, untouched[name]) for name, value in agent.state_dict().items())
    # Reward arrives where the lamp is lit, not elsewhere: the largest change is within a step of the mark.
    near = 0
    for episode, utility in enumerate(scoring.score(result.model, held_out.episodes)):
        mark = int(np.flatnonzero(held_out.marks_of(episode).any(axis=(1, 2)))[0])
        near += abs(int(np.abs(scoring.rewards(utility)).argmax()) - mark) <= 1
    assert near / len(held_out) > 0.9


ONLY = {"ibt": 1.0}
OTHER_WEIGHTS = {
    "ibt_weight": 2.0, "bc_weight": 0.5, "language_weight": 3.0, "css_weight": 0.25, "unmarked_drift_weight": 4.0
}  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "weights"),
    [
        ({}, {"ibt": 1.0, "movement": 1.0, "language": 5.0, "css": 1.0}),  # the paper's
        (OTHER_WEIGHTS, {"ibt": 2.0, "movement": 0.5, "language": 1.5, "css": 0.25, "quiet": 4.0}),
        (
            {"bc_weight": 0.0, "css_weight": 0.0, "cut_weight": 0.5, "between_weight": 2.0},
            ONLY | {"cut": 0.5, "between": 2.0},
        ),
        ({"bc_weight": 0.0, "css_weight": 0.0, "preferences": ALL_KINDS}, ONLY | ALL_KINDS.weights),
    ],
)
def test_the_loss_is_the_weighted_sum_of_its_terms(trainer, judged, settings, weights: dict[str, float]) -> None:
    metrics = trainer(RewardTrainingConfig(steps=20, batch=16, **settings), judged=judged).update(0.0)
    others = {"loss", "gradient_norm", "learning_rate"}
    assert metrics.keys() == {f"reward_model/{name}" for name in weights.keys() | others}
    expected = sum(weight * metrics[f"reward_model/{name}"] for name, weight in weights.items())
    assert metrics["reward_model/loss"] == pytest.approx(expected, rel=1e-5)


def test_memory_is_carried_from_window_to_window(trainer) -> None:
    one, twin = trainer(QUICK), trainer(QUICK)
    memory = twin.memory
    for _ in range(3):
        window = twin.stream.next_marked()
        twin.model.load_state_dict(one.model.state_dict())
        with torch.no_grad():
            _, memory = reward_terms(twin.model, window, memory, QUICK)
        one.update(0.0)
        torch.testing.assert_close(tuple(one.memory), tuple(memory))
    assert memory.hidden.abs().max() > 0 and not one.memory.hidden.requires_grad


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (InterTemporalRewardModel, {"preferences": ALL_KINDS}),
        (InterTemporalRewardModel, {"cut_weight": 1.0, "between_weight": 1.0, "rewind": 0.4, "hard_answers": 0.5}),
        (AutoregressiveRewardModel, {}),
    ],
    ids=["preferences", "requests", "autoregressive"],
)
def test_training_resumes_bit_exactly(trainer, judged, kind: type[RewardModel], settings) -> None:
    config = replace(QUICK, batch=4, updates=6, evaluate_every=2, evaluation_episodes=5, calibrate=True, **settings)
    whole = ends_the_same(lambda: trainer(config, kind, judged=judged))
    assert (whole.model.config.reward_scale == 1.0) == (kind is AutoregressiveRewardModel)  # its rewards are marks


def test_demonstrations_without_marks_are_imitated_in_windows_of_their_own(agent, many, held_out, lamp_play) -> None:
    config = replace(QUICK, batch=4, updates=6, evaluate_every=2, evaluation_episodes=5)
    unmarked = lamp_play(range(300, 320)).episodes

    def begun(demonstrations: Dataset | None) -> RewardTrainer:
        model = InterTemporalRewardModel.from_agent(agent)
        return RewardTrainer(model, many, held_out, config, demonstrations=demonstrations)

    beside, alone = begun(unmarked), begun(None)
    stream = unmarked.stream(config.steps, config.batch, config.seed)
    expected, _ = imitation_terms(beside.model, stream.next(), beside.model.initial_state(config.batch))
    metrics, others = beside.update(0.0), alone.update(0.0)
    assert metrics["reward_model/ibt"] == others["reward_model/ibt"]
    for name, term in expected.items():
        assert metrics[f"reward_model/{name}"] == pytest.approx(term.item(), rel=1e-5) != others[f"reward_model/{name}"]
    ends_the_same(lambda: begun(unmarked))


def test_it_stops_when_time_is_up(agent, many, held_out) -> None:
    config = replace(QUICK, updates=10**6, max_seconds=0.5, evaluate_every=10**6, evaluation_episodes=3)
    progress: list[float] = []
    result = train_reward_model(agent, many, held_out, config, on_progress=progress.append)
    assert 0 < result.update < 10**4 and progress == sorted(progress) and progress[-1] == 1.0


def test_terms_leave_out_what_is_altered_or_not_demonstrated(trainer) -> None:
    begun = trainer(replace(QUICK, unmarked_drift_weight=1.0))
    window, state = begun.stream.next_marked(), begun.model.initial_state(QUICK.batch)
    terms, _ = reward_terms(begun.model, window, state, begun.config)
    assert set(terms) == {"ibt", "movement", "language", "css", "quiet"}
    assert all(term.item() > 0 for term in terms.values())
    nothing = torch.zeros_like(window.imitate)
    window = replace(window, imitate=nothing, matched=nothing, unmarked=nothing)
    terms, _ = reward_terms(begun.model, window, state, begun.config)
    assert [terms[name].item() for name in ("movement", "language", "css", "quiet")] == [0.0] * 4


@pytest.mark.parametrize(
    ("signs", "step", "augmentation", "complaint"),
    [
        ((), 1, 0.33, "none of the 6 episodes has a mark"),
        ((1, -1), 0, 0.33, "order no two moments"),
        ((-1,), 2, 0.33, "needs"),
        ((1,), 2, 0.0, "set augmentation above 0"),
        ((1,), 2, 0.33, None),  # progress is learned against altered words
    ],
    ids=["no-marks", "first-steps-only", "only-minus", "only-plus", "altered"],
)
def test_marks_without_pairs_are_refused(
    trainer, make_play, tokenizer, tiny, signs, step, augmentation, complaint
) -> None:
    episodes = [make_play(str(n), ["is it on" if n % 2 else "which is it"] * 4) for n in range(6)]
    marks = [Mark(e.episode_id, "ann", step, sign, True) for e in episodes for sign in signs]
    play, config = mark_play(episodes, marks, tokenizer, tiny), replace(QUICK, augmentation=augmentation)
    if complaint is None:
        assert np.isfinite(trainer(config, play=play).update(0.0)["reward_model/loss"])
        return
    with pytest.raises(UserError, match=complaint):
        trainer(config, play=play)


def test_held_out_play_needs_marks(trainer, make_play, tokenizer, tiny) -> None:
    with pytest.raises(UserError, match="none of the 1 episodes set aside"):
        trainer(QUICK, validation=mark_play([make_play("a", ["x"] * 3)], [], tokenizer, tiny))


def test_a_loss_that_is_not_finite_stops_the_run(trainer) -> None:
    broken = trainer(QUICK)
    with torch.no_grad():
        broken.model.utility[-1].bias.fill_(float("nan"))
    before = broken.model.trunk.ask.weight.clone()
    with pytest.raises(FloatingPointError, match="ibt is nan"):
        broken.update(0.0)
    assert torch.equal(broken.model.trunk.ask.weight, before)


def test_the_kept_model_is_the_one_with_the_best_balanced_accuracy(trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nine marks in ten are (+), a utility that always rises has the best plain accuracy."""
    evaluations = iter([(0.9, 0.5), (0.8, 0.7), (0.85, 0.6)])
    names = ("pair_accuracy", "balanced_accuracy")
    monkeypatch.setattr(Evaluator, "evaluate", lambda *_: dict(zip(names, next(evaluations), strict=True)))
    judged = trainer(QUICK)
    scores = [judged.score(judged.evaluate()) for _ in range(3)]
    assert scores.index(max(scores)) == 1
