"""Agents cloned from people's games of Overcooked-AI (Carroll et al., 2019)."""

from experiments.engine.declaration import Experiment

EXPERIMENTS = (
    Experiment(
        "overcooked", "experiments.overcooked.experiment:plan", "own", frozenset({"source"}),
        "is learned from published files",
    ),
)  # fmt: skip
