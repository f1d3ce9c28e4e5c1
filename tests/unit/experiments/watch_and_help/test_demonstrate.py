"""`rlhf household demonstrate`: episodes in which Alice reaches her goal without a word, and that people can watch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from experiments.watch_and_help.commands.demonstrate import HouseholdDemonstrateConfig, record_demonstrations
from experiments.watch_and_help.watching.shown import show
from pipelines.stages.settings.play_settings import settings_of_dataset
from rlhf.replay.views import filmed_views
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode
from worlds import registry
from worlds.contract import SETTER, SOLVER
from worlds.errors import UserError
from worlds.household.tasks.progress import reached


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ParquetStore:
    folder = tmp_path_factory.mktemp("experiment") / "demonstrations"
    assert len(record_demonstrations(HouseholdDemonstrateConfig(folder, "test_1", 2))) == 2
    return open_store(folder)


def test_alice_does_again_what_she_demonstrated_and_reaches_her_goal(store: ParquetStore) -> None:
    world, offered = registry.get("household").make(), registry.get("household").goal_choices
    assert offered is not None
    for name, number in zip(store.ids(), (0, 50), strict=True):
        episode, shown = store.read(name), show("test_1_tasks", number)
        assert episode.notes["task"] == shown.name and episode.split == "held_out"
        assert len(episode) == len(shown.acts) + 1 and not any(episode.setter_utterance) and not episode.requests
        assert (episode.setter_movement[:-1, 0, 0] == shown.acts[:, 0]).all()
        goal = offered().goal_of(episode.config)
        assert goal == shown.goal
        world.reset(seed=episode.seed, options={"config": dict(episode.config)})
        done = []
        for step in range(len(episode)):
            now = world.state
            done.append(reached(now.home, now.state, goal, now.home.persons[0]))
            world.step({SETTER: episode.setter_action(step), SOLVER: episode.solver_action(step)})
        assert done == [False] * (len(episode) - 1) + [True]


def test_a_demonstration_is_filmed_step_by_step(store: ParquetStore) -> None:
    episode = store.read(store.ids()[0])
    views = filmed_views(episode)
    first, *_, last = [picture for _, picture in views]
    assert first.shape == last.shape == (270, 720, 3) and not np.array_equal(first, last)


def test_the_same_command_completes_a_dataset(store: ParquetStore) -> None:
    before = store.ids()
    ids = record_demonstrations(HouseholdDemonstrateConfig(store.folder, "test_1", 3))
    assert len(ids) == 3 and set(before) & set(ids) == {"test_1-setup_table-0"}
    assert set(store.ids()) == {*before, *ids} and store.verify() == []
    (noted,) = settings_of_dataset(store.folder)
    assert noted.world.name == "household"


def test_more_tasks_than_there_are_and_other_datasets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="test_2 has 100 tasks; episodes is 101"):
        HouseholdDemonstrateConfig(tmp_path, "test_2", 101)
    other = open_store(tmp_path / "other", create=True)
    other.write(synthetic_episode(0, steps=4, height=6, width=8, episode_id="e0"))
    with pytest.raises(UserError, match="record demonstrations elsewhere"):
        record_demonstrations(HouseholdDemonstrateConfig(other.folder, "test_1", 1))
    assert other.ids() == ["e0"]
