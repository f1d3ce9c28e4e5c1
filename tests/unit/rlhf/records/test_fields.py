"""An episode that holds what does not exist is refused: the line names the field, what it is and what it should be."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rlhf.records.columns import episode_columns
from rlhf.records.episode import Episode, Request
from rlhf.records.fields import InvalidField
from rlhf.store.columns.compressed import CompressedEpisode, compress
from rlhf.store.synthetic import synthetic_episode
from tests.unit.rlhf.store.foreign_play import with_bin
from worlds.contract import Event, TaskSpec, neutral_movement

STEPS = 6
EPISODE = synthetic_episode(1, steps=STEPS, height=4, width=5, episode_id="e1")
TASK = TaskSpec("lift", "lift it", {}, 9)
STILL = np.tile(neutral_movement(), (STEPS, 1, 1))


def asked(step: Any, success: Any = None) -> dict[str, Any]:
    return {"requests": (Request(step, TASK),), "success_step": (success,)}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"movement": STILL.tolist()}, "movement is a list, not a NumPy array int8 [6, 8, 6]"),
        ({"movement": STILL.astype(np.int64)}, "movement is int64 [6, 8, 6], not a NumPy array int8 [6, 8, 6]"),
        ({"setter_movement": STILL[:5]}, "setter_movement is int8 [5, 8, 6], not a NumPy array int8 [6, 8, 6]"),
        (
            {"movement": with_bin(STILL, 3, 2)},
            "movement has bin 3 at step 2, tick 1, where forward has bins 0 to 2",
        ),
        (
            {"setter_movement": with_bin(STILL, -1, 5, 2)},
            "setter_movement has bin -1 at step 5, tick 1, where turn has bins 0 to 4",
        ),
        ({"controller": np.zeros((STEPS, 1), np.uint8)}, "controller is uint8 [6, 1], not a NumPy array uint8 [6]"),
        (
            {"controller": np.array([0, 1, 0, 2, 0, 3], np.uint8)},
            "controller is 2 at step 3, not 0 (agent) or 1 (co-pilot)",
        ),
        ({"image": EPISODE.image[..., 0]}, "image is uint8 [6, 4, 5], not a NumPy array uint8 [6, H, W, 3]"),
        ({"utterance": ()}, "utterance is empty or no tuple, not a tuple of a text for every step"),
        ({"setter_text": [""] * STEPS}, "setter_text is a list, not a tuple of 6 texts"),
        ({"solver_text": ("",) * 5}, "solver_text has 5 rows, not 6"),
        ({"setter_utterance": ("",) * 4 + (None, "")}, "setter_utterance is None at step 4, not text"),
        ({"image": EPISODE.image[:, :0]}, "image is uint8 [6, 0, 5, 3], not a NumPy array uint8 [6, H, W, 3]"),
        (asked(True), "requests[0].step is True, not one of the steps 0 to 5"),
        ({"requests": [], "success_step": ()}, "requests is a list, not a tuple"),
        ({"seed": 1.0}, "seed is 1.0, not a whole number"),
        (asked(6), "requests[0].step is 6, not one of the steps 0 to 5"),
        (asked(2, 1), "success_step[0] is 1, not None or a step from its request, 2, to 5"),
        (asked(2, 6), "success_step[0] is 6, not None or a step from its request, 2, to 5"),
        ({"success_step": ()}, "success_step has 0 values for 1 requests"),
        ({"truth": (Event(0, 1, ""), Event(7, 1, "late"))}, "truth[1].step is 7, not one of the steps 0 to 6"),
        ({"truth": (Event(0, 2, ""),)}, "truth[0].sign is 2, not +1 or -1"),
        ({"split": "test"}, 'split is \'test\', not "train" or "held_out"'),
        ({"seed": 2**63}, "seed is 9223372036854775808, not a whole number of 64 bits"),
        ({"world": None}, "world is None, not text"),
        ({"notes": []}, "notes is a list, not a mapping"),
    ],
)
def test_a_field_that_is_wrong_is_named(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidField) as caught:
        Episode(**{**vars(EPISODE), **fields})
    assert str(caught.value).startswith("episode e1: " + message) and "\n" not in str(caught.value)


def test_an_event_may_follow_the_last_step() -> None:
    assert replace(EPISODE, truth=(Event(STEPS, -1, "fell"),)).truth[0].step == STEPS


def test_play_that_learns_is_checked_as_well() -> None:
    whole = compress(EPISODE)
    with pytest.raises(InvalidField, match="episode e1: movement has bin 3 at step 2"):
        replace(whole, movement=with_bin(STILL, 3, 2))
    with pytest.raises(InvalidField, match="episode e1: controller is 2 at step 0"):
        replace(whole, controller=np.full(STEPS, 2, np.uint8))
    assert isinstance(pickle.loads(pickle.dumps(whole)), CompressedEpisode)


def test_bins_beyond_eight_bits_do_not_wrap_around_when_steps_are_put_together() -> None:
    seen = {"image": EPISODE.image[0], "setter_text": "", "solver_text": "", "previous_movement": neutral_movement()}
    still = {"movement": neutral_movement(), "utterance": ""}
    wild = {"movement": neutral_movement().astype(np.int64) + 256, "utterance": ""}
    message = "setter_movement has bin 257 at step 0, tick 0, where forward has bins 0 to 2"
    with pytest.raises(InvalidField, match=message):
        episode_columns([(seen, still, wild)], [0])
