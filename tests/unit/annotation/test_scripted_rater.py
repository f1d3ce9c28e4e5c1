"""The scripted rater's noise is what its settings say."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.scripted_rater import ScriptedRater
from rlhf.records.marks import Mark
from worlds.contract import Event

FAITHFUL = ScriptedRater(delay=(0.0, 0.0), miss=0.0, mistake=0.0, spurious=0.0)


def test_a_faithful_rater_marks_every_event_at_its_step_and_marks_are_labelled_scripted():
    events = [Event(30, 1, "lifts"), Event(4, -1, "grabs the wrong thing")]
    assert FAITHFUL.mark("e7", 100, events) == [
        Mark("e7", "scripted-rater", 4, -1, scripted=True),
        Mark("e7", "scripted-rater", 30, 1, scripted=True),
    ]


def test_misses_mistakes_and_spurious_marks_have_their_rates():
    events = [Event(step, 1, "x") for step in range(0, 40_000, 10)]
    missing = ScriptedRater(miss=0.1, mistake=0.0, spurious=0.0).mark("e", 40_000, events)
    assert len(missing) / len(events) == pytest.approx(0.9, abs=0.02)
    mistaken = ScriptedRater(miss=0.0, mistake=0.05, spurious=0.0).mark("e", 40_000, events)
    assert np.mean([m.sign < 0 for m in mistaken]) == pytest.approx(0.05, abs=0.015)
    spurious = ScriptedRater(spurious=0.01).mark("e", 40_000, [])
    assert len(spurious) == pytest.approx(400, abs=80)
    assert np.mean([m.sign > 0 for m in spurious]) == pytest.approx(0.5, abs=0.1)


def test_marks_land_zero_to_three_steps_after_their_event():
    events = [Event(step, 1, "x") for step in range(0, 4_000, 10)]
    delays = [m.step % 10 for m in ScriptedRater(miss=0.0, spurious=0.0).mark("e", 5_000, events)]
    assert set(delays) == {0, 1, 2, 3}
    assert np.mean(delays) == pytest.approx(1.0, abs=0.15)


def test_marks_stay_within_the_episode_and_in_the_order_of_events():
    rater = ScriptedRater(delay=(3.0, 0.0), miss=0.0, mistake=0.0, spurious=0.0)
    events = [Event(8, -1, "drops"), Event(9, 1, "lifts"), Event(10, 1, "after the last picture")]
    given_marks = rater.mark("e", 10, events)
    assert [(m.step, m.sign) for m in given_marks] == [(9, -1), (9, 1)]
    wobbly = ScriptedRater(delay=(1.5, 3.0), miss=0.0, mistake=0.0, spurious=0.0)
    signs = [1, -1] * 200
    in_order = wobbly.mark("e", 1_000, [Event(i, sign, "x") for i, sign in enumerate(signs)])
    assert [m.sign for m in in_order] == signs


def test_marking_is_deterministic_but_differs_by_episode_rater_and_seed():
    events = [Event(step, 1, "x") for step in range(0, 300, 5)]

    def steps(rater: ScriptedRater, episode: str) -> list[int]:
        return [m.step for m in rater.mark(episode, 300, events)]

    base = steps(ScriptedRater(), "e")
    assert base == steps(ScriptedRater(), "e")
    assert base != steps(ScriptedRater(), "f")
    assert base != steps(ScriptedRater(name="other"), "e")
    assert base != steps(ScriptedRater(seed=1), "e")


@pytest.mark.parametrize("wrong", [{"miss": 1.5}, {"mistake": -0.1}, {"spurious": 2.0}, {"delay": (-1.0, 0.0)}])
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(ValueError, match="rater's"):
        ScriptedRater(**wrong)
