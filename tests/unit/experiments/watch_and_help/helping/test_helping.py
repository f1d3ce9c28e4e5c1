"""Helpers of Alice: the methods of the table, one that asks, and agents, which observe what the world shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents import registry
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from experiments.engine.rows import grouped
from experiments.engine.table import by_arm
from experiments.watch_and_help.benchmark import task
from experiments.watch_and_help.helping import agent_helper
from experiments.watch_and_help.helping.agent_helper import AgentHelper, asked
from experiments.watch_and_help.helping.asking import AskingPlayer, answer, count_in, question
from experiments.watch_and_help.helping.episodes import HelpEpisode, episodes_file, save_episodes
from experiments.watch_and_help.helping.methods import ALONE, METHODS, possible_methods
from experiments.watch_and_help.helping.part import HelpSettings, section, stages
from experiments.watch_and_help.helping.results import load_rows, over_tasks
from experiments.watch_and_help.inferred_goals import save_goals, save_posteriors
from experiments.watch_and_help.learned_agents import CLONED, learned_in
from tests.unit.experiments.carrying_out import carry_out
from worlds.contract import SOLVER, WorldError
from worlds.errors import UserError
from worlds.household.homes.placing import place
from worlds.household.state.vocabulary import Held
from worlds.household.tasks.predicates import Relation, parse
from worlds.household.tasks.sets import PREDICATES
from worlds.household.world import HouseholdWorld, player_spec
from worlds.spaces.description import to_json
from worlds.spaces.observation import Image


def episode(number: int, steps: int, success: bool = True, undone: int = 0) -> HelpEpisode:
    return HelpEpisode(f"test_1/put_fridge-{number}", ("put_fridge",), 0, success, steps, (0, 0), undone)


def test_helpers_play_every_task_once_and_hp_waits_for_inferred_goals(tmp_path: Path) -> None:
    few = HelpSettings(1, (40,), ("test_1",), {name: METHODS[name] for name in (ALONE, "HP", "HP, true goal")})
    carry_out(stages, tmp_path, few)
    played = grouped(load_rows(tmp_path, "test_1"), by_arm)
    assert list(played) == [ALONE, "HP, true goal"]
    assert played[ALONE][0].success
    assert played["HP, true goal"][0].measures["steps"] < played[ALONE][0].measures["steps"]
    assert "| HP, true goal | 100.0% ± 0.0 | 97.3% |" in section(tmp_path).markdown()

    path = episodes_file(tmp_path, 0, "test_1", ALONE, 0)
    before = path.stat().st_mtime_ns
    one = task("test_1", 40)
    save_goals(tmp_path, 0, "test_1", {one.name: one.goal})
    carry_out(stages, tmp_path, few)
    assert path.stat().st_mtime_ns == before
    assert list(grouped(load_rows(tmp_path, "test_1"), by_arm)) == [ALONE, "HP", "HP, true goal"]


def test_speedup_reward_and_undone_things_are_as_published(tmp_path: Path) -> None:
    save_episodes(
        episodes_file(tmp_path, 0, "test_1", ALONE, 0),
        [episode(0, 100), episode(1, 250, success=False), episode(2, 100)],
    )
    save_episodes(episodes_file(tmp_path, 0, "test_1", ALONE, 1), [episode(0, 150), episode(1, 200)])
    helped = [episode(0, 50, undone=2), episode(1, 250, success=False), episode(2, 200)]
    save_episodes(episodes_file(tmp_path, 0, "test_1", "Random", 0), helped)
    helper = grouped(load_rows(tmp_path, "test_1"), by_arm)["Random"]

    def mean(measure: str) -> float:
        found = over_tasks(helper, measure)
        assert found is not None
        return found.mean

    # The paper's, not clipped: a failure takes all steps, and a helper may be in the way.
    assert mean("speedup") == pytest.approx(((125 / 50 - 1) + (225 / 250 - 1) + (100 / 200 - 1)) / 3)
    assert mean("reward") == pytest.approx((1 - 50 / 250 - 1 + 1 - 200 / 250) / 3)
    assert (mean("success"), mean("undone")) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    found = section(tmp_path)
    assert "published, clipped" in found.markdown()
    assert set(found.figures) == {"test_1-activities.png", "test_1-speedup.png"}


def test_a_helper_that_watched_half_and_asks_needs_the_posterior(tmp_path: Path) -> None:
    names = ("HP", "HP, half watched", "HP, half watched, asking")
    few = HelpSettings(1, (40,), ("test_1",), {name: METHODS[name] for name in (ALONE, *names)})
    one = task("test_1", 40)
    save_goals(tmp_path, 0, "test_1", {one.name: one.goal})
    carry_out(stages, tmp_path, few)
    assert list(grouped(load_rows(tmp_path, "test_1"), by_arm)) == [ALONE, "HP"]

    unsure = {text: [0.6, 0.3, 0.1] for text in one.goal}
    save_posteriors(tmp_path, 0, "test_1", {"0.5": {one.name: unsure}})
    carry_out(stages, tmp_path, few)
    played = grouped(load_rows(tmp_path, "test_1"), by_arm)
    asked = [text for text in one.goal if text.startswith(("on_", "inside_"))]
    assert [played[name][0].measures["questions"] for name in names] == [0, 0, len(asked)]
    asking, silent = (played[name][0].measures["steps"] for name in ("HP, half watched, asking", "HP, half watched"))
    assert asking < silent
    assert "| 50% | yes | 100.0% ± 0.0 |" in section(tmp_path).markdown()


def test_questions_are_of_every_predicate_about_places_and_answers_are_read_back() -> None:
    assert question("on_plate_kitchentable") == "how many plates do you want on the kitchen table?"
    assert question("inside_wine_fridge") == "how many bottles of wine do you want in the fridge?"
    for text in PREDICATES:
        if parse(text).relation in (Relation.ON, Relation.INSIDE):
            assert [count_in(answer(text, count)) for count in (0, 1, 2)] == [0, 1, 2]
        else:
            with pytest.raises(WorldError, match="names no place"):
                question(text)
    assert answer("on_apple_coffeetable", 0) == "no apples"
    for rubbish in ("", "what?", "a lot"):
        with pytest.raises(WorldError, match="begins with no number"):
            count_in(rubbish)


def test_it_asks_once_about_each_count_that_it_is_not_sure_of_the_least_sure_first() -> None:
    of = task("test_1", 40)
    home, state = place(of.help)
    wanted = next(iter(of.goal))
    others = [text for text in ("on_plate_kitchentable", "inside_apple_fridge") if text != wanted]
    probable = {others[0]: [0.3, 0.6, 0.1], wanted: [0.5, 0.3, 0.2], "holds_book_character": [0.5, 0.5, 0.0]}
    probable["on_cutleryfork_kitchentable"] = [0.05, 0.95, 0.0]
    heard = []

    def reply(text: str, words: str) -> str:
        heard.append(words)
        return answer(text, of.goal.get(text, 0))

    bob = AskingPlayer(home, home.persons[1], probable, reply, 0)
    for _ in range(4):
        bob.act(state, "")
    assert heard == [question(wanted), question(others[0])]
    assert [step for step, _, _ in bob.asked] == [0, 1]
    subgoals = bob.planner.subgoals
    pursued = {one.text: count for one, count in zip(subgoals.predicates, subgoals.wanted, strict=True)}
    assert pursued == {wanted: of.goal[wanted], "on_cutleryfork_kitchentable": 1}


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


def test_an_agent_is_a_row_as_soon_as_it_is_there_and_again_with_other_weights(tmp_path: Path) -> None:
    few = HelpSettings(1, (40,), ("test_1",), {name: METHODS[name] for name in (ALONE, "BC", "BC+RL")})
    assert list(possible_methods(tmp_path, 0, "test_1", few.methods)) == [ALONE]
    agent = untrained(learned_in(tmp_path, 0) / CLONED)
    carry_out(stages, tmp_path, few)
    played = grouped(load_rows(tmp_path, "test_1"), by_arm)
    assert list(played) == [ALONE, "BC"] and 1 <= played["BC"][0].measures["steps"] <= 250

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
