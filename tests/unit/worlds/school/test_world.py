"""The school as a world: what players do in it, whose words are heard, and how it ends."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.unit.worlds.school.small_rooms import QUIET, stand_before
from worlds.contract import SETTER, SOLVER, UTTERANCE_MAX_CHARS, WorldError
from worlds.school.environments.environment import SchoolEnv
from worlds.school.grid.codes import OBJECTS, PEER_ACTS
from worlds.school.sampling import sample
from worlds.school.tasks import INSTRUCTION, NAMES, make_task, probe, task_name
from worlds.school.world import AFTER, AGENT_ACTS, SchoolWorld

ASK = QUIET | {"Problem": "Boxes", "Pragmatic_frame_complexity": "Ask", "Cue_type": "Language_Color"}
_FIRST: Any = AGENT_ACTS.components[0]
ACTS: tuple[str, ...] = _FIRST.bins


def entered(parameters: dict[str, str] = ASK, seed: int = 0, **options: Any) -> Any:
    world = SchoolWorld(**options)
    world.reset(options={"config": {"school": 1, "seed": seed, "parameters": parameters, "settings": {}}})
    return world


def act(name: str = "stay", words: str = "") -> dict[str, Any]:
    action: Any = AGENT_ACTS.silent()
    action["movement"][:] = ACTS.index(name)
    return action | {"utterance": words}


def asked(words: str) -> Any:
    """What a setter does that says something and leaves the peer to its script."""
    return {SETTER: {**SchoolWorld().spec(SETTER).action.silent(), "utterance": words}}


def peer_acts(world: Any, name: str, words: str = "") -> Any:
    spec: Any = world.spec(SETTER).action
    action = spec.silent()
    action["movement"][:] = spec.components[0].bins.index(name)
    return {SETTER: action | {"utterance": words}}


def test_it_plays_like_the_environment():
    env = SchoolEnv(ASK)
    env.reset(seed=4)
    world: Any = SchoolWorld()
    seed = int(np.random.default_rng(4).integers(2**31))
    seen, _ = world.reset(options={"config": {"school": 1, "seed": seed, "parameters": ASK, "settings": {}}})
    rng, heard = np.random.default_rng(0), "NA \n"
    for step in range(40):
        move = int(rng.integers(4))
        asks = step % 9 == 5
        there, *_ = env.step([move, 1, 0] if asks else [move, -1, -1])
        seen, *_ = world.step({SOLVER: act(ACTS[move], "Help please" if asks else "")})
        assert np.array_equal(seen[SOLVER]["grid"].transpose(1, 0, 2), there["image"])
        heard = there["utterance"] if there["utterance"] != "NA \n" else heard
        assert heard == "NA \n" + (f"{seen[SOLVER]['heard']} \n" if seen[SOLVER]["heard"] else "")


def test_the_peer_speaks_for_itself_or_for_the_setter():
    world = entered(dialogue=True)
    seen = world.step(asked(INSTRUCTION))[0][SOLVER]
    assert seen["heard"] == "" and seen["setter_text"] == INSTRUCTION
    seen = world.step({SOLVER: act(words="Help please")})[0][SOLVER]
    colour = world.state.problem.target_colour
    assert seen["heard"] == f"Caretaker: {colour}" and seen["solver_text"] == "Help please"
    assert world.step({})[0][SOLVER]["heard"] == f"Caretaker: {colour}", "it is remembered"
    seen = world.step(peer_acts(world, "point west", "over there"))[0][SOLVER]
    assert seen["heard"] == "Caretaker: over there" and world.state.problem.peer.pointing == 2
    assert seen["dialogue"] == f"Conversation: \nCaretaker: {colour} \nCaretaker: over there \n"


def test_what_the_setter_says_is_cut_and_nobody_says_it_where_there_is_no_peer():
    world = entered(dialogue=True)
    seen = world.step(peer_acts(world, "stay", "x" * 500))[0][SOLVER]
    assert seen["heard"] == "Caretaker: " + "x" * UTTERANCE_MAX_CHARS
    alone = entered(ASK | {"Peer": "N"}, dialogue=True)
    seen = alone.step(peer_acts(alone, "stay", "over there"))[0][SOLVER]
    assert seen["setter_text"] == "over there" and alone.state.reply == ""
    assert (seen["heard"], seen["dialogue"]) == ("", "Conversation: \n")


def test_a_tutor_moves_the_peer_and_nothing_else_does():
    world = entered(tutored=True)
    peer = world.state.problem.peer
    for _ in range(5):
        seen, *_ = world.step({SOLVER: act(words="Help please")})
        assert seen[SOLVER]["heard"] == "" and (peer.direction, peer.last_act) == (1, PEER_ACTS.index("no_op"))
    world.step(peer_acts(world, "turn left"))
    assert peer.direction == 0


def test_the_peer_sees_the_agent():
    world = entered()
    problem = world.state.problem
    x, y = problem.peer.place
    problem.room.agent, problem.room.direction = (x, y + 1), 3
    grid = world.see(SETTER)["grid"]
    assert tuple(grid[5, 3]) == (OBJECTS["agent"], 0, 0, 0, 255, 10)


def test_the_episode_ends_some_steps_after_its_outcome():
    world = entered()
    world.step({SOLVER: act("finish")})
    for step in range(AFTER):
        _, rewards, terminated, truncated, _ = world.step({SOLVER: act("forward")})
        assert terminated[SOLVER] == (step == AFTER - 1) and not truncated[SOLVER] and rewards[SOLVER] == 0
    assert world.agents == []


def test_places_have_every_problem_equally_often_or_follow_a_tree():
    names = Counter(task_name(sample(seed)["parameters"]) for seed in range(4 * len(NAMES)))
    assert names == dict.fromkeys(NAMES, 4)
    found = sample(3, "EPointingBoxesTestInformationSeeking")["parameters"]
    assert (found["Problem"], found["Cue_type"]) == ("Boxes", "Pointing")
    doors = [sample(seed, only={"Problem": ["Doors"], "Cue type": "Imitation"})["parameters"] for seed in range(5)]
    assert all((one["Problem"], one.get("Cue_type")) == ("Doors", "Emulation") for one in doors), "help has no cue"
    pairs = [("Boxes", "Pointing"), ("Doors", "Language_Color")]
    common = {"Scaffolding": "N", "Env_type": "Information_seeking"}
    only = [common | {"Problem": problem, "Cue_type": cue} for problem, cue in pairs]
    mixed = [sample(seed, only=only)["parameters"] for seed in range(20)]
    assert Counter((one["Problem"], one["Cue_type"]) for one in mixed) == dict.fromkeys(pairs, 10)


@pytest.mark.parametrize(
    "wrong",
    [
        {"environment": "Nowhere"}, {"only": {"Problem": "Windows"}}, {"only": [3]}, {"size": 3}, {"environment": 5},
        {"n_colors": 1}, {"hidden_npc": "no"}, {"stop_when_lost": 1}, {"seed": -1},
    ],
)  # fmt: skip
def test_places_that_do_not_exist_are_refused_in_one_line(wrong):
    with pytest.raises(WorldError, match="place of the school") as caught:
        sample(**{"seed": 0} | wrong)
    assert "\n" not in str(caught.value)


def test_progress_is_noted_once():
    world = entered(QUIET | {"Problem": "Boxes", "Cue_type": "Language_Color"})
    problem, spec = world.state.problem, probe("boxes", world, 0)
    assert spec is not None and probe("doors", world, 0) is None and spec.max_steps == world.max_steps
    task, noted = make_task(spec), []
    box = next(thing for thing in problem.things if thing.color == problem.target_colour)
    for name in ("stay", "stay", "toggle", "stay", "toggle", "stay"):
        if name == "toggle":
            stand_before(problem, box if box.at else problem.apple)
        world.step({SOLVER: act(name)})
        success, events = task.update(world, "")
        noted += [(event.sign, event.reason) for event in events]
    assert noted == [(1, "used the right lockablebox"), (1, "ate the apple")] and success
    with pytest.raises(WorldError, match="no task"):
        probe("windows", world, 0)


def test_pictures_are_drawn_for_those_who_look():
    world: Any = SchoolWorld(picture=True, views=(SOLVER,), height=140, width=180)
    seen, _ = world.reset(seed=2)
    assert seen[SOLVER]["image"].shape == (140, 180, 3) and seen[SOLVER]["image"].max() > 200
    assert not seen[SETTER]["image"].any()
    before = world.render()
    world.step(peer_acts(world, "turn left", "look here"))
    assert before.shape == world.render().shape and not np.array_equal(before, world.render())
