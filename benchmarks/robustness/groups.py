"""All groups of trials, in the order of the page."""

from benchmarks.robustness import bad_settings, crash_points, damaged_datasets, damaged_folders, kills, marks_files

GROUPS = (
    kills.GROUP,
    crash_points.GROUP,
    damaged_datasets.GROUP,
    damaged_folders.GROUP,
    marks_files.GROUP,
    bad_settings.NUMBERS,
    bad_settings.NAMES,
)
