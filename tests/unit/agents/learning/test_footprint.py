"""The estimate of memory agrees with measured memory."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agents.config import AgentConfig
from agents.learning.footprint import UNCERTAINTY, entity_rows
from tests.patience import PATIENCE_SEC
from worlds.household import player_spec
from worlds.spaces.description import to_json

MEASURE = """
import resource, sys, torch
import numpy as np
from agents.agent import InteractiveAgent
from agents.batch import ActionBatch, ObservationBatch, RecordedWindow
from agents.batch import observation_columns
from agents.computing_config import ComputingConfig
from agents.config import AgentConfig
from agents.learning.config import AdamConfig
from agents.learning.optimization import Optimizer
from agents.learning.footprint import learning_bytes
from rlhf.learning.cloner import imitation_terms
from worlds.contract import neutral_movement
from worlds.household import player_spec
from worlds.spaces.description import to_json

def peak():
    try:  # that of getrusage is inherited from the process that started this one
        lines = open("/proc/self/status").read().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("VmHWM:")).split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

def pictures(steps, batch):
    shape = steps, batch
    movement = torch.as_tensor(neutral_movement()).expand(*shape, -1, -1).contiguous()
    lengths = config.setter_text_length, config.solver_text_length
    words = [torch.randint(3, config.vocab_size, (*shape, length)) for length in lengths]
    seen = ObservationBatch(torch.randint(0, 255, (*shape, *config.image_size, 3), dtype=torch.uint8), *words, movement)
    return seen, ActionBatch(movement, torch.zeros((*shape, config.utterance_length), dtype=torch.long))

def things(steps, batch):
    made = {
        name: torch.zeros(steps, batch, *tail, dtype=torch.from_numpy(np.empty(0, dtype)).dtype)
        for name, (dtype, tail) in observation_columns(config).items()
    }
    made["setter_tokens"] = torch.randint(3, config.vocab_size, made["setter_tokens"].shape)
    made["entity_count"] = torch.full((steps, batch), ENTITIES, dtype=torch.int16)
    made["legal"][:] = True
    movement = torch.zeros(steps, batch, *made["previous_movement"].shape[2:], dtype=torch.int16)
    words = torch.zeros((steps, batch, config.utterance_length), dtype=torch.long)
    return ObservationBatch(image=None, **made), ActionBatch(movement, words)

torch.set_num_threads(1)
ENTITIES, made, shapes = (None, pictures, ((20, 16), (50, 32))) if sys.argv[1] == "pictures" else (
    90, things, ((20, 8), (50, 16))
)
spaces = None if made is pictures else to_json(player_spec())
config, computing = AgentConfig.preset("nano", spaces=spaces), ComputingConfig()
agent = InteractiveAgent(config)
optimizer = Optimizer(agent, AdamConfig())
before = peak()
for steps, batch in shapes:  # the larger one last: a peak never falls
    seen, done = made(steps, batch)
    window = RecordedWindow(seen, done, torch.zeros((steps, batch), dtype=torch.bool), None)
    for update in range(2):
        terms, _ = imitation_terms(agent, window, agent.initial_state(batch), computing)
        optimizer.step({name: (1.0, term) for name, term in terms.items()}, update, 0.0)
    estimate = learning_bytes(config, steps, batch, agent.num_parameters(), computing, entities=ENTITIES)
    print((peak() - before) / estimate)
"""


@pytest.mark.parametrize("seen", ["pictures", "things"])
def test_measured_memory_lies_within_the_stated_factor(seen: str) -> None:
    command = [sys.executable, "-c", MEASURE, seen]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_SEC)
    ratios = [float(line) for line in done.stdout.splitlines()]
    assert len(ratios) == 2 and all(1 / UNCERTAINTY < ratio < UNCERTAINTY for ratio in ratios), ratios


def test_the_estimate_counts_the_entities_that_are_there() -> None:
    config = AgentConfig.preset("nano", spaces=to_json(player_spec()))
    assert entity_rows(config) == 512, "all that the space allows, where nothing is known"
    assert entity_rows(config, 90) == 96, "rows are computed in sixteens"
    assert entity_rows(config, 10_000) == 512
    assert entity_rows(AgentConfig(), 90) == 0, "the Playhouse has none"
