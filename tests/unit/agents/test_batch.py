"""Episodes end to end in arrays, and the order in which a stream walks through them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.config import AgentConfig
from agents.tokenizer import EOS_ID, Tokenizer
from rlhf.data.dataset import check_demonstrated
from rlhf.data.memory import encode_episodes
from rlhf.data.windows import EpisodeStream
from rlhf.records.episode import AGENT, CO_PILOT
from tests.unit.agents import made_up_play
from worlds.contract import neutral_movement
from worlds.errors import UserError

LENGTHS = [3, 5, 1, 4, 7]
CONFIG = AgentConfig(image_size=(8, 8), vocab_size=280, setter_text_length=6, solver_text_length=3, utterance_length=4)
RECORDED = made_up_play.recorded(CONFIG, LENGTHS)


def walk(stream: EpisodeStream, windows: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows [steps * windows, batch], by the numbers in their images, and resets."""
    seen = [stream.next() for _ in range(windows)]
    return (
        torch.cat([o.image[:, :, 0, 0, 0] for o, *_ in seen]).numpy().astype(int),
        torch.cat([r for _, _, r, _ in seen]).numpy(),
    )


@pytest.mark.parametrize("steps", [1, 8, 30])
def test_every_column_is_whole_episodes_one_after_another(steps: int) -> None:
    stream = EpisodeStream(RECORDED, steps, batch=3, seed=0)
    rows, resets = walk(stream, windows=240 // steps)
    starts = RECORDED.starts.tolist()
    for column, begins in zip(rows.T, resets.T, strict=True):
        assert (begins == np.isin(column, starts[:-1])).all()
        for before, after in zip(column, column[1:], strict=False):
            assert after == before + 1 or (before + 1 in starts and after in starts[:-1])
        assert (np.diff(column)[~begins[1:]] == 1).all()
    observations, actions, *_ = stream.next()
    rows = observations.image[:, :, 0, 0, 0].numpy().astype(int)
    assert actions.movement.numpy().tolist() == RECORDED.movement[rows].tolist()
    assert actions.utterance.numpy().tolist() == RECORDED.utterance[rows].tolist()
    for name in ("setter_tokens", "previous_movement"):
        assert getattr(observations, name).numpy().tolist() == getattr(RECORDED.observations, name)[rows].tolist()


def test_all_episodes_are_played_before_any_is_played_again_and_columns_begin_anywhere() -> None:
    rows, resets = walk(EpisodeStream(RECORDED, 10, batch=1, seed=3), windows=60)
    begun = rows[:, 0][resets[:, 0]].tolist()
    counts = [begun.count(start) for start in RECORDED.starts[:-1].tolist()]
    assert max(counts) - min(counts) <= 2 and min(counts) > 10
    _, resets = walk(EpisodeStream(RECORDED, 1, batch=40, seed=0), 1)
    assert 0 < resets.sum() < 40


def test_episodes_are_encoded_row_by_row() -> None:
    tokenizer = Tokenizer.train(["go to the duck", "yes"], 280)
    episodes = [
        made_up_play.episode("a", ["", "go to the duck", "go to the duck"], ["", "yes", ""], seed=0),
        made_up_play.episode("b", ["go to the duck"] * 2, ["", ""], seed=1),
    ]
    encoded = encode_episodes(episodes, tokenizer, CONFIG)
    assert len(encoded) == 2 and encoded.lengths.tolist() == [3, 2] and encoded.starts.tolist() == [0, 3, 5]
    assert encoded.first.tolist() == [True, False, False, True, False]
    assert (encoded.observations.image == np.concatenate([e.image for e in episodes])).all()
    assert (encoded.observations.previous_movement[[0, 3]] == neutral_movement()).all()
    assert (encoded.observations.previous_movement[[1, 2, 4]] == encoded.movement[[0, 1, 3]]).all()
    yes = tokenizer.ids("yes")
    assert encoded.utterance.tolist() == [[0] * 4, [*yes, EOS_ID, 0, 0], [0] * 4, [0] * 4, [0] * 4]
    heard = encoded.observations
    assert heard.solver_tokens[2].tolist() == [*yes, 0, 0] and not heard.solver_tokens[:2].any()
    assert not heard.setter_tokens[0].any() and heard.setter_tokens[1:].any(axis=1).all()


def test_an_agents_own_steps_are_seen_but_not_demonstrated() -> None:
    tokenizer = Tokenizer.train(["yes"], 280)
    person, own = (made_up_play.episode(name, ["yes"] * 3, [""] * 3, seed=3) for name in "ab")
    own = replace(own, solver="agent:bc")
    helped = replace(own, episode_id="c", controller=np.array([AGENT, CO_PILOT, AGENT], np.uint8))
    encoded = encode_episodes([person, own, helped], tokenizer, CONFIG)
    assert encoded.demonstrated.tolist() == [True] * 3 + [False] * 3 + [False, True, False]
    window = EpisodeStream(encoded, steps=9, batch=2, seed=0).next()
    assert window.demonstrated is not None and window.demonstrated.shape == (9, 2)
    whole = encoded.window(np.arange(9)[:, None])
    assert whole.demonstrated is not None and whole.demonstrated[:, 0].tolist() == encoded.demonstrated.tolist()
    assert (whole.observations.previous_movement[[4, 7], 0].numpy() == own.movement[:1]).all()  # seen all the same
    named = replace(person, solver="agentina")
    assert named.demonstrated().all()  # only agents' names begin so: "agent" and "agent:"
    check_demonstrated(encoded)
    with pytest.raises(UserError, match="none of the 1 episodes has a step to imitate"):
        check_demonstrated(encode_episodes([own], tokenizer, CONFIG))


def test_play_that_cannot_be_encoded_is_refused() -> None:
    tokenizer = Tokenizer.train(["yes"], 280)
    with pytest.raises(UserError, match="no episodes"):
        encode_episodes([], tokenizer, CONFIG)
    big = made_up_play.episode("big", ["yes"], [""], size=12)
    with pytest.raises(UserError, match="episode big .*image.height: the agent has 8, the episode 12"):
        encode_episodes([big], tokenizer, CONFIG)
