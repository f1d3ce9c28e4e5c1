"""Text to tokens and back: nothing is unknown, everything fits its length."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.tokenizer import BOS_ID, CUT_ID, EOS_ID, PAD_ID, Tokenizer

TEXTS = ["lift the red ball", "put the blue duck next to the green mug", "what color is the duck?", "yes", "red"]
TOKENIZER = Tokenizer.train(TEXTS, 320)


@pytest.mark.parametrize(
    "text",
    [
        "lift the red ball",
        "quetzalcoatl's zyzzyva?",
        "Grüße, été",
        "赤いボール",
        "🦆 and 👩‍👩‍👧",
        "a  b\tc",
        "<eos> <pad>",
    ],
)
def test_any_text_comes_back_in_lower_case(text: str) -> None:
    assert TOKENIZER.decode(TOKENIZER.ids(text)) == text.lower()


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz 0123456789?!äéß球🦆", min_size=0, max_size=40))
def test_round_trip(text: str) -> None:
    (row,) = TOKENIZER.encode([text], 400, end=True).tolist()
    assert TOKENIZER.decode(row) == text.strip()


def test_known_words_are_one_token_and_words_never_heard_are_bytes() -> None:
    assert len(TOKENIZER.ids("red")) == 1
    assert len(TOKENIZER.ids("xqjz")) > 1 and min(TOKENIZER.ids("xqjz")) > EOS_ID


@pytest.mark.parametrize("end", [False, True])
def test_the_empty_text_is_silence(end: bool) -> None:
    assert TOKENIZER.encode(["", "yes"], 4, end)[0].tolist() == [PAD_ID] * 4
    assert TOKENIZER.decode([PAD_ID] * 4) == ""


@pytest.mark.parametrize("length", [1, 2, 7])
def test_a_text_too_long_loses_its_tail(length: int) -> None:
    text = "ball " * 2000  # 10,000 characters
    plain, ended = TOKENIZER.encode([text], length), TOKENIZER.encode([text], length, end=True)
    assert plain.shape == ended.shape == (1, length) and str(plain.dtype) == "int64"
    assert plain[0].tolist() == TOKENIZER.ids(text)[:length]
    assert ended[0].tolist() == [*TOKENIZER.ids(text)[: length - 1], PAD_ID], "it did not end there"


def test_an_observed_text_that_is_cut_says_so() -> None:
    ids = TOKENIZER.ids("lift the red ball")
    assert CUT_ID not in ids
    cut, whole, silent = TOKENIZER.encode(["lift the red ball", "lift the red", ""], len(ids) - 1, mark_cuts=True)
    assert cut.tolist() == [*ids[: len(ids) - 2], CUT_ID]
    assert whole.tolist() == TOKENIZER.ids("lift the red"), "it fits exactly"
    assert silent.tolist() == [PAD_ID] * (len(ids) - 1)
    assert TOKENIZER.encode(["lift the red ball"], 1, mark_cuts=True).tolist() == [[CUT_ID]]


def test_an_utterance_to_be_learned_is_not_marked_where_it_is_cut() -> None:
    ids = TOKENIZER.ids("lift the red ball")
    (row,) = TOKENIZER.encode(["lift the red ball"], len(ids), end=True, mark_cuts=True).tolist()
    assert row == [*ids[:-1], PAD_ID]


@pytest.mark.parametrize(("word", "part"), [("duckling", "duck"), ("greeen", "gre"), ("ballz", "ball")])
def test_rare_words_and_misspellings_keep_the_pieces_that_are_known(word: str, part: str) -> None:
    assert not TOKENIZER.knows(word) and TOKENIZER.knows("ball")
    pieces = [TOKENIZER.decode([token]) for token in TOKENIZER.ids(word)]
    assert "".join(pieces) == word and pieces[0].startswith(part[:2]) and len(pieces) < len(word)


def test_a_text_that_just_fits_with_its_end_is_ended() -> None:
    ids = TOKENIZER.ids("lift the red ball")
    assert TOKENIZER.encode(["lift the red ball"], len(ids) + 1, end=True)[0].tolist() == [*ids, EOS_ID]
    assert TOKENIZER.encode(["lift the red ball"], len(ids), end=True)[0].tolist() == [*ids[:-1], PAD_ID]


def test_a_short_text_is_ended_and_padded() -> None:
    assert TOKENIZER.encode(["yes"], 4, end=True)[0].tolist() == [*TOKENIZER.ids("yes"), EOS_ID, PAD_ID, PAD_ID]
    assert TOKENIZER.encode(["yes"], 4)[0].tolist() == [*TOKENIZER.ids("yes"), PAD_ID, PAD_ID, PAD_ID]


def test_decoding_stops_at_the_end_and_leaves_special_tokens_out() -> None:
    yes, red = TOKENIZER.ids("yes"), TOKENIZER.ids("red")
    assert TOKENIZER.decode([BOS_ID, *yes, PAD_ID, *red, EOS_ID, *red, *red]) == "yes red"
    assert TOKENIZER.decode([EOS_ID, *yes]) == ""


def test_the_order_in_which_texts_were_heard_does_not_matter(tmp_path: Path) -> None:
    other = Tokenizer.train([*reversed(TEXTS), *TEXTS], 320)
    assert [other.ids(text) for text in TEXTS] == [TOKENIZER.ids(text) for text in TEXTS]


def test_it_comes_back_from_its_folder(tmp_path: Path) -> None:
    TOKENIZER.save(tmp_path / "agent")
    loaded = Tokenizer.load(tmp_path / "agent")
    assert loaded.vocab_size == TOKENIZER.vocab_size <= 320
    assert [loaded.ids(text) for text in [*TEXTS, "球 xqjz"]] == [TOKENIZER.ids(text) for text in [*TEXTS, "球 xqjz"]]


def test_a_folder_without_one_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="tokenizer.json is missing"):
        Tokenizer.load(tmp_path)
