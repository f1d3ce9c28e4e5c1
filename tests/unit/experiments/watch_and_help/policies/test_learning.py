"""Policies that learn from reward, are resumed, and help."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from experiments.engine.rows import grouped
from experiments.engine.table import by_arm
from experiments.watch_and_help.helping.methods import METHODS, possible_methods
from experiments.watch_and_help.helping.part import HelpSettings
from experiments.watch_and_help.helping.part import stages as help_stages
from experiments.watch_and_help.helping.results import load_rows
from experiments.watch_and_help.policies import choosing
from experiments.watch_and_help.policies.choosing import GOALS, Choice, HelpOutcome, HelpPractice, decisions_of
from experiments.watch_and_help.policies.errand import CANDIDATES, Errand, Option
from experiments.watch_and_help.policies.handling import CLOSE, Place, Practice, Practitioner, practise
from experiments.watch_and_help.policies.learning import Decisions, LearningSettings, learn, loss_terms, make_optimizer
from experiments.watch_and_help.policies.network import CandidatePolicy, PolicyConfig, View, stack
from experiments.watch_and_help.policies.part import section, stages
from experiments.watch_and_help.policies.training import (
    WEIGHTS,
    PolicyName,
    PolicySettings,
    Practising,
    load_policies,
    stage_folder,
    train_policy,
)
from rlhf.run.checkpoint import Checkpoints
from tests.unit.experiments.carrying_out import carry_out
from tests.unit.worlds.household.small_home import small_home
from worlds.errors import UserError

TINY = PolicySettings(
    {"grab": 4, "put": 4, "high": 4, "cloned": 4},
    checkpoint_every=2,
    network=PolicyConfig(width=16),
    practice=Practice(places=2, persons=3, decisions=3),
    helping=HelpPractice(places=2, episodes=1),
)


def test_what_fills_up_shorter_episodes_changes_no_loss() -> None:
    torch.manual_seed(1)
    policy = CandidatePolicy(PolicyConfig(width=16), CANDIDATES, len(Option))
    rng = np.random.default_rng(0)
    home, state = small_home()
    one = Practitioner([Place(home, state, {"on_book_kitchentable": 1})], "grab", Practice(), rng)

    def episode(length: int) -> HelpOutcome:
        chosen, log_prob = policy.choose(stack([one.view]), rng)
        choices = [Choice(one.view, int(chosen[0]), float(log_prob[0]), 0.5 * i, 0.9) for i in range(length)]
        choices[-1].discount = 0.0
        return HelpOutcome(choices, length, True, 0.0)

    short, long = episode(2), episode(5)

    def terms(*outcomes: HelpOutcome) -> dict[str, float]:
        found = loss_terms(policy, decisions_of(outcomes), LearningSettings())
        return {name: term.item() for name, (_, term) in found.items()}

    both, alone = terms(short, long), [terms(short), terms(long)]
    for name, value in both.items():
        assert value == pytest.approx((2 * alone[0][name] + 5 * alone[1][name]) / 7, abs=1e-5)


def expecting(value: float) -> CandidatePolicy:
    """Return a policy that expects the same of everything."""
    torch.manual_seed(0)
    policy = CandidatePolicy(PolicyConfig(width=16), CANDIDATES, len(Option))
    with torch.no_grad():
        policy.value.weight.zero_()
        policy.value.bias.fill_(value)
    return policy


def test_practice_that_a_limit_ends_expects_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """One a choice for ever is worth 1 / (1 - 0.8) = 5, whatever the limit of choices."""
    monkeypatch.setattr(Errand, "is_close", lambda self: True)
    settings = Practice(decisions=7, most_choices=2, most_steps=1000, discount=0.8, scale=CLOSE)
    monkeypatch.setattr(Errand, "goes_on", lambda self, state, reason: False)  # a choice takes one step
    monkeypatch.setattr(Practitioner, "_is_done", lambda self, option: False)
    home, state = small_home()
    rng = np.random.default_rng(0)
    persons = [Practitioner([Place(home, state, {"on_book_kitchentable": 1})], "grab", settings, rng) for _ in range(3)]
    decisions = practise(expecting(5.0), persons, settings, rng)
    assert decisions.kept.tolist() == [[step not in (2, 5)] * 3 for step in range(7)]
    assert loss_terms(expecting(5.0), decisions, LearningSettings())["value"][1].item() == pytest.approx(0, abs=1e-9)
    assert [length for one in persons for _, length in one.finished] == [2] * 6


def test_an_episode_of_help_that_a_limit_ends_expects_more(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = CandidatePolicy(PolicyConfig(width=16), GOALS, 1)
    monkeypatch.setattr(choosing, "HORIZON", 3)
    outcome = choosing.help_once(policy, Place.training(0), 0, False, HelpPractice())
    assert not outcome.success and outcome.choices[-1].discount > 0
    assert outcome.final is not None and not np.array_equal(outcome.final.values, outcome.choices[-1].view.values)
    longer = replace(outcome, choices=[outcome.choices[0], *outcome.choices])
    decisions, last = decisions_of([outcome, longer]), len(outcome.choices)
    assert not decisions.kept[last, 0] and np.array_equal(decisions.view.values[last, 0], outcome.final.values)
    for number in range(2):
        assert np.array_equal(decisions.view.values[-1, number], outcome.final.values)


def test_rewards_raise_the_probability_of_the_choice_that_brought_them() -> None:
    torch.manual_seed(0)
    policy = CandidatePolicy(PolicyConfig(width=16), CANDIDATES, len(Option))
    learning, rng = LearningSettings(learning_rate=3e-3), np.random.default_rng(0)
    optimizer = make_optimizer(policy, learning)
    home, state = small_home()
    one = Practitioner([Place(home, state, {"on_book_kitchentable": 1})], "grab", Practice(), rng)
    views = stack([stack([one.view] * 32)] * 2)
    best = int(np.flatnonzero(one.view.mask)[-1])

    def probability() -> float:
        with torch.no_grad():
            return float(policy(*(torch.from_numpy(each)[None] for each in one.view))[0][0, best].exp())

    before = probability()
    for update in range(60):
        chosen, log_prob = policy.choose(View(*(each[0] for each in views)), rng)
        reward = (chosen == best).astype(np.float32)[None]
        decisions = Decisions(
            views, chosen[None], log_prob[None], reward, np.zeros_like(reward), np.ones(reward.shape, np.bool_)
        )
        learn(policy, optimizer, decisions, learning, update, 0.0)
    assert before < 0.5 < 0.9 < probability()


@pytest.mark.parametrize("stage", ["grab", "high", "cloned"])
def test_an_interrupted_training_ends_with_the_same_weights(
    tmp_path: Path, stage: PolicyName, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train_policy(tmp_path / "whole", stage, 3, TINY)
    update = Practising.update

    def interrupted(practising: Practising, progress: float) -> dict[str, float]:
        if practising.done == 3:  # the last checkpoint is that of update 2
            raise KeyboardInterrupt
        return update(practising, progress)

    monkeypatch.setattr(Practising, "update", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train_policy(tmp_path / "parts", stage, 3, TINY)
    monkeypatch.undo()
    assert Checkpoints(tmp_path / "parts").latest().step == 2
    resumed = train_policy(tmp_path / "parts", stage, 3, TINY)
    for name, weight in whole.state_dict().items():
        assert torch.equal(weight, resumed.state_dict()[name]), name
    assert (tmp_path / "whole" / WEIGHTS).read_bytes() == (tmp_path / "parts" / WEIGHTS).read_bytes()
    with pytest.raises(UserError, match="trained with other settings: move it away"):
        train_policy(tmp_path / "parts", stage, 3, replace(TINY, network=PolicyConfig(width=8)))


def test_learned_helpers_play_once_their_policies_are_complete(tmp_path: Path) -> None:
    rows = {name: METHODS[name] for name in ("Alice alone", "Hybrid", "Hybrid, true goal", "HRL, cloned, true goal")}
    assert not section(tmp_path).parts and load_policies(tmp_path, 0) is None
    assert list(possible_methods(tmp_path, 0, "test_1", rows)) == ["Alice alone"]
    carry_out(stages, tmp_path, TINY)
    assert section(tmp_path).markdown().count("\n| 0 | ") == 4

    few = HelpSettings(1, (40,), ("test_1",), rows)
    carry_out(help_stages, tmp_path, few)
    played = grouped(load_rows(tmp_path, "test_1"), by_arm)
    assert list(played) == ["Alice alone", "Hybrid, true goal", "HRL, cloned, true goal"]
    assert all(episodes[0].success for episodes in played.values())

    weights = stage_folder(tmp_path, 0, "put") / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(UserError, match="has no policy .* run the part policies again"):
        load_policies(tmp_path, 0)
