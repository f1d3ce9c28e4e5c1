"""Environments of others as worlds of this project."""
