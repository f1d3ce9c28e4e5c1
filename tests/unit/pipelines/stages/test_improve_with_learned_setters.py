"""Improvement against a learned setter: it acts in all places at once, and an interrupted run ends in the same bits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.card import CARD_FILE
from agents.folder import load_agent, save_agent
from pipelines.stages.executors import make_environments, make_runner
from pipelines.stages.improve import held_out_episodes, improve
from pipelines.stages.improve_config import ImproveConfig
from rlhf.replay.learned_setter import LearnedSetterPlay
from rlhf.replay.setter_replay import SetterReplay
from tests.unit.pipelines.stages import small_improvement
from tests.unit.pipelines.stages.small_improvement import assert_same_end
from worlds.contract import SETTER
from worlds.errors import UserError


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    small_improvement.make(folder)
    agent, tokenizer = load_agent(folder / "clone")
    agent.config.role = SETTER
    save_agent(agent, tokenizer, folder / "asks")
    agent.config.prompted = True
    with torch.no_grad():
        agent.language.speak.bias.fill_(9.0)  # type: ignore[union-attr]
    save_agent(agent, tokenizer, folder / "prompted")
    return folder


def settings(made: Path, runs: Path, setter: str = "asks", **others: Any) -> ImproveConfig:
    return small_improvement.settings(made, runs, setters=f"agent:{made / setter}", **others)


def test_an_improvement_in_parts_ends_as_one_in_one_part(made: Path, tmp_path: Path) -> None:
    config = settings(made, tmp_path)
    whole = improve(config).parent
    parts = improve(replace(config, name="parts", updates=3)).parent
    improve(replace(config, name="parts", resume=parts, updates=6))
    improve(replace(config, name="parts", resume=parts, updates=9))
    assert_same_end(parts, whole)
    card = (whole / "agent" / CARD_FILE).read_text()
    assert (
        f"it acts while a learned setter, the agent in `{made / 'asks'}`, plays in the places of recorded ones" in card
    )
    replayed = improve(replace(config, name="replayed", setters="replayed")).parent
    files = [(run / "agent" / "model.safetensors").read_bytes() for run in (whole, replayed)]
    assert files[0] != files[1], "another setter, another play"


def test_rewards_may_come_from_what_can_be_read(made: Path, tmp_path: Path) -> None:
    assert improve(settings(made, tmp_path, scripted_reward=True, updates=1)).is_dir()


def test_setters_act_in_all_places_and_see_their_own_views(made: Path, tmp_path: Path) -> None:
    config = settings(made, tmp_path, setter="prompted")
    episodes = held_out_episodes(config, 2, frames=False)
    agent, tokenizer = load_agent(made / "clone")
    runner = make_runner(config, agent, tokenizer, episodes, 2, 6, stagger=False)
    heard: list[tuple[list[np.ndarray], list[str], list[bool]]] = []
    setters: Any = runner._setters
    choose = setters.set

    def noting(seen: Any, prompts: list[str], resets: np.ndarray) -> Any:
        heard.append(([one["image"].copy() for one in seen], list(prompts), resets.tolist()))
        return choose(seen, prompts, resets)

    setters.set = noting
    fragment = runner.sample()
    assert len(heard) == 6, "once a step, for all places"
    assert [resets for _, _, resets in heard] == [[True, True]] + [[False, False]] * 5
    assert all(len(prompt.split()) > 3 for prompt in heard[0][1]) and heard[0][1] == heard[5][1]
    solver_saw = fragment.image[:6]
    assert all(images[0].any() and not (images[0] == solver_saw[t, 0]).all() for t, (images, _, _) in enumerate(heard))
    words = fragment.setter_tokens[1:, 0]
    assert (words != 0).any(axis=-1).all(), "it says something at every step, and the solver hears it"
    runner.close()


def test_plays_are_as_long_as_their_recordings(made: Path, tmp_path: Path) -> None:
    config = settings(made, tmp_path)
    episodes = held_out_episodes(config, 2, frames=False)
    (env,) = make_environments(config, episodes, 1)
    assert isinstance(env, LearnedSetterPlay) and env.longest(episodes[0]) == len(episodes[0])
    assert type(make_environments(replace(config, setters="replayed"), episodes, 1)[0]) is SetterReplay
    people = [replace(episode, setter="human:ann") for episode in episodes]
    assert isinstance(make_environments(config, people, 1)[0], LearnedSetterPlay), "in the places of people, too"


def test_bad_setters_are_refused(made: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match='setters are "replayed", "live" or agent:FOLDER, not \'people\''):
        replace(settings(made, tmp_path), setters="people")
    with pytest.raises(UserError, match="in the role of the solver, not of the setter"):
        improve(settings(made, tmp_path, setter="clone"))
    with pytest.raises(UserError, match="in the role of the setter, not of the solver"):
        improve(replace(settings(made, tmp_path), agent=made / "asks"))
    assert not (tmp_path / "whole").exists(), "no run was begun"
