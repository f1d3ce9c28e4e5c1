"""Time of a new house of the Playhouse: sampling it, writing and reading its record with all rules, compiling it.

    python -m benchmarks.house

Times are of one core's work (process time), so that other programs on the machine count little; of each part the
median over seeds, and of the sum also the slowest.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.timing import options
from worlds.playhouse.house.reading import read_house
from worlds.playhouse.house.sampling import HouseSettings, sample_house
from worlds.playhouse.house.settings import PRESETS
from worlds.playhouse.physics.scene import build

HOUSES = 100  # of each preset
PARTS = ("sample", "record", "compile")


def times(settings: HouseSettings) -> Iterator[tuple[float, ...]]:
    """Yield the seconds that each part takes, and the number of geoms, of one house after the other."""
    for seed in range(HOUSES):
        begin = time.process_time()
        house = sample_house(seed, settings)
        sampled = time.process_time()
        house = read_house(json.loads(json.dumps(house.to_json())))
        read = time.process_time()
        scene = build(house)
        built = time.process_time()
        yield sampled - begin, read - sampled, built - read, float(scene.model.ngeom)


def main() -> None:
    """Print a table."""
    options(__doc__)
    print(f"{'preset':8}" + "".join(f"{part:>10}" for part in (*PARTS, "sum", "slowest", "geoms")) + "  ms")
    for name in PRESETS:
        settings = HouseSettings.of(preset=name)
        rows = np.array(list(times(settings)))
        each, sums = 1e3 * np.median(rows[:, :3], axis=0), 1e3 * rows[:, :3].sum(axis=1)
        numbers = (*each, np.median(sums), sums.max())
        print(f"{name:8}" + "".join(f"{number:10.1f}" for number in numbers) + f"{np.median(rows[:, 3]):10.0f}")


if __name__ == "__main__":
    main()
