"""Places follow from seeds, and settings that are no JSON are named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.config import AgentConfig
from pipelines.loops.rounds import LoopConfig
from pipelines.presets.demo import WORLD
from pipelines.stages.episodes.recordings import read_episodes
from pipelines.stages.evaluate import EvaluateConfig
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.run.place_seeds import (
    HELD_OUT_SEEDS,
    LARGEST_SEED,
    SEEDS_APART,
    TRAINING_SEEDS,
    place_seed,
    probe_seed,
)
from tests import small_worlds
from tests.unit.pipelines.stages.small_training import Complaint
from worlds.contract import WorldError
from worlds.errors import UserError


@pytest.mark.parametrize("text", ["{", "rooms: 1", "[1, 1]", "3", "null", ""])
@pytest.mark.parametrize(
    ("kind", "name"),
    [(WorldConfig, "settings"), (WorldConfig, "options"), (PlayersConfig, "setter"), (PlayersConfig, "solver")],
)
def test_settings_that_are_no_json_object_are_named(kind: Any, name: str, text: str) -> None:
    with pytest.raises(UserError, match=name) as caught:
        kind(**{name: text})
    assert "\n" not in str(caught.value)


def test_settings_that_the_world_and_scripted_players_lack_are_named() -> None:
    with pytest.raises(UserError, match="^world.options: no setting fov; known: settings, max_steps, fov_y_deg"):
        WorldConfig(options={"fov": 60}).make(1)
    with pytest.raises(UserError, match="^world.options: height is not set here but by the command"):
        WorldConfig(options={"height": 60}).make(1)
    entry = WORLD.entry()
    with pytest.raises(WorldError, match="no setter setting named 'patince'; known: .*patience"):
        entry.make_setter(tasks={"go": 1.0}, split="train", **PlayersConfig(setter={"patince": 3}).setter_settings())
    with pytest.raises(WorldError, match="no solver setting named 'x'; known: reaction"):
        entry.make_solver(**PlayersConfig(solver={"x": 1}).solver_settings())
    for name, option in {"tasks": "--players.tasks", "split": "--split"}.items():
        with pytest.raises(UserError, match=f"players.setter: {name} is not set here but by {option}"):
            PlayersConfig(setter={name: 3}).setter_settings()


def test_seeds_of_training_validation_and_evaluation_never_meet() -> None:
    last = RecordConfig(seed=LARGEST_SEED - 1, episodes=SEEDS_APART)
    for held_out, seeds in ((False, TRAINING_SEEDS), (True, HELD_OUT_SEEDS)):
        assert place_seed(0, 0, held_out) == seeds.start
        assert place_seed(last.seed, last.episodes - 1, held_out) == seeds.stop - 1
    assert TRAINING_SEEDS.stop <= HELD_OUT_SEEDS.start and HELD_OUT_SEEDS.stop <= probe_seed(0) < probe_seed(1)
    for wrong in ({"seed": LARGEST_SEED}, {"seed": -1}, {"episodes": SEEDS_APART + 1}):
        with pytest.raises(UserError, match="(seed|episodes) is at (most|least) "):
            RecordConfig(**wrong)
    with pytest.raises(UserError, match="seed is at least 0"):
        EvaluateConfig(seed=-1)
    assert LoopConfig(seed=24).seed == 24  # twenty recordings each
    with pytest.raises(UserError, match="seed is at (most|least) "):
        LoopConfig(seed=25)


def test_an_agent_for_images_of_another_size_is_refused() -> None:
    WORLD.check_fits(AgentConfig(image_size=(36, 48)), "runs/clone/agent")
    with pytest.raises(UserError, match=r"runs/clone/agent .* 72x96 .* 36x48; use --world.height 72 --world.width 96"):
        WORLD.check_fits(AgentConfig(image_size=(72, 96)), "runs/clone/agent")
    with pytest.raises(UserError, match="the world's are 36x48; draw another suite$") as refused:
        # where the world's size is no setting
        WORLD.check_fits(AgentConfig(image_size=(72, 96)), "runs/clone/agent", "draw another suite")
    assert "--world" not in str(refused.value)


def test_recordings_made_with_other_options_are_refused(tmp_path: Path) -> None:
    one = WORLD
    record(RecordConfig(data=tmp_path, episodes=1, steps=4, workers=1, world=one))
    (episode,) = read_episodes([tmp_path])
    one.check_recorded(episode, tmp_path)
    replace(one, options={"fov_y_deg": 60}).check_recorded(episode, tmp_path)  # the same, written otherwise
    complaint = r"recorded with world.options \{\"fov_y_deg\": 60.0\}, .* with \{\}; use --world.options '\{"
    with pytest.raises(UserError, match=complaint):
        replace(one, options={}).check_recorded(episode, tmp_path)
    replace(one, options={}).check_recorded(replace(episode, notes={}), tmp_path)  # made elsewhere


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--players.tasks {'go':NaN}", "players.tasks.go is "),
        ("--players.tasks {'go':1e999}", "players.tasks.go is "),
        ("--players.solver {'motor_noise':NaN}", "holds NaN; numbers are finite"),
        ("--players.solver {'motor_noise':'much'}", "solver setting motor_noise: 'much' is not a probability"),
        ("--players.solver {'reaction':1.5}", "solver setting reaction: 1.5 steps; give a whole number"),
        ("--players.setter {'pause':[1,'x']}", "setter setting pause: 1..x is not a range of steps"),
        ("--players.setter {'first_request':[0,1e30]}", "setter setting first_request: 0..1e+30 is not a"),
        ("--players.setter {'patience':true}", "setter setting patience: True steps; give 1 or more"),
        ("--players.setter {'follow_up':3}", "setter setting follow_up: 3 is neither true nor false"),
        ("--world.options {'fov_y_deg':Infinity}", "holds Infinity"),
        ("--players.solver " + 100_000 * "[", "players.solver is a JSON object"),
    ],
    ids=range(11),
)
def test_numbers_of_players_and_places_are_refused_in_one_line(
    words: str, message: str, tmp_path: Path, complaint: Complaint
) -> None:
    flag, _, value = words.partition(" ")
    few = ["--episodes", "1", "--steps", "2", "--workers", "1", "--held-out", "0"]
    assert message in complaint("record", "--data", tmp_path / "data", *few, flag, value.replace("'", '"'))


def test_play_of_a_world_that_is_not_known_is_not_replayed() -> None:
    small_worlds.register()
    WorldConfig("small-grid").check_known("small-grid", "data")
    WorldConfig("playhouse").check_known("small-grid", "data")  # known, though another
    WorldConfig("playhouse").check_known(None, "data")
    with pytest.raises(
        UserError, match=r"data holds play of the world 'kitchen', .* its tier is recorded; .* --world.n"
    ):
        WorldConfig("playhouse").check_known("kitchen", "data")
