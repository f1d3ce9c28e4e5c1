"""Upkeep of datasets on disk: recovery after a crash, compaction, verification."""
