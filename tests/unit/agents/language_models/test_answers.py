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


@pytest.mark.parametrize("text", ["", "\n\n", "hmm", "leftover", "42", "{}", "\x00\ud800", "a" * 10_000, "say", ";;;"])
def test_rubbish_does_nothing_and_is_counted(text: str) -> None:
    for spec in (GRID, HOUSEHOLD):
        action, problem = acts(spec, text)
        if text == "42" and spec is HOUSEHOLD:
            assert not problem  # points at a thing and waits
            continue
        assert problem == NO_ACTION
        assert action["utterance"] == "" and (action["movement"] == spec.neutral_movement()).all()


def test_things_are_pointed_at_with_their_name_or_without() -> None:
    grab = [part.bins.index("grab") for part in HOUSEHOLD.discrete[:1] if isinstance(part, Discrete)][0]
    for text in (
        "verb grab, thing 3",
        "grab 3",
        "grab plate (3)",
        "thing: 3, verb: grab",
        "Grab the plate (3), please",
    ):
        action, problem = acts(HOUSEHOLD, text)
        assert not problem and action["movement"][0].tolist() == [grab, 3, 0], text
    action, problem = acts(HOUSEHOLD, "grab 3, left")
    assert not problem and action["movement"][0].tolist() == [grab, 3, 1]


def test_what_is_not_there_or_not_legal_is_not_done() -> None:
    assert acts(HOUSEHOLD, "grab 99999")[1] == NOT_THERE
    seen = {"entity_values": np.zeros((4, 2), np.float32)}
    assert acts(HOUSEHOLD, "grab 4", **seen)[1] == "" and acts(HOUSEHOLD, "grab 5", **seen)[1] == NOT_THERE
    legal = np.ones(int(HOUSEHOLD.counts.sum()), np.bool_)
    verbs = HOUSEHOLD.discrete[0]
    assert isinstance(verbs, Discrete)
    legal[verbs.bins.index("grab")] = False
    action, problem = acts(HOUSEHOLD, "grab 3", legal=legal)
    assert problem == NOT_LEGAL and (action["movement"] == HOUSEHOLD.neutral_movement()).all()
    legal[verbs.neutral] = False  # not even waiting is legal
    action, problem = acts(HOUSEHOLD, "rubbish", legal=legal)
    assert problem and legal[action["movement"][0, 0]]


def test_speech() -> None:
    action, problem = acts(GRID, 'left, say "is this the ball?"')
    assert not problem and action["movement"][0, 0] == 0 and action["utterance"] == "is this the ball?"
    action, problem = acts(GRID, "say: turn right now")
    assert not problem and action["utterance"] == "turn right now" and action["movement"][0, 0] == 5
    action, problem = acts(TALKER, "right, say HELP  please")
    assert not problem and action["utterance"] == "Help please" and action["movement"][0, 0] == 1
    action, problem = acts(TALKER, 'right, say "give me the apple"')
    assert problem == NO_SENTENCE and action["movement"][0, 0] == 2 and action["utterance"] == ""


def test_parts_between_semicolons_share_the_ticks() -> None:
    spec = ActionSpec((Discrete("east", ("-", "0", "+"), 1), Continuous("lift", -1.0, 1.0)), ticks=4)
    action, problem = acts(spec, "east +, lift 0.5; east -")
    assert not problem and action["movement"][:, 0].tolist() == [2, 2, 0, 0]
    assert action["continuous"][:, 0].tolist() == [0.5, 0.5, 0, 0]
    action, problem = acts(spec, "lift 7")
    assert not problem and action["continuous"][0, 0] == 1.0  # cut to the range


def test_observations_in_words() -> None:
    spec = player_spec(text=True)
    legal = np.ones(int(HOUSEHOLD.counts.sum()), np.bool_)
    legal[3:16] = False
    seen = {"setter_text": "bring me a plate", "feedback": "", "surroundings": "a\nb", "hands": "empty", "legal": legal}
    lines = observation_words(spec, seen).splitlines()
    assert lines[:5] == ['you hear: "bring me a plate"', "surroundings:", "a", "b", "hands: empty"]
    assert lines[5].startswith("possible for verb: wait, turn_left, turn_right")
    assert observation_words(spec, seen | {"setter_text": ""}).startswith("surroundings")


def test_instructions_name_every_action() -> None:
    text = action_instructions(TALKER)
    assert "Actions: left, right, stay" in text and "[Where is | Help] + [please | the exit]" in text
    text = action_instructions(HOUSEHOLD)
    assert "verb: wait" in text and "thing: the number" in text and 'say "your words"' in text
