"""Utilities and rewards of play by trained reward models."""
