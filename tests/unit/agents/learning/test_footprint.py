"""The estimate of memory agrees with measured memory."""

from __future__ import annotations

import subprocess
import sys

from agents.learning.footprint import UNCERTAINTY
from tests.patience import PATIENCE_SEC

MEASURE = """
import resource, sys, torch
from agents.agent import InteractiveAgent
from agents.batch import ActionBatch, ObservationBatch, RecordedWindow
from agents.computing_config import ComputingConfig
from agents.config import AgentConfig
from agents.learning.optimization import optimizer_step
from agents.learning.footprint import learning_bytes
from rlhf.learning.cloner import imitation_terms
from worlds.contract import neutral_movement

def peak():
    try:  # that of getrusage is inherited from the process that started this one
        lines = open("/proc/self/status").read().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("VmHWM:")).split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

torch.set_num_threads(1)
config, computing = AgentConfig.preset("nano"), ComputingConfig()
agent = InteractiveAgent(config)
optimizer = torch.optim.Adam(agent.parameters(), fused=True)
before = peak()
for steps, batch in ((20, 16), (50, 32)):  # the larger one last: a peak never falls
    shape = steps, batch
    movement = torch.as_tensor(neutral_movement()).expand(*shape, -1, -1).contiguous()
    lengths = config.setter_text_length, config.solver_text_length
    words = [torch.randint(3, config.vocab_size, (*shape, length)) for length in lengths]
    seen = ObservationBatch(torch.randint(0, 255, (*shape, *config.image_size, 3), dtype=torch.uint8), *words, movement)
    done = ActionBatch(movement, torch.zeros((*shape, config.utterance_length), dtype=torch.long))
    window = RecordedWindow(seen, done, torch.zeros(shape, dtype=torch.bool), None)
    for update in range(2):
        terms, _ = imitation_terms(agent, window, agent.initial_state(batch), computing)
        optimizer_step(optimizer, agent.parameters(), {name: (1.0, term) for name, term in terms.items()}, 10.0, update)
    print((peak() - before) / learning_bytes(config, steps, batch, agent.num_parameters(), computing))
"""


def test_measured_memory_lies_within_the_stated_factor() -> None:
    command = [sys.executable, "-c", MEASURE]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_SEC)
    ratios = [float(line) for line in done.stdout.splitlines()]
    assert len(ratios) == 2 and all(1 / UNCERTAINTY < ratio < UNCERTAINTY for ratio in ratios), ratios
