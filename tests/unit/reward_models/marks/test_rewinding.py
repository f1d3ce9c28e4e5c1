"""Progress played backwards: what is seen and heard at each step, and the marks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from reward_models.marks.augmentation import Augmentation
from reward_models.marks.dialogue import Dialogue
from reward_models.marks.marked_play import MarkedPlay, MarkedStream, mark_play
from reward_models.marks.pairs import MINUS, PLUS, pair_signs
from reward_models.marks.rewinding import Rewindable, rewind, rewindable


def marks_at(steps: int, plus: tuple[int, ...] = (), minus: tuple[int, ...] = ()) -> np.ndarray:
    marks = np.zeros((steps, 1, 2), dtype=np.uint8)
    marks[list(plus), 0, PLUS] = 1
    marks[list(minus), 0, MINUS] = 1
    return marks


def test_an_episode_goes_forth_and_back_and_forth_again() -> None:
    """Written out by hand: stretch 2 to 5, a mark at most one step late."""
    found = rewind(marks_at(12, plus=(5, 7), minus=(1,)), Rewindable(2, 5), delay=1)
    assert found.frames.tolist() == [0, 1, 2, 3, 4, 5, 4, 3, 2, 3, 4, 5]
    assert found.words.tolist() == [0, 1, 2, 3, 4, 5, 5, 5, 5, 3, 4, 5]
    assert np.flatnonzero(found.backwards).tolist() == [6, 7, 8]
    # The (+) may be about what was first seen at 4, so it is undone when 3 is seen again, at step 7.
    assert np.flatnonzero(found.marks[:, 0, MINUS]).tolist() == [1, 7]
    assert np.flatnonzero(found.marks[:, 0, PLUS]).tolist() == [5, 11]
    assert np.flatnonzero(found.unclear).tolist() == [6, 8]


def test_marks_order_every_pair_of_a_rewound_episode_as_the_shown_progress_does() -> None:
    """Brute force: give every frame its true progress, and look at all pairs that the marks compare."""
    for delay in range(3):
        event, mark = 6, 6 + delay  # done at 6, marked late
        found = rewind(marks_at(20, plus=(mark,)), Rewindable(1, mark), delay)
        progress = (found.frames >= event).astype(int)
        signs = pair_signs(torch.from_numpy(found.marks)[:, None], torch.zeros(20, 1, dtype=torch.long))[:, :, 0, 0]
        pairs = signs.nonzero().tolist()
        assert {int(signs[a, b]) for a, b in pairs} == {1, -1}
        late = (found.frames >= event) & (found.frames < mark) & ~found.backwards  # marks are late here as elsewhere
        for earlier, later in pairs:
            before, after = (earlier, later) if signs[earlier, later] > 0 else (later, earlier)
            assert progress[after] == 1 and (progress[before] == 0 or late[before])


def test_only_clean_stretches_without_words_are_rewound(make_play, tokenizer, tiny) -> None:
    """Asked at 1 and 12; the solver answers at 6, which is heard at 7."""
    words = ["", *["which is it"] * 11, *["is it on"] * 12]
    play = mark_play([make_play("a", words, utterance=["", *[""] * 5, "red", *[""] * 17])], [], tokenizer, tiny)
    dialogue, rows = Dialogue.of(play.episodes), slice(0, 24)

    def found(reach: int = 2, delay: int = 0, **marks: tuple[int, ...]) -> list[tuple[int, int]]:
        return [tuple(one) for one in rewindable(dialogue, rows, marks_at(24, **marks), reach, delay)]

    assert found(plus=(4,)) == [(1, 4)]  # since the request
    assert found(plus=(8,)) == []  # about an answer, or after one
    assert found(plus=(16,), minus=(14,)) == [(14, 16)]  # since the last mark
    assert found(plus=(16,), minus=(16,)) == []
    assert found(plus=(16, 19)) == [(12, 16), (16, 19)]
    assert found(plus=(1,)) == []  # nothing came before
    assert found(plus=(23,)) == []  # nothing can follow
    assert found(plus=(14,), delay=2) == []  # no step is surely before it
    assert found(plus=(13,), delay=0) == [(12, 13)]


def test_a_stream_shows_rewound_frames_under_the_words_of_the_turn(lamp_play) -> None:
    play: MarkedPlay = lamp_play(range(12))
    moving = replace(play.episodes, previous_movement=play.episodes.previous_movement.copy())
    moving.previous_movement[:] = np.arange(len(play.marks))[:, None, None] % 7
    play = replace(play, episodes=moving)
    stream = MarkedStream(play, steps=6, batch=3, seed=0, augmentation=Augmentation(0.0, rewind=1.0))
    windows = [stream.next_marked() for _ in range(40)]
    image = torch.cat([w.observations.image for w in windows]).numpy()
    moved = torch.cat([w.observations.previous_movement for w in windows])[..., 0, 0].numpy()
    resets = torch.cat([w.resets for w in windows])
    marks, imitate = torch.cat([w.marks for w in windows]), torch.cat([w.imitate for w in windows])
    first = {play.episodes.image[play.rows(e)][0].tobytes(): e for e in range(len(play))}
    rewound = 0
    for column in range(3):
        begins = resets[:, column].nonzero().flatten().tolist()
        for begin, end in zip(begins[:-1], begins[1:], strict=True):
            episode = first[image[begin, column].tobytes()]
            rows, own = play.rows(episode), play.marks_of(episode)
            if np.array_equal(image[begin:end, column], play.episodes.image[rows]):
                continue
            mark = int(np.flatnonzero(own[:, 0, PLUS])[0])
            expected = rewind(own, Rewindable(1, mark), delay=1)
            assert np.array_equal(image[begin:end, column], play.episodes.image[rows][expected.frames])
            assert np.array_equal(marks[begin:end, column].numpy(), expected.marks)
            there = np.where(expected.backwards, rows.start, rows.start + expected.frames) % 7
            assert np.array_equal(moved[begin:end, column], there)
            assert not imitate[begin:end, column].any()
            rewound += 1
    assert rewound > 5
