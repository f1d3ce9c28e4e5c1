"""All groups of trials, in the order of the page."""

from benchmarks.robustness import crash_points, damaged_datasets

GROUPS = (crash_points.GROUP, damaged_datasets.GROUP)
