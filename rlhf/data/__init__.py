"""Recorded play as training data: in memory or streamed, mixed, in windows."""
