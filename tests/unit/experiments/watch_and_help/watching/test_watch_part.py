"""The part "watch": demonstrations that are spliced, models that are trained once, and their tables."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from experiments.watch_and_help.inferred_goals import load_goals
from experiments.watch_and_help.watching.frames import Frames, empty_handed, goal_of, watched
from experiments.watch_and_help.watching.model import WatcherConfig, infer, load_watcher
from experiments.watch_and_help.watching.part import Variant, WatchSettings, drawn_frames, stages
from experiments.watch_and_help.watching.results import load_measures, tables
from experiments.watch_and_help.watching.shown import load_shown, make_demonstrations, show
from experiments.watch_and_help.watching.splicing import NONE, partners, splice
from experiments.watch_and_help.watching.training import WatchTraining
from rlhf.learning.config import TrainingConfig
from tests.unit.experiments.carrying_out import carry_out
from worlds.household.pictures.camera import Pictures
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.sets import SETS
from worlds.household.tasks.splits import MOST_OF_TWO

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


def test_tables_have_published_figures_beside_ours(experiment: tuple[Path, WatchSettings], tmp_path: Path) -> None:
    shown = tables(experiment[0], VARIANTS)
    row = next(line for line in shown.splitlines() if line.startswith("| whole demonstration |"))
    assert "| .85 .96 |" in row and "| .68 .64 |" in row
    assert "| chance |" in shown
    assert tables(tmp_path, VARIANTS) == ""


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
