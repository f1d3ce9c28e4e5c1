"""A utility from crowd workers' clip pairs of the Adroit door, measured on people's judgements."""

from experiments.engine.declaration import Experiment

EXPERIMENTS = (
    Experiment(
        "door", "experiments.door.experiment:plan", "own", frozenset({"source"}), "is learned from published files"
    ),
)
