"""Every action has words that are read back as the same action, and rubbish is no action, with a reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.language_models.answers import NO_ACTION, NO_SENTENCE, NOT_LEGAL, NOT_THERE, read_answer
from agents.language_models.words import action_instructions, doing_words, observation_words
from tests.unit.agents.example_spaces import SPACES
from worlds.contract import BODY
from worlds.household.world import ACTIONS as HOUSEHOLD
from worlds.household.world import player_spec
from worlds.spaces.action import ActionSpec, Continuous, Discrete, FreeText, Grammar
from worlds.spaces.random_action import random_action

GRID = ActionSpec((Discrete("act", ("left", "right", "forward", "pick_up", "pick", "done"), 5),), speech=FreeText())
GRAMMAR = Grammar((("Where is", "Help"), ("please", "the exit")))
TALKER = ActionSpec((Discrete("act", ("left", "right", "stay"), 2),), speech=GRAMMAR)
ALL = {"household": HOUSEHOLD, "playhouse": BODY, "grid": GRID, "talker": TALKER}
ALL |= {f"example {name}": spec.action for name, spec in SPACES.items()}


VERBS = next(part.bins for part in HOUSEHOLD.discrete if isinstance(part, Discrete))


def acts(spec: ActionSpec, text: str, **seen: Any) -> tuple[dict[str, Any], str]:
    answer = read_answer(spec, text, seen)
    spec.check(answer.action)
    return answer.action, answer.problem


@pytest.mark.parametrize("spec", ALL.values(), ids=ALL)
def test_words_of_an_action_are_read_as_that_action(spec: ActionSpec) -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        action = random_action(spec, rng, entities=5)
        for name in ("continuous",) if spec.continuous else ():
            action[name] = np.round(action[name], 2)  # words have two digits
        said = ""
        if spec.speech is not None and rng.random() < 0.5:
            said = next(spec.speech.sentences()) if isinstance(spec.speech, Grammar) else "turn left, then take 3; yes"
        words = doing_words(spec, action["movement"], action.get("continuous"), said)
        read, problem = acts(spec, f" Act: {words}\nObs: anything")
        assert not problem and read["utterance"] == said, words
        np.testing.assert_array_equal(read["movement"], action["movement"], err_msg=words)
        if spec.continuous:
            np.testing.assert_allclose(read["continuous"], action["continuous"], atol=1e-6)


@pytest.mark.parametrize(
    ("text", "bin"),
    [
        ("forward", "forward"), ("Move FORWARD.", "forward"), ("turn left", "left"), ("Act : right", "right"),
        ("\n\n  left\nright", "left"), ("left or right", "left"), ("pick up", "pick_up"), ("pick_up", "pick_up"),
        ("pick", "pick"), ("I will pick up the ball", "pick_up"), ("act: done", "done"), ("act=left", "left"),
    ],
)  # fmt: skip
def test_free_answers_name_a_bin(text: str, bin: str) -> None:
    action, problem = acts(GRID, text)
    part = GRID.discrete[0]
    assert isinstance(part, Discrete)
    assert not problem and part.bins[action["movement"][0, 0]] == bin


@pytest.mark.parametrize("text", ["", "\n\n", "leftover", "42", "\x00\ud800", "a" * 10_000, "say", ";;;"])
def test_rubbish_does_nothing_and_is_counted(text: str) -> None:
    action, problem = acts(GRID, text)
    assert problem == NO_ACTION
    assert action["utterance"] == "" and (action["movement"] == GRID.neutral_movement()).all()


@pytest.mark.parametrize(
    ("text", "object", "hand"),
    [
        ("verb grab, thing 3", 3, 0),
        ("thing: 3, verb: grab", 3, 0),
        ("Grab the plate (3), please", 3, 0),
        ("grab 3, left", 3, 1),
    ],
)
def test_things_are_pointed_at_with_their_name_or_without(text: str, object: int, hand: int) -> None:
    action, problem = acts(HOUSEHOLD, text)
    assert not problem and action["movement"][0].tolist() == [VERBS.index("grab"), object, hand]


def test_what_is_not_there_or_not_legal_is_not_done() -> None:
    assert acts(HOUSEHOLD, "grab 99999")[1] == NOT_THERE
    seen = {"entity_values": np.zeros((4, 2), np.float32)}
    assert acts(HOUSEHOLD, "grab 4", **seen)[1] == "" and acts(HOUSEHOLD, "grab 5", **seen)[1] == NOT_THERE
    legal = np.ones(int(HOUSEHOLD.counts.sum()), np.bool_)
    legal[VERBS.index("grab")] = False
    action, problem = acts(HOUSEHOLD, "grab 3", legal=legal)
    assert problem == NOT_LEGAL and (action["movement"] == HOUSEHOLD.neutral_movement()).all()
    legal[VERBS.index("wait")] = False  # not even waiting is legal
    action, problem = acts(HOUSEHOLD, "rubbish", legal=legal)
    assert problem and legal[action["movement"][0, 0]]


@pytest.mark.parametrize(
    ("spec", "text", "move", "said"),
    [
        (GRID, 'left, say "is this the ball?"', 0, "is this the ball?"),
        (GRID, "say: turn right now", 5, "turn right now"),
        (TALKER, "right, say HELP  please", 1, "Help please"),
        (TALKER, 'right, say "give me the apple"', 2, None),  # a sentence that its grammar lacks
    ],
)
def test_words_that_are_said_are_no_action(spec: ActionSpec, text: str, move: int, said: str | None) -> None:
    action, problem = acts(spec, text)
    assert problem == ("" if said is not None else NO_SENTENCE)
    assert action["movement"][0, 0] == move and action["utterance"] == (said or "")


def test_parts_between_semicolons_share_the_ticks() -> None:
    spec = ActionSpec((Discrete("east", ("-", "0", "+"), 1), Continuous("lift", -1.0, 1.0)), ticks=4)
    action, problem = acts(spec, "east +, lift 0.5; east -")
    assert not problem and action["movement"][:, 0].tolist() == [2, 2, 0, 0]
    assert action["continuous"][:, 0].tolist() == [0.5, 0.5, 0, 0]
    action, problem = acts(spec, "lift 7")
    assert not problem and action["continuous"][0, 0] == 1.0  # cut to the range


def test_observations_and_possible_actions_in_words() -> None:
    spec = player_spec(text=True)
    legal = np.ones(int(HOUSEHOLD.counts.sum()), np.bool_)
    legal[3:16] = False
    seen = {"setter_text": "bring me a plate", "feedback": "", "surroundings": "a\nb", "hands": "empty", "legal": legal}
    lines = observation_words(spec, seen).splitlines()
    assert lines[:5] == ['you hear: "bring me a plate"', "surroundings:", "a", "b", "hands: empty"]
    assert lines[5].startswith("possible for verb: wait, turn_left, turn_right")
    assert observation_words(spec, seen | {"setter_text": ""}).startswith("surroundings")
    assert "Actions: left, right, stay" in action_instructions(TALKER)
    assert "[Where is | Help] + [please | the exit]" in action_instructions(TALKER)
    assert "thing: the number" in action_instructions(HOUSEHOLD)
