"""Phrasings: small grammars, said in all their variants and read back; slips of typing."""

from __future__ import annotations

import numpy as np
import pytest

from worlds.playhouse.requests.phrasing import Phrasing, as_typed, variants

PUT = Phrasing("(put|place) {x} [right] next to {y}", "take {x} and put it next to {y}")


def test_a_pattern_stands_for_all_its_texts() -> None:
    assert variants("(a|b [c]) d[ e]") == ("a d e", "a d", "b c d e", "b c d", "b d e", "b d")
    assert variants("what [(is|was)] it?") == ("what is it?", "what was it?", "what it?")
    with pytest.raises(ValueError, match="never opened"):
        variants("a) b")


def test_every_text_is_read_back_in_any_frame() -> None:
    rng = np.random.default_rng(0)
    said = {PUT.say(rng, x="the ball", y="the red bed") for _ in range(300)}
    assert len(said) > 30
    for text in said:
        assert {"x": ["the", "ball"], "y": ["the", "red", "bed"]} in list(PUT.readings(text)), text


def test_fixed_words_may_lack_articles_and_be_misspelled() -> None:
    colour = Phrasing("what is the color of {x}?", question=True)
    typed = (
        "what is color of rack",
        "Waht is the colour of the rack??",
        "whats the color of rack",
        "what is the  color ?",
    )
    for text in (*typed[:3], typed[3].replace("?", "of rack .")):
        assert any(slots["x"][-1] == "rack" for slots in colour.readings(text)), text
    assert not list(colour.readings("what is the size of the rack"))


def test_slips_keep_the_meaning_that_is_asked_for() -> None:
    rng, text = np.random.default_rng(0), "put the red cushion next to the wardrobe"

    def same(typed: str) -> bool:
        return any(slots["y"][-1] == "wardrobe" for slots in PUT.readings(typed))

    typed = {as_typed(text, rng, same, slips=2) for _ in range(60)}
    assert len(typed) > 25 and all(map(same, typed))
    assert as_typed(text, rng, lambda _: False) == text
