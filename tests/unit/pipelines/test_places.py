"""Places follow from seeds, and settings that are no JSON are named."""

from __future__ import annotations

import pytest

from pipelines.places import HELD_OUT_SEEDS, PROBE_SEEDS, PlayersConfig, WorldConfig
from pipelines.record import RecordConfig
from pipelines.runs.demo import WORLD
from rlhf.errors import UserError

BAD = ["{", "rooms: 1", "[1, 1]", "3", "null", ""]


@pytest.mark.parametrize("text", BAD)
def test_settings_that_are_no_json_object_are_named(text: str) -> None:
    for said, read in {
        "world.settings": WorldConfig(settings=text).sampling,
        "world.options": lambda: WorldConfig(options=text).make(1),
        "players.setter": PlayersConfig(setter=text).setter_settings,
        "players.solver": PlayersConfig(solver=text).solver_settings,
    }.items():
        with pytest.raises(UserError, match=said) as caught:
            read()
        assert "\n" not in str(caught.value)


def test_a_seed_stands_for_one_place() -> None:
    assert WORLD.place(5) == WORLD.place(5) != WORLD.place(6)
    assert len(WORLD.place(5)["rooms"]) == 1


def test_worlds_are_made_as_asked() -> None:
    one, other = WORLD.make(2)
    assert one is not other
    observations, _ = one.reset(seed=0, options={"config": WORLD.place(0)})
    assert observations["solver"]["image"].shape == (36, 48, 3) and observations["solver"]["image"].any()
    (blind,) = WORLD.make(1, images=False)
    observations, _ = blind.reset(seed=0, options={"config": WORLD.place(0)})
    assert not observations["solver"]["image"].any()


def test_seeds_of_training_validation_and_evaluation_never_meet() -> None:
    largest_seed, most = 400, 1_000_000
    assert largest_seed * most < HELD_OUT_SEEDS and HELD_OUT_SEEDS + largest_seed * most < PROBE_SEEDS


@pytest.mark.parametrize("wrong", [{"split": "test"}, {"episodes": 0}, {"steps": 0}, {"slots": 0}, {"workers": 0}])
def test_impossible_recordings_are_refused(wrong: dict) -> None:
    with pytest.raises(UserError, match=next(iter(wrong))):
        RecordConfig(**wrong)
