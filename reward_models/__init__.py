"""Reward models learned from marks: utility from pairs of moments, and the reward that is its change."""
