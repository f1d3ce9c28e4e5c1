"""`rlhf household check`: what a graph of VirtualHome becomes as a home."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rlhf.run.setting_forms import GraphFile
from worlds.household.homes.graphs.reading import home_of_graph, load_graph
from worlds.household.state.home import Home
from worlds.household.state.vocabulary import Property
from worlds.household.tasks.sets import possible_sets
from worlds.settings import settings


@settings
class HouseholdCheckConfig:
    """Settings of `rlhf household check`.

    Args:
      graph: JSON file of the graph.
      drop_unknown_relations: leave edges of relations out that are not known, instead of refusing the graph.
    """

    graph: GraphFile
    drop_unknown_relations: bool = False


def check_home(config: HouseholdCheckConfig) -> None:
    """Read a graph as a home, and print its size, the activities that are possible in it, and what was assumed."""
    home, _, report = home_of_graph(load_graph(config.graph), config.graph.stem, config.drop_unknown_relations)
    print("\n".join(lines(home)))
    if len(report):
        print("\nnot understood, or assumed:")
        print("\n".join(f"  {line}" for line in report.lines()))


def lines(home: Home) -> Iterator[str]:
    """Yield the lines that describe a home."""
    rooms = ", ".join(home.name_of(int(row)) for row in home.rooms)
    yield f"home {home.name}: {len(home)} things of {len(np.unique(home.kind))} classes"
    yield f"  rooms       {rooms}"
    yield f"  activities  {', '.join(possible_sets(home)) or 'none'}"
    yield f"  doors       {len(home.doors)}"
    for noun, wanted in (
        ("to grab", Property.GRABBABLE),
        ("to open", Property.CAN_OPEN),
        ("switches", Property.HAS_SWITCH),
    ):
        yield f"  {noun:<11} {np.count_nonzero(home.properties & wanted)}"
