"""Speed of the trunk on graphs of many entities: frames a second and core, forward and backward.

python -m benchmarks.entities                      # 400 entities, at nano's width
"""

from __future__ import annotations

import statistics
import time

import torch

from agents.agent import InteractiveAgent
from agents.batch import ObservationBatch
from agents.config import AgentConfig
from benchmarks.timing import options
from worlds.spaces.action import ActionSpec, Discrete, FreeText, Pointer
from worlds.spaces.description import to_json
from worlds.spaces.observation import Category, Entities, ObservationSpec, PlayerSpec

STEPS, COLUMNS = 10, 8
FEATURES = (Category("class", 100), Category("room", 6), Category("state", 16))
PLACE = ("x", "y", "z")


def main() -> None:
    """Measure in processor time of one thread, so that other load does not count."""
    chosen = options(__doc__, entities=(400, "of every frame"), rounds=(10, "how many"))
    torch.set_num_threads(1)
    torch.manual_seed(0)
    verbs = Discrete("verb", ("wait", "walk to", "grab", "put back", "put in", "open", "close", "switch on"))
    body = ActionSpec((verbs, Pointer("object", chosen.entities)), speech=FreeText())
    things = Entities(chosen.entities, FEATURES, PLACE, PLACE)
    spaces = to_json(PlayerSpec(ObservationSpec(entities=things), body))
    agent = InteractiveAgent(AgentConfig.preset("nano", spaces=spaces))
    seen, state, resets = observations(chosen.entities), agent.initial_state(COLUMNS), torch.zeros(STEPS, COLUMNS) > 0

    def forward_and_backward() -> float:
        begin = time.process_time()
        output, _ = agent.trunk(seen, state, resets)
        assert output.entities is not None
        (output.features.sum() + output.entities.sum()).backward()
        return STEPS * COLUMNS / (time.process_time() - begin)

    forward_and_backward()
    speeds = [forward_and_backward() for _ in range(chosen.rounds)]
    print(
        f"{chosen.entities} entities, trunk of nano, forward and backward: {max(speeds):.0f} frames a second and core "
        f"(median {statistics.median(speeds):.0f})"
    )


def observations(entities: int) -> ObservationBatch:
    """Random graphs in which every entity is there: [STEPS, COLUMNS, ...]."""
    shape = (STEPS, COLUMNS)
    categories = [torch.randint(feature.count, (*shape, entities)) for feature in FEATURES]
    return ObservationBatch(
        image=None,
        setter_tokens=torch.randint(3, 256, (*shape, 10)),
        solver_tokens=torch.randint(3, 256, (*shape, 4)),
        previous_movement=torch.zeros(*shape, 1, 2, dtype=torch.int16),
        entity_categories=torch.stack(categories, dim=-1).to(torch.int16),
        entity_values=torch.randn(*shape, entities, len(PLACE)),
        entity_count=torch.full(shape, entities, dtype=torch.int16),
    )


if __name__ == "__main__":
    main()
