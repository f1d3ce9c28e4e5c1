"""Pictures of episodes for people, of worlds that observe pictures, draw them, or do neither."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pipelines.stages.record import record
from pipelines.stages.record_config import RecordConfig
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.records.episode import Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.replay.views import DRAWN, PLAIN, fitted, plain_views, recreated_views, views_of
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_play
from tests.unit.rlhf.declared_spaces import CONTINUOUS, ENTITIES, GRID
from worlds import registry
from worlds.errors import UserError

pytest.importorskip("minigrid")
BABYAI = "gym:BabyAI-GoToObj-v0"


@pytest.fixture(scope="module")
def babyai(tmp_path_factory: pytest.TempPathFactory) -> Episode:
    """An episode recorded as symbolic grids."""
    folder = tmp_path_factory.mktemp("babyai")
    (name,) = record(RecordConfig(data=folder, episodes=1, held_out=0, workers=1, world=WorldConfig(name=BABYAI)))
    return open_store(folder).read(name)


def test_an_episode_without_pictures_is_drawn_by_its_world(babyai: Episode) -> None:
    env = registry.get(BABYAI).make()
    env.reset(options={"config": babyai.config})
    views = views_of(babyai, 300, 400)
    assert (views.source, views.per_step) == (DRAWN, 1)
    pictures = [picture for _, picture in views.pictures]
    assert len(pictures) == len(babyai) and pictures[0].shape == (300, 400, 3)
    for step, (_, drawn) in enumerate(recreated_views(babyai)):
        np.testing.assert_array_equal(drawn, env.render())
        np.testing.assert_array_equal(pictures[step], fitted(drawn, 300, 400))
        env.step({"setter": babyai.setter_action(step), "solver": babyai.solver_action(step)})


def test_a_world_without_views_from_outside_refuses_them_in_one_line(babyai: Episode) -> None:
    with pytest.raises(UserError, match="draws no view of the kind above; leave out --view$"):
        views_of(babyai, 40, 40, angle="above")


def test_an_episode_without_pictures_that_does_not_replay_is_refused_or_drawn_plainly(babyai: Episode) -> None:
    grid = babyai.seen["grid"].copy()
    grid[3, 0, 0, 0] = (grid[3, 0, 0, 0] + 1) % 11
    other = replace(babyai, seen={**babyai.seen, "grid": grid})
    with pytest.raises(UserError, match="does not replay: step 3 looks different.*--plain"):
        list(views_of(other, 60, 80).pictures)
    views = views_of(other, 60, 80, plain=True)
    assert views.source == PLAIN and len(list(views.pictures)) == len(other)


@pytest.mark.parametrize("spaces", [CONTINUOUS, ENTITIES, GRID])
def test_play_from_elsewhere_is_drawn_from_what_was_observed(spaces: EpisodeSpaces) -> None:
    episode = synthetic_play(1, spaces, 6, "e1")
    views = views_of(episode, 120, 160)
    assert views.source == PLAIN
    assert [step for step, _ in views.pictures] == list(range(6))
    (third,) = plain_views(episode, (120, 160), 3, 4)
    assert third[0] == 3
