"""What environments ask for, when their success counts, and which actions they allow."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from worlds.contract import SETTER, SOLVER, WorldError
from worlds.contract.random_solver import RandomSolver
from worlds.foreign.entries import class_entry

LEFT, RIGHT, STEPS = "go left", "now go right", 7


class Asking(gymnasium.Env):
    """An environment of seven steps that says what it asks for in one of its places, and reports successes.

    Args:
      place: "seen", "info" or "attribute".
      key: under which it says it.
      says: what it says after each number of steps, as far as that changes.
      succeeds: steps after which its info reports a success.
    """

    action_space = spaces.Discrete(3)

    def __init__(self, place: str, key: str, says: dict[int, Any], succeeds: tuple[int, ...] = ()) -> None:
        self.place, self.key, self.says, self.succeeds = place, key, says, succeeds
        text: dict[str, spaces.Space] = {key: spaces.Text(3000)} if place == "seen" else {}
        self.observation_space = spaces.Dict({"x": spaces.Box(-1, 1, (1,), np.float32), **text})

    def reset(self, seed: Any = None, options: Any = None) -> Any:
        self.steps = 0
        return self.seen()

    def step(self, action: Any) -> Any:
        self.steps += 1
        seen, info = self.seen()
        success = {"success": np.float32(self.steps in self.succeeds)}
        return seen, 0.0, False, self.steps >= STEPS, info | success

    def seen(self) -> Any:
        words = self.says[max(step for step in self.says if step <= self.steps)]
        if self.place == "attribute":
            setattr(self, self.key, words)
        seen = {"x": np.zeros(1, np.float32)} | ({self.key: words} if self.place == "seen" else {})
        return seen, {self.key: words} if self.place == "info" and self.steps in self.says else {}


def asked(env: Any, evaluated: bool = False, **options: Any) -> tuple[list[str], list[bool]]:
    """Return the setter's words at each step of an episode, and whether each of its requests is fulfilled."""
    entry = class_entry("asking", lambda: env)
    world = entry.make(linger=0, **options)
    observations, _ = world.reset(seed=0)
    setter: Any = entry.make_setter(tasks={"mission": 1.0})
    if evaluated:
        spec = entry.probe("mission", world, 0, "train")
        assert spec is not None and entry.make_probe_setter is not None
        setter = entry.make_probe_setter(spec)
    setter.reset(world, 0)
    said: list[str] = []
    tasks: list[Any] = []
    while world.agents:
        action = setter.act(observations[SETTER])
        said.append(action["utterance"])
        if setter.task is not None and setter.task not in tasks:
            tasks.append(setter.task)
        observations = world.step({SETTER: action})[0]
        assert said[-1] in ("", observations[SOLVER]["setter_text"])
        for task in tasks[-1:]:
            task.update(world, "")
    return said, [task.succeeded for task in tasks]


@pytest.mark.parametrize("place", ["seen", "info", "attribute"])
def test_an_instruction_that_changes_is_another_request_wherever_it_is_found(place: str) -> None:
    for key in ("mission", "instruction", "language_instruction", "goal", "task"):
        said, fulfilled = asked(Asking(place, key, {0: LEFT, 3: RIGHT}))
        assert said == [LEFT, "", "", RIGHT, "", "", ""] and len(fulfilled) == 2


@pytest.mark.parametrize(
    ("says", "said"),
    [
        ({0: "", 2: LEFT}, {2: LEFT}),  # nothing is made up while it may still speak
        ({0: LEFT, 2: ""}, {0: LEFT}),
        ({0: LEFT, 2: RIGHT, 4: LEFT}, {0: LEFT, 2: RIGHT, 4: LEFT}),
        ({0: b"go left"}, {0: LEFT}),
        ({0: np.array("go  left\n")}, {0: LEFT}),
        ({0: "go \ud800"}, {0: "go \ufffd"}),
        ({0: 7}, {0: "play asking"}),
    ],
)
def test_what_an_environment_says_is_said_when_it_says_it(says: dict[int, Any], said: dict[int, str]) -> None:
    assert asked(Asking("info", "instruction", says))[0] == [said.get(step, "") for step in range(STEPS)]
    assert asked(Asking("info", "instruction", says), instruction="wait")[0] == ["wait", *[""] * 6]


def test_players_hear_what_is_recorded_of_a_long_instruction() -> None:
    with pytest.warns(UserWarning, match="world 'asking': an instruction is cut to its first 400 characters"):
        said, _ = asked(Asking("seen", "instruction", {0: "x" * 1999}))
    assert said[0] == "x" * 400


@pytest.mark.parametrize(
    ("succeeds", "at_any", "at_end"), [((2,), True, False), ((7,), True, True), ((), False, False)]
)
def test_a_success_counts_at_any_step_or_at_the_end(succeeds: tuple[int, ...], at_any: bool, at_end: bool) -> None:
    env = Asking("info", "instruction", {0: LEFT}, succeeds)
    assert asked(env)[1] == asked(env, success_at="any")[1] == [at_any]
    assert asked(env, success_at="end")[1] == [at_end]


def test_a_success_belongs_to_the_instruction_at_hand_and_in_an_evaluation_to_the_episode() -> None:
    says = {0: LEFT, 2: RIGHT}
    assert asked(Asking("info", "task", says, (2,)))[1] == [True, False]
    assert asked(Asking("info", "task", says, (5,)))[1] == [False, True]
    said, fulfilled = asked(Asking("info", "task", says, (5,)), evaluated=True)
    assert said[:3] == [LEFT, "", RIGHT] and fulfilled == [True]


class Masked(gymnasium.Env):
    """An environment that fails at an illegal action and says in its info which are legal; doing nothing never is."""

    observation_space = spaces.Box(-1, 1, (1,), np.float32)
    action_space = spaces.Discrete(3)

    def reset(self, seed: Any = None, options: Any = None) -> Any:
        self.steps = 0
        return np.zeros(1, np.float32), self.info()

    def step(self, action: Any) -> Any:
        assert self.info()["action_mask"][action], f"illegal action {action}"
        self.steps += 1
        return np.full(1, self.steps / 99, np.float32), 0.0, False, self.steps >= 20, self.info()

    def info(self) -> dict[str, Any]:
        return {"action_mask": [False, self.steps % 2 == 0, self.steps % 2 == 1]}


@pytest.mark.parametrize("masked", [False, True])
def test_players_keep_to_the_actions_that_info_says_are_legal_and_observe_them_where_asked(masked: bool) -> None:
    entry = class_entry("masked", Masked)
    world = entry.make(masked=masked, linger=0)
    assert world.spec(SOLVER).action.masked == masked
    for solver in (entry.make_solver(), RandomSolver()):
        observations, _ = world.reset(seed=0)
        solver.reset(world, 0)
        assert observations[SOLVER].get("legal", np.array([])).tolist() == ([False, True, False] if masked else [])
        heard: Any = {SETTER: world.spec(SETTER).action.silent() | {"utterance": "go"}}
        while world.agents:
            observations = world.step(heard | {SOLVER: solver.act(observations[SOLVER])})[0]
        assert world.step_index == 20
    world.reset(seed=0)
    world.step({})  # who does nothing does the first legal action


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (ModuleNotFoundError(name="no_such_physics"), "; pip install no-such-physics$"),
        (ModuleNotFoundError(name="numpy.no"), "ModuleNotFoundError$"),
        (RuntimeError("an OpenGL platform library has not been loaded into this process"), "set MUJOCO_GL=egl"),
    ],
)
def test_what_cures_a_failure_is_named(error: Exception, remedy: str) -> None:
    def failing() -> None:
        raise error

    with pytest.raises(WorldError, match=remedy):
        class_entry("failing", failing).make()
