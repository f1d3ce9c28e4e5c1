"""The base of worlds: settings that no world can have are refused, and whole steps need no ticks of their own."""

from __future__ import annotations

import numpy as np
import pytest

from worlds.contract import SETTER, SOLVER, TICKS_PER_STEP, WorldError, silent
from worlds.contract.tick_world import TickWorld


class Counter(TickWorld):
    """A world whose state is the number of ticks, and of bins that were played in them."""

    def sample(self, seed):
        return {"begin": seed}

    def begin(self, config):
        return {"ticks": config["begin"], "bins": 0}

    def advance(self, movement, first, last):
        self.state["ticks"] += last - first
        self.state["bins"] += int(movement[:, first:last].sum())

    def draw(self, player, height, width):
        return np.full((height, width, 3), self.state["ticks"] % 256, np.uint8)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"height": 0}, "setting height: 0 is not"),
        ({"width": 2.5}, "setting width: 2.5 is not"),
        ({"max_steps": True}, "setting max_steps: True is not"),
        ({"views": ("nobody",)}, "setting views: 'nobody' is no player"),
        ({"views": SOLVER}, "setting views: 'solver' is no list of players"),
    ],
)
def test_settings_that_no_world_can_have_are_refused(settings, named):
    with pytest.raises(WorldError, match=named):
        Counter(**settings)


def test_a_world_may_advance_several_ticks_at_once():
    world = Counter(height=2, width=2)
    observations, _ = world.reset(seed=3)
    assert observations[SOLVER]["image"].max() == 3 and world.config == {"begin": 3}
    here = world.snapshot()
    observations = world.step({SOLVER: silent()})[0]
    assert world.state["ticks"] == 3 + TICKS_PER_STEP == observations[SOLVER]["image"].max()
    world.play_ticks({SETTER: silent()["movement"][:5]})
    assert world.state["ticks"] == 8 + 3 + 5
    with pytest.raises(WorldError, match=r"call end_step\(\) before snapshot"):
        world.snapshot()
    world.restore(here)
    assert world.state == {"ticks": 3, "bins": 0} and world.step_index == 0


def test_after_the_end_there_is_no_step_to_end():
    world = Counter(height=2, width=2, max_steps=1)
    world.reset(seed=0)
    world.step({})
    for over in (lambda: world.end_step({}), lambda: world.step({}), lambda: world.play_ticks({})):
        with pytest.raises(WorldError, match="the episode is over"):
            over()


def test_a_world_with_neither_tick_nor_advance_is_named():
    class Nothing(Counter):
        advance = TickWorld.advance

    world = Nothing()
    world.reset(seed=0)
    with pytest.raises(NotImplementedError, match="Nothing has neither tick nor advance"):
        world.step({})


@pytest.mark.parametrize("bins", [-1, 99, 2**40])
def test_a_bin_that_does_not_exist_is_named_and_nothing_is_played(bins):
    world = Counter()
    world.reset(seed=0)
    movement = silent()["movement"].astype(np.int64)
    movement[2, 0] = bins
    with pytest.raises(WorldError, match=f"action of the solver: forward is {bins} at tick 2; bins are 0..2"):
        world.step({SOLVER: {"movement": movement, "utterance": ""}})
    assert world.state["ticks"] == 0
