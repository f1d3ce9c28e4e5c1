"""All groups of trials, in the order of the page."""

from benchmarks.robustness import crash_points, damaged_datasets, damaged_folders, marks_files

GROUPS = (crash_points.GROUP, damaged_datasets.GROUP, damaged_folders.GROUP, marks_files.GROUP)
