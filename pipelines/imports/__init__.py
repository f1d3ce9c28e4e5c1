"""Recordings that others published, as datasets."""
