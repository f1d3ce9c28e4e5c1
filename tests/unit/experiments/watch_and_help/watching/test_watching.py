"""The watch stage: demonstrations, what is seen of them, a model that infers goals, and how well it does."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.watch_and_help.watching.frames import SEEN, Frames, counts_of, goal_of, watched
from experiments.watch_and_help.watching.measures import accuracy, calibration_error, chance, posterior_at
from experiments.watch_and_help.watching.model import Watcher, WatcherConfig, infer, load_watcher, save_watcher
from experiments.watch_and_help.watching.shown import Shown, file_of, load_shown, make_demonstrations, show
from experiments.watch_and_help.watching.training import WatchTraining, train_watcher
from rlhf.learning.config import TrainingConfig
from worlds.errors import UserError
from worlds.household.state.vocabulary import Held
from worlds.household.tasks.progress import reached
from worlds.household.tasks.sets import PREDICATES

SMALL = WatcherConfig(width=16, heads=2, memory_width=32)


@pytest.fixture(scope="module")
def demonstrations(tmp_path_factory: pytest.TempPathFactory) -> list[Shown]:
    folder = tmp_path_factory.mktemp("demonstrations")
    make_demonstrations(folder, {"train": 4}, workers=1, per_file=4)
    assert [path.name for path in folder.iterdir()] == [file_of(folder, "train", 0).name]
    return list(load_shown(folder, "train", 4))


def test_demonstrations_that_are_read_are_played_again_to_the_goal(demonstrations: list[Shown]) -> None:
    *_, (home, state) = demonstrations[0].states()
    assert reached(home, state, demonstrations[0].goal, home.persons[0])
    again = show("train", demonstrations[0].number)
    assert again.goal == demonstrations[0].goal
    assert np.array_equal(again.acts, demonstrations[0].acts)


def test_frames_are_the_states_at_which_things_were_moved(demonstrations: list[Shown]) -> None:
    shown = demonstrations[0]
    frames, last = watched(shown)
    steps = []
    before: list[tuple[int, int]] = []
    for step, (home, state) in enumerate(shown.states()):
        others = [row for row in range(len(home)) if row not in home.persons]
        now = [(int(state.parent[row]), int(state.held[row])) for row in others]
        now.append((0, int(state.held[home.persons[0]] == Held.SITS)))
        if step in (0, len(shown.acts)) or now != before:
            steps.append(step)
        before = now
    assert frames.step.tolist() == steps
    assert (frames.categories[:, 0, -1] == 1).all()  # Alice comes first
    assert last.present.sum() > 100 and len(last.step) == 1
    assert goal_of(frames.goal[0]) == shown.goal


def test_frames_are_joined_picked_and_stored(demonstrations: list[Shown], tmp_path: Path) -> None:
    parts = [watched(shown)[0] for shown in demonstrations]
    Frames.join(parts).save(tmp_path / "frames.npz")
    joined = Frames.load(tmp_path / "frames.npz")
    assert len(joined) == len(demonstrations)
    picked = joined.pick([2, 0])
    assert np.array_equal(picked.values, np.concatenate([parts[2].values, parts[0].values]))
    assert picked.first.tolist() == [0, len(parts[2].step), len(parts[2].step) + len(parts[0].step)]


def test_a_stored_model_infers_the_goals_of_a_batch_that_it_learned_by_heart(
    demonstrations: list[Shown], tmp_path: Path
) -> None:
    frames = Frames.join([watched(shown)[0] for shown in demonstrations])
    optimizer = TrainingConfig(updates=90, batch=4, learning_rate=2e-2, beta1=0.9, warmup=10, clip=1.0)
    model = train_watcher(SMALL, frames, WatchTraining(optimizer))
    save_watcher(model, tmp_path, {"demonstrations": len(frames)})
    stored = load_watcher(tmp_path)
    assert [infer(stored, shown) for shown in demonstrations] == [dict(shown.goal) for shown in demonstrations]

    whole, alone = stored.probabilities(frames), stored.probabilities(frames.pick([1]))
    np.testing.assert_allclose(whole[frames.first[1] : frames.first[2]], alone, atol=1e-5)
    after = posterior_at(whole, frames, 1.0)
    assert after.accuracy.exact == 1.0 and after.nll < posterior_at(whole, frames, 0.25).nll
    with pytest.raises(UserError, match="has no watcher"):
        load_watcher(tmp_path / "elsewhere")


def test_the_last_state_and_actions_change_what_is_inferred(demonstrations: list[Shown]) -> None:
    frames, last = watched(demonstrations[1])
    alone = Watcher(WatcherConfig(16, 2, 1, 32, only_last=True))
    assert infer(alone, demonstrations[1]) == goal_of(alone.probabilities(last)[-1].argmax(-1))
    acting = Watcher(WatcherConfig(16, 2, 1, 32, actions=True))
    still = Frames(**{**vars(frames), "action": np.zeros_like(frames.action)})
    assert not np.allclose(acting.probabilities(frames), acting.probabilities(still))


def test_a_model_that_knows_the_end_infers_something_else_where_a_demonstration_is_cut(
    demonstrations: list[Shown],
) -> None:
    frames, _ = watched(demonstrations[1])
    cut_at = len(frames.step) - 1
    rows = {name: getattr(frames, name)[:cut_at] for name in (*SEEN, "step")}
    cut = Frames(**rows, first=np.array([0, cut_at]), steps=frames.steps, goal=frames.goal)
    for config, same in ((SMALL, True), (replace(SMALL, ended=True), False)):
        model = Watcher(config)
        whole, half = model.probabilities(frames)[:cut_at], model.probabilities(cut)
        np.testing.assert_allclose(whole[:-1], half[:-1], atol=1e-5)
        assert np.allclose(whole[-1], half[-1], atol=1e-5) == same


def test_precision_and_recall_are_those_of_multisets() -> None:
    draw = random.Random(0)
    goals, inferred = ([{p: draw.randint(0, 2) for p in PREDICATES} for _ in range(20)] for _ in range(2))
    common = wanted = said = 0
    for goal, guess in zip(goals, inferred, strict=True):
        common += (Counter(goal) & Counter(guess)).total()
        wanted, said = wanted + Counter(goal).total(), said + Counter(guess).total()
    found = accuracy(np.stack([counts_of(each) for each in inferred]), np.stack([counts_of(each) for each in goals]))
    assert (found.precision, found.recall) == pytest.approx((common / said, common / wanted))

    one = np.array([[2, 0, 1]])
    by_chance = chance(np.array([[1, 1, 0], [1, 1, 0], [2, 0, 1]]), one)
    assert (by_chance.precision, by_chance.recall) == pytest.approx((5 / 7, 5 / 9))
    assert by_chance.exact == pytest.approx(1 / 3)


def test_calibration_compares_probabilities_with_shares() -> None:
    probability = np.array([0.05, 0.05, 0.95, 0.95])
    assert calibration_error(probability, np.array([False, False, True, True])) == pytest.approx(0.05)
    assert calibration_error(probability, np.array([True, True, False, False])) == pytest.approx(0.95)
