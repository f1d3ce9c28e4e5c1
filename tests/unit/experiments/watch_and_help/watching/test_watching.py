"""Watching: demonstrations and what is seen of them, models that infer goals, their measures and tables."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from experiments.watch_and_help.inferred_goals import load_goals
from experiments.watch_and_help.watching.frames import SEEN, Frames, counts_of, empty_handed, goal_of, watched
from experiments.watch_and_help.watching.measures import accuracy, calibration_error, chance, posterior_at
from experiments.watch_and_help.watching.model import Watcher, WatcherConfig, infer, load_watcher, save_watcher
from experiments.watch_and_help.watching.part import Variant, WatchSettings, drawn_frames, stages
from experiments.watch_and_help.watching.results import load_measures
from experiments.watch_and_help.watching.shown import Shown, file_of, load_shown, make_demonstrations, show
from experiments.watch_and_help.watching.splicing import NONE, partners, splice
from experiments.watch_and_help.watching.training import Watching, WatchTraining
from rlhf.learning.config import TrainingConfig
from rlhf.learning.training import Training
from tests.unit.experiments.carrying_out import carry_out
from worlds.errors import UserError
from worlds.household.drawing.camera import Pictures
from worlds.household.state.vocabulary import Held
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.progress import reached
from worlds.household.tasks.sets import PREDICATES, SETS
from worlds.household.tasks.splits import MOST_OF_TWO


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


def test_a_stored_model_infers_the_goals_of_a_batch_that_it_learned_by_heart(
    demonstrations: list[Shown], tmp_path: Path
) -> None:
    frames = Frames.join([watched(shown)[0] for shown in demonstrations])
    optimizer = TrainingConfig(updates=90, batch=4, learning_rate=2e-2, beta1=0.9, warmup=10, clip=1.0)
    watching = Watching(SMALL, frames, WatchTraining(optimizer))
    Training(watching, optimizer).run()
    model = watching.model.eval()
    save_watcher(model, tmp_path, {"demonstrations": len(frames)})
    stored = load_watcher(tmp_path)
    assert [infer(stored, shown) for shown in demonstrations] == [dict(shown.goal) for shown in demonstrations]

    whole, alone = stored.probabilities(frames), stored.probabilities(frames.pick([1]))
    np.testing.assert_allclose(whole[frames.first[1] : frames.first[2]], alone, atol=1e-5)
    after = posterior_at(whole, frames, 1.0)
    assert after.accuracy.exact == 1.0 and after.nll < posterior_at(whole, frames, 0.25).nll
    with pytest.raises(UserError, match="has no watcher"):
        load_watcher(tmp_path / "elsewhere")


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


COUNTS = {"train": 6, "test_1": 2, "test_2": 2, "test_1_tasks": 2, "test_2_tasks": 2}
SMALL = WatcherConfig(width=16, heads=2, memory_width=32)
VARIANTS = {
    "whole demonstration": Variant(SMALL, 0.5),
    "pictures": Variant(WatcherConfig(16, 2, 1, 32, picture=(24, 32))),
    "last state only": Variant(WatcherConfig(16, 2, 1, 32, only_last=True), 0.0),
}


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, WatchSettings]:
    folder = tmp_path_factory.mktemp("experiment")
    training = WatchTraining(TrainingConfig(updates=2, batch=4, learning_rate=1e-3, beta1=0.9, warmup=1))
    make_demonstrations(folder / "watch" / "demonstrations", COUNTS, workers=1, per_file=6)
    settings = WatchSettings(COUNTS, VARIANTS, training)
    carry_out(stages, folder, settings)
    return folder, settings


def sets_of(goal: Goal) -> set[str]:
    return {name for name, each in SETS.items() if set(goal) & set(each.predicates)}


def test_a_spliced_demonstration_has_all_frames_of_both_each_ones_in_their_order() -> None:
    every = [watched(show("train", number))[0] for number in (0, 6, 12, 16, 18)]
    frames, rng = Frames.join(every), np.random.default_rng(0)
    assert any(not empty_handed(each)[-1] for each in every), "no demonstration ends with something in Alice's hands"
    orders = set()
    for one, other in permutations(range(5), 2):
        made = splice(frames, np.array([one, other]), np.array([other, NONE]), rng)
        both, alone = made.pick([0]), made.pick([1])
        assert np.array_equal(alone.values, every[other].values) and np.array_equal(alone.step, every[other].step)

        wanted = [*every[one].values, *every[other].values[1:]]
        owner = [_where(frame, every[one].values, every[other].values[1:]) for frame in both.values]
        assert len(both.values) == len(wanted) and owner[0] == (0, 0)
        for number in (0, 1):
            mine = [at for of, at in owner if of == number]
            assert mine == list(range(len(mine)))
        orders.add(tuple(of for of, _ in owner))
        assert both.step[-1] == both.steps[0] == every[one].steps[0] + every[other].steps[0]
        assert (np.diff(both.step) >= 0).all()
        assert np.array_equal(both.goal[0], every[one].goal[0] + every[other].goal[0])
        if not empty_handed(every[one])[-1]:
            assert owner[-1][0] == 0  # she keeps the book
        for step in range(1, len(owner) - 1):
            if owner[step][0] != owner[step + 1][0]:
                assert empty_handed(both)[step]
    assert len(orders) > 10


def _where(frame: np.ndarray, *parts: np.ndarray) -> tuple[int, int]:
    """Which part has a frame, and where in it."""
    return next(
        (number, at) for number, part in enumerate(parts) for at, each in enumerate(part) if np.array_equal(each, frame)
    )


def test_partners_have_no_set_in_common_and_are_not_too_many_things(experiment: tuple[Path, WatchSettings]) -> None:
    goals = np.concatenate(
        [watched(each)[0].goal for each in load_shown(experiment[0] / "watch" / "demonstrations", "train", 6)]
    )
    numbers, rng = np.arange(6).repeat(50), np.random.default_rng(0)
    then = partners(goals, numbers, 1.0, rng)
    assert 0 < (then != NONE).sum() < len(then)
    for one, other in zip(numbers[then != NONE], then[then != NONE], strict=True):
        assert not sets_of(goal_of(goals[one])) & sets_of(goal_of(goals[other]))
        assert goals[one].sum() + goals[other].sum() <= MOST_OF_TWO
    assert (partners(goals, numbers, 0.0, rng) == NONE).all()


def test_models_are_trained_and_measured_once(experiment: tuple[Path, WatchSettings]) -> None:
    folder, settings = experiment
    measured = load_measures(folder, VARIANTS)
    assert list(measured) == list(VARIANTS)
    assert [each.share for each in measured["whole demonstration"][0].posterior["test_2"]] == [0, 0.25, 0.5, 0.75, 1]
    goals = load_goals(folder, 0, "test_2")
    assert goals is not None and len(goals) == 2
    assert (folder / "watch" / "posterior.png").stat().st_size > 1000

    weights = folder / "watch" / "seed-0" / "whole-demonstration" / "model.safetensors"
    before = weights.stat().st_mtime_ns
    carry_out(stages, folder, settings)
    assert weights.stat().st_mtime_ns == before
    assert load_goals(folder, 0, "test_2") == goals


def test_pictures_are_what_alice_sees_in_each_frame(experiment: tuple[Path, WatchSettings]) -> None:
    folder, settings = experiment
    config = VARIANTS["pictures"].config
    frames = drawn_frames(folder, "test_1", config, settings)
    shown = list(load_shown(folder / "watch" / "demonstrations", "test_1", 2))[1]
    pictures, step = Pictures(24, 32), int(frames.pick([1]).step[-2])
    for number, (home, state) in enumerate(shown.states()):
        if number == step:
            assert np.array_equal(frames.pick([1]).picture[-2], pictures.from_eyes(home, state, 0))
    model = load_watcher(folder / "watch" / "seed-0" / "pictures")
    assert model.config == config
    assert infer(model, shown) == goal_of(model.probabilities(frames)[-1].argmax(-1))
