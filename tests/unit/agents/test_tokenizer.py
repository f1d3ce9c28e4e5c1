"""Text to tokens and back: nothing is unknown, everything fits its length."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.tokenizer import BOS_ID, CUT_ID, EOS_ID, PAD_ID, Tokenizer

TEXTS = ["lift the red ball", "put the blue duck next to the green mug", "what color is the duck?", "yes", "red"]
TOKENIZER = Tokenizer.train(TEXTS, 320)


IDS = TOKENIZER.ids("lift the red ball")


@pytest.mark.parametrize(
    ("text", "length", "how", "expected"),
    [
        pytest.param("", 4, {}, [PAD_ID] * 4, id="the empty text is silence"),
        pytest.param("", 4, {"end": True}, [PAD_ID] * 4, id="and silence has no end"),
        pytest.param("lift the red ball", len(IDS) + 2, {}, [*IDS, PAD_ID, PAD_ID], id="a short text is padded"),
        pytest.param("lift the red ball", len(IDS) + 2, {"end": True}, [*IDS, EOS_ID, PAD_ID], id="and ended"),
        pytest.param("lift the red ball", len(IDS) + 1, {"end": True}, [*IDS, EOS_ID], id="it just fits with its end"),
        pytest.param("lift the red ball", len(IDS), {"end": True}, [*IDS[:-1], PAD_ID], id="cut, it does not end"),
        pytest.param("ball " * 2000, 2, {}, TOKENIZER.ids("ball ball"), id="a long text loses its tail"),
        pytest.param("lift the red ball", len(IDS) - 1, {"mark_cuts": True}, [*IDS[:-2], CUT_ID], id="a cut is marked"),
        pytest.param("lift the red ball", len(IDS), {"mark_cuts": True}, IDS, id="what fits exactly is not"),
        pytest.param("lift the red ball", 1, {"mark_cuts": True}, [CUT_ID], id="nothing but a cut"),
        pytest.param(
            *("lift the red ball", len(IDS), {"end": True, "mark_cuts": True}, [*IDS[:-1], PAD_ID]),
            id="what is to be learned is not marked",
        ),
    ],
)
def test_texts_are_cut_ended_and_padded(text: str, length: int, how: dict[str, bool], expected: list[int]) -> None:
    encoded = TOKENIZER.encode([text, "yes"], length, **how)
    assert encoded[0].tolist() == expected and encoded.shape == (2, length) and str(encoded.dtype) == "int64"


@given(st.text(alphabet="abc xyz AÉ 019?!äéß球🦆<eos>\t", max_size=40))
def test_any_text_comes_back_in_lower_case(text: str) -> None:
    (row,) = TOKENIZER.encode([text], 400, end=True).tolist()
    assert TOKENIZER.decode(row) == text.lower().strip()


@pytest.mark.parametrize(("word", "part"), [("duckling", "duck"), ("greeen", "gre"), ("ballz", "ball")])
def test_unknown_words_keep_the_pieces_that_are_known(word: str, part: str) -> None:
    assert not TOKENIZER.knows(word) and TOKENIZER.knows("ball") and len(TOKENIZER.ids("red")) == 1
    pieces = [TOKENIZER.decode([token]) for token in TOKENIZER.ids(word)]
    assert "".join(pieces) == word and pieces[0].startswith(part[:2])
    assert len(pieces) < len(word) and len(TOKENIZER.ids("xqjz")) > 1


def test_decoding_stops_at_the_end_and_leaves_special_tokens_out() -> None:
    yes, red = TOKENIZER.ids("yes"), TOKENIZER.ids("red")
    assert TOKENIZER.decode([BOS_ID, *yes, PAD_ID, *red, EOS_ID, *red, *red]) == "yes red"
    assert TOKENIZER.decode([EOS_ID, *yes]) == ""


def test_the_same_texts_give_the_same_tokenizer_also_from_its_folder(tmp_path: Path) -> None:
    TOKENIZER.save(tmp_path / "agent")
    for other in (Tokenizer.load(tmp_path / "agent"), Tokenizer.train([*reversed(TEXTS), *TEXTS], 320)):
        assert other.vocab_size == TOKENIZER.vocab_size <= 320
        assert [other.ids(text) for text in [*TEXTS, "球 xqjz"]] == [
            TOKENIZER.ids(text) for text in [*TEXTS, "球 xqjz"]
        ]
