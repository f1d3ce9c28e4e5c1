"""Trying a world: `rlhf world check`, and the checks that every recording makes."""
