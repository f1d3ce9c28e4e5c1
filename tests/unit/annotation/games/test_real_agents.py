"""An agent from its folder, in a process of its own: it does what it would do anywhere."""

from __future__ import annotations

import numpy as np
import pytest

from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from annotation.games import AgentPlayer
from annotation.games.stand_ins import AgentComputing, load_agent
from annotation.session.states import Kind
from rlhf.store import MemoryStore
from tests.patience import PATIENCE_SEC
from tests.unit.agents import made_up_play
from tests.unit.annotation.games.playing import config, play
from worlds.contract import Observation, body_spec
from worlds.errors import UserError

SIZES = dict(
    vision_channels=(4,), vision_strides=(4,), vision_blocks=(1,), width=8, heads=2, memory_width=8, tick_width=6,
    value_width=8,
)  # fmt: skip


def test_a_real_agent_does_what_it_would_do_anywhere(tmp_path):
    image = (24, 32)
    agent = made_up_play.agent(**(SIZES | {"image_size": image}))
    tokenizer = Tokenizer.train(["yes"], made_up_play.VOCABULARY)
    folder = save_agent(agent, tokenizer, tmp_path / "agent")
    with pytest.raises(UserError, match="image.height: the agent has 24, the game 72"):
        load_agent(str(folder), 0, body_spec(72, 96), AgentComputing())
    store = MemoryStore()
    player = AgentPlayer("made-up", folder, seed=7, spaces=body_spec(*image))
    game = play(
        config(Kind.HUMAN_AGENT, height=24, width=32, steps=12, deadline_sec=PATIENCE_SEC),
        lambda *_: None,
        store,
        player,
    )
    episode = store.read(game.id)
    assert episode.solver == "agent:made-up" and episode.notes["late_steps"] == 0
    alone = load_agent(str(folder), 7, body_spec(*image), AgentComputing())
    alone.act([body_spec(*image).blank()], np.array([True]))
    previous = episode.previous_movement()
    for step in range(len(episode)):
        observation = Observation(
            image=episode.image[step],
            setter_text=episode.setter_text[step],
            solver_text=episode.solver_text[step],
            previous_movement=previous[step],
        )
        action = alone.act([observation], np.array([step == 0]))[0]
        assert np.array_equal(action["movement"], episode.movement[step]), f"differs at {step}"
        assert action["utterance"] == episode.utterance[step]
