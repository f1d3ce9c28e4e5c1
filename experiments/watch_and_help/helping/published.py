"""Published figures of the help stage (Watch-And-Help), by helper.

Success and steps are those of the authors' result files of June 2020, over five seeds and apartments of their own; the
paper shows its final ones in a figure only (Figure 5). Their speedups are clipped at 0, and 0 for failures. Figures of
test 2 are the paper's (Section 5.3), whose speedup is not clipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ALL = "all"
_ACTIVITIES = ("setup_table", "put_fridge", "prepare_food", "put_dishwasher", "read_book", ALL)


@dataclass(frozen=True)
class Published:
    """Published figures of one helper, by activity; activities that were not published are missing."""

    success: Mapping[str, float]
    steps: Mapping[str, float]
    speedup: Mapping[str, float]

    def of(self, measure: str, activity: str) -> float | None:
        """Return a figure; None if it was not published.

        Args:
          measure: "success", "steps", "speedup" or "reward", which follows from success and steps.
        """
        if measure == "reward":
            success, steps = self.success.get(activity), self.steps.get(activity)
            return None if success is None or steps is None else success - steps / 250
        return getattr(self, measure).get(activity)


def _published(
    success: tuple[float, ...], steps: tuple[float, ...] | float, speedup: tuple[float, ...] | float | None
) -> Published:
    def by_activity(values: tuple[float, ...] | float | None) -> dict[str, float]:
        if values is None:
            return {}
        return dict(zip(_ACTIVITIES, values, strict=True)) if isinstance(values, tuple) else {ALL: values}

    return Published(by_activity(success), by_activity(steps), by_activity(speedup))


TEST_1: Mapping[str, Published] = {
    "Alice alone": _published(
        (0.821, 0.910, 0.960, 0.900, 0.910, 0.901), (130.0, 124.3, 115.2, 117.9, 149.8, 127.6), None
    ),
    "Random": _published((0.811, 0.970, 0.970, 0.889, 0.960, 0.922), 123.1, 0.212),
    "HP, random goal": _published(
        (0.880, 0.730, 0.550, 0.644, 0.630, 0.685),
        (103.6, 147.2, 170.8, 149.2, 172.0, 149.3),
        (0.499, 0.324, 0.099, 0.191, 0.148, 0.250),
    ),
    "HP": _published(
        (0.874, 0.960, 0.950, 0.867, 0.900, 0.911),
        (94.1, 79.0, 82.9, 95.6, 144.6, 99.4),
        (0.694, 0.883, 0.593, 0.616, 0.279, 0.612),
    ),
    "HP, true goal": _published(
        (0.925, 1.0, 1.0, 0.944, 0.990, 0.973),
        (81.9, 68.0, 71.4, 81.2, 120.1, 84.4),
        (0.879, 1.037, 0.729, 0.739, 0.442, 0.766),
    ),
    "Hybrid": _published((0.895, 0.950, 0.910, 0.867, 0.850, 0.895), 107.8, 0.538),
    "Hybrid, true goal": _published((0.768, 0.900, 0.910, 0.833, 0.840, 0.852), 116.5, 0.405),
    "HRL": _published((0.800, 0.550, 0.700, 0.678, 0.670, 0.678), 152.3, 0.228),
    "HRL, true goal": _published((0.821, 0.540, 0.820, 0.622, 0.690, 0.699), 148.8, 0.198),
}
TEST_2: Mapping[str, Published] = {
    "Alice alone": Published({ALL: 0.954}, {}, {}),
    "HP": Published({ALL: 0.886}, {}, {ALL: 0.21}),
}
CLIPPED = ("test_1",)  # splits whose published speedups are clipped at 0
PUBLISHED: Mapping[str, Mapping[str, Published]] = {"test_1": TEST_1, "test_2": TEST_2}
