"""Places follow from seeds, and settings that are no JSON are named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agents.config import AgentConfig
from pipelines.cli import settings
from pipelines.cli.main import main
from pipelines.loops.demo import DemoConfig
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
from worlds.contract import WorldError
from worlds.errors import UserError
from worlds.spaces.description import to_json

BAD = ["{", "rooms: 1", "[1, 1]", "3", "null", ""]


@pytest.mark.parametrize("text", BAD)
def test_settings_that_are_no_json_object_are_named(text: str) -> None:
    for group, kind in {"world": WorldConfig, "players": PlayersConfig}.items():
        for name in ("settings", "options") if group == "world" else ("setter", "solver"):
            with pytest.raises(UserError, match=f"{group}.{name}") as caught:
                kind(**{name: text})
            assert "\n" not in str(caught.value)


OPTIONS = "settings, max_steps, fov_y_deg, hands, show_hand, see_through"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"fov": 60}, f"world.options: no setting fov; known: {OPTIONS}"),
        ({"qqq": 1}, f"world.options: no setting qqq; known: {OPTIONS}"),
        ({"height": 60}, "world.options: height is not set here but by the command"),
    ],
)
def test_options_that_the_world_lacks_are_named(options: dict, complaint: str) -> None:
    with pytest.raises(UserError, match=f"^{complaint}$"):
        WorldConfig(options=options).make(1)


def test_settings_that_scripted_players_lack_are_named() -> None:
    entry = WORLD.entry()
    with pytest.raises(WorldError, match="no setter setting named 'patince'; known: .*patience"):
        entry.make_setter(tasks={"go": 1.0}, split="train", **PlayersConfig(setter={"patince": 3}).setter_settings())
    with pytest.raises(WorldError, match="no solver setting named 'x'; known: reaction"):
        entry.make_solver(**PlayersConfig(solver={"x": 1}).solver_settings())
    for name, option in {"tasks": "--players.tasks", "split": "--split"}.items():
        with pytest.raises(UserError, match=f"players.setter: {name} is not set here but by {option}"):
            PlayersConfig(setter={name: 3}).setter_settings()


def test_weights_of_tasks_are_one_json_object_on_the_command_line() -> None:
    def tasks(*words: str) -> dict[str, float]:
        parsed = settings.parse(PlayersConfig, words, command="x", default=PlayersConfig())
        return parsed.weights(WorldConfig().entry())

    assert tasks() == dict.fromkeys(("go", "lift", "position", "color", "count", "exist"), 1.0)
    assert tasks("--tasks", '{"tower": 1, "go": 0.5}') == tasks('--tasks={"tower": 1, "go": 0.5}')
    assert tasks("--tasks", '{"tower": 1, "go": 0.5}') == {"tower": 1.0, "go": 0.5}
    for wrong, message in {
        "tower": "not JSON",
        "[1]": "JSON object",
        '{"go": "x"}': 'weight of go is a number, not "x"',
    }.items():
        with pytest.raises(UserError, match=f"^players.tasks.*{message}"):
            tasks("--tasks", wrong)


def test_worlds_are_made_as_asked() -> None:
    one, other = WORLD.make(2)
    assert one is not other
    observations, _ = one.reset(seed=0, options={"config": WORLD.sample_config(0)})
    assert observations["solver"]["image"].shape == (36, 48, 3) and observations["solver"]["image"].any()
    (blind,) = WORLD.make(1, images=False)
    observations, _ = blind.reset(seed=0, options={"config": WORLD.sample_config(0)})
    assert not observations["solver"]["image"].any()


def test_seeds_of_training_validation_and_evaluation_never_meet() -> None:
    last = RecordConfig(seed=LARGEST_SEED - 1, episodes=SEEDS_APART)
    for held_out, seeds in ((False, TRAINING_SEEDS), (True, HELD_OUT_SEEDS)):
        assert place_seed(0, 0, held_out) == seeds.start
        assert place_seed(last.seed, last.episodes - 1, held_out) == seeds.stop - 1
    assert TRAINING_SEEDS.stop <= HELD_OUT_SEEDS.start and HELD_OUT_SEEDS.stop <= probe_seed(0) < probe_seed(1)
    for wrong in ({"seed": LARGEST_SEED}, {"seed": -1}, {"episodes": SEEDS_APART + 1}):
        with pytest.raises(UserError, match="(seed is from 0 to 499|episodes is from 1 to 1,000,000), not"):
            RecordConfig(**wrong)
    with pytest.raises(UserError, match="below are the places of training"):
        EvaluateConfig(seed=-1)
    assert DemoConfig(seed=LARGEST_SEED // 2 - 1).seed == 249
    with pytest.raises(UserError, match="seed is from 0 to 249"):
        DemoConfig(seed=LARGEST_SEED // 2)


@pytest.mark.parametrize("wrong", [{"split": "test"}, {"episodes": 0}, {"steps": 0}, {"slots": 0}, {"workers": 0}])
def test_impossible_recordings_are_refused(wrong: dict) -> None:
    with pytest.raises(UserError, match=next(iter(wrong))):
        RecordConfig(**wrong)


def test_an_agent_for_images_of_another_size_is_refused() -> None:
    WORLD.check_fits(AgentConfig(image_size=(36, 48)), "runs/clone/agent")
    with pytest.raises(UserError, match=r"runs/clone/agent .* 72x96 .* 36x48; use --world.height 72 --world.width 96"):
        WORLD.check_fits(AgentConfig(image_size=(72, 96)), "runs/clone/agent")
    with pytest.raises(UserError, match="the world's are 36x48; draw another suite$") as refused:
        # where the world's size is no setting
        WORLD.check_fits(AgentConfig(image_size=(72, 96)), "runs/clone/agent", "draw another suite")
    assert "--world" not in str(refused.value)


def test_an_agent_for_other_spaces_is_refused() -> None:
    small_worlds.register()
    grid = AgentConfig(spaces=to_json(small_worlds.SmallGrid.solver_spec))
    WorldConfig("small-grid").check_fits(grid, "runs/clone/agent")
    here = "runs/clone/agent was made for other spaces than those of the world"
    first = "small-arm: observation.grid: the agent has grid, the world none"
    hint = r"\(and 5 more\); name an agent that was cloned from play in it"
    with pytest.raises(UserError, match=f"{here} {first} {hint}"):
        WorldConfig("small-arm").check_fits(grid, "runs/clone/agent")
    with pytest.raises(UserError, match=f"{here} playhouse: observation.image: the agent has none, the world image"):
        WORLD.check_fits(grid, "runs/clone/agent")


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
        ("--players.tasks {'go':NaN}", "players.tasks holds NaN; numbers are finite"),
        ("--players.tasks {'go':1e999}", "players.tasks holds 1e999; numbers are finite"),
        ("--players.tasks {'go':-1}", "tasks is at least 0, not -1.0"),
        ("--players.tasks {'go':'often'}", 'players.tasks: the weight of go is a number, not "often"'),
        ("--players.solver {'motor_noise':NaN}", "players.solver holds NaN"),
        ("--players.solver {'motor_noise':'much'}", "solver setting motor_noise: 'much' is not a probability"),
        ("--players.solver {'reaction':1.5}", "solver setting reaction: 1.5 steps; give a whole number from 0 on"),
        ("--players.setter {'pause':'x'}", "setter setting pause: 'x' is not (fewest, most) steps"),
        ("--players.setter {'pause':[1,'x']}", "setter setting pause: 1..x is not a range of steps"),
        (
            "--players.setter {'first_request':[0,1e30]}",
            "setter setting first_request: 0..1e+30 is not a",
        ),
        ("--players.setter {'first_request':[0,99999999999999999999]}", "setter setting first_request: 0..9999999"),
        ("--players.setter {'patience':true}", "setter setting patience: True steps; give 1 or more, or None"),
        ("--players.setter {'follow_up':3}", "setter setting follow_up: 3 is neither true nor false"),
        ("--players.setter {'wander':null}", "setter setting wander: None is not a probability between 0 and 1"),
        ("--world.settings {'objects':[NaN,3]}", "world.settings holds NaN"),
        ("--world.options {'fov_y_deg':Infinity}", "world.options holds Infinity"),
        ("--players.solver " + 100_000 * "[", "players.solver is nested too deeply"),
    ],
)
def test_numbers_of_players_and_places_are_refused_in_one_line(
    words: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flag, _, value = words.partition(" ")
    few = ["--episodes", "1", "--steps", "2", "--workers", "1", "--held-out", "0"]
    assert main(["record", "--data", str(tmp_path / "data"), *few, flag, value.replace("'", '"')]) in (1, 2)
    read = capsys.readouterr().err
    assert message in read and len(read.splitlines()) == 1


def test_the_perfect_demonstrator_has_no_imperfections() -> None:
    players = PlayersConfig(solver={"drop": 0.5})
    assert players.demonstrator_settings("scripted") == {"drop": 0.5, "perfect": False}
    assert players.demonstrator_settings("perfect") == {"perfect": True}


def test_play_of_a_world_that_is_not_known_is_not_replayed() -> None:
    small_worlds.register()
    WorldConfig("small-grid").check_known("small-grid", "data")
    WorldConfig("playhouse").check_known("small-grid", "data")  # known, though another
    WorldConfig("playhouse").check_known(None, "data")
    with pytest.raises(
        UserError, match=r"data holds play of the world 'kitchen', .* its tier is recorded; .* --world.n"
    ):
        WorldConfig("playhouse").check_known("kitchen", "data")
