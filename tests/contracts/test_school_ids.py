"""Contract of worlds in registered environments of the school."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from worlds import registry
from worlds.checks.report import examine
from worlds.school.parameters.ids import ids

SCHOOL = registry.get("school")


@pytest.mark.parametrize("environment", ids()[::8])  # they share their code
def test_environments_keep_the_contract(environment: str) -> None:
    sample = partial(SCHOOL.sample_config, environment=environment)
    world = SCHOOL.make()
    asked = set()
    for seed in range(20):
        world.reset(options={"config": sample(seed)})
        asked |= {probe for probe in SCHOOL.probes if SCHOOL.probe(probe, world, seed, "train") is not None}
    assert asked
    found = list(examine(replace(SCHOOL, sample_config=sample, probes=sorted(asked))))
    assert len(found) > 3 and [each for each in found if each.problems] == []
