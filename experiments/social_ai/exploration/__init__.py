"""Exploration bonuses: rewards for what has not been observed before, and a Gymnasium wrapper that adds them."""
