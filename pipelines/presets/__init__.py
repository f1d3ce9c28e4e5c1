"""Presets: every run is a Python function that returns one frozen configuration."""
