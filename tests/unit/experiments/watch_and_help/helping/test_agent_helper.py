"""An agent as a row of the table of helpers: it observes what the world would show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents import registry
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from experiments.watch_and_help.helping import agent_helper
from experiments.watch_and_help.helping.agent_helper import AgentHelper, asked
from experiments.watch_and_help.helping.methods import ALONE, METHODS, possible_methods
from experiments.watch_and_help.helping.part import HelpSettings, stages
from experiments.watch_and_help.helping.results import Results
from experiments.watch_and_help.learned_agents import CLONED, learned_in
from tests.unit.experiments.carrying_out import carry_out
from worlds.contract import SOLVER
from worlds.errors import UserError
from worlds.household.state.vocabulary import Held
from worlds.household.tasks.benchmark import task
from worlds.household.tasks.language.understanding import goal_of
from worlds.household.world import HouseholdWorld, player_spec
from worlds.spaces.description import to_json
from worlds.spaces.observation import Image

TASK = task("test_1", 40)


def untrained(folder: Path, seed: int = 0, **spaces: Any) -> Path:
    torch.manual_seed(seed)
    tokenizer = Tokenizer.train({"put the apple in the fridge", "done"}, 64)
    agent = registry.make(
        "nano", image_size=(0, 0), vocab_size=tokenizer.vocab_size, spaces=to_json(player_spec(**spaces))
    )
    return save_agent(agent, tokenizer, folder)


def test_it_observes_what_the_world_would_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[dict[str, Any]] = []

    class Watched(agent_helper.AgentSolvers):
        def act(self, observations: Any, resets: np.ndarray) -> list[Any]:
            shown.extend(observations)
            return super().act(observations, resets)

    monkeypatch.setattr(agent_helper, "AgentSolvers", Watched)
    world = HouseholdWorld()
    seen: Any = world.reset(options={"config": dict(TASK.help)})[0][SOLVER]
    home = world.state.home
    helper = AgentHelper(untrained(tmp_path / "agent"), home, asked(home, TASK.goal, 0), 0)
    for _ in range(12):
        decision = helper.act(world.state.state, world.state.feedback[1])
        observed = shown[-1]
        assert observed.keys() >= {name for name in seen if name not in ("setter_text", "solver_text")}
        for name in ("entity_categories", "entity_values", "legal", "previous_movement"):
            np.testing.assert_array_equal(observed[name], seen[name], err_msg=name)
        assert observed["feedback"] == seen["feedback"]
        verb, row, hand = decision.act
        pointer = 0 if row < 0 else world.pointer_to(SOLVER, row)
        movement = np.array([[verb, pointer, int(hand != Held.RIGHT_HAND)]])
        seen = world.step({SOLVER: {"movement": movement.astype(np.int16), "utterance": ""}})[0][SOLVER]
        assert world.state.acts[1] == decision.act


def test_it_hears_alices_goal() -> None:
    home = HouseholdWorld().begin(TASK.help).home
    assert goal_of(asked(home, TASK.goal, 3)) == TASK.goal


def test_an_agent_is_a_row_as_soon_as_it_is_there_and_again_with_other_weights(tmp_path: Path) -> None:
    few = HelpSettings(1, (40,), ("test_1",), {name: METHODS[name] for name in (ALONE, "BC", "BC+RL")})
    assert list(possible_methods(tmp_path, 0, "test_1", few.methods)) == [ALONE]
    agent = untrained(learned_in(tmp_path, 0) / CLONED)
    carry_out(stages, tmp_path, few)
    played = Results.load(tmp_path).episodes["test_1"]
    assert list(played) == [ALONE, "BC"] and 1 <= played["BC"][0].steps <= 250

    file = next((tmp_path / "help").rglob("bc-0.json"))
    before = file.read_bytes()
    carry_out(stages, tmp_path, few)
    assert file.read_bytes() == before
    untrained(agent, seed=1)
    agent_helper._loaded.cache_clear()
    carry_out(stages, tmp_path, few)
    assert file.read_bytes() != before, "other weights: it is played again"


def test_an_agent_that_sees_pictures_is_refused(tmp_path: Path) -> None:
    folder = untrained(tmp_path / "agent", image=Image(36, 48))
    home = HouseholdWorld().begin(TASK.help).home
    with pytest.raises(UserError, match="household's entities without pictures"):
        AgentHelper(folder, home, "help me", 0)
