"""Goals inferred from demonstrations, and helpers, after "Watch-And-Help" (Puig et al., 2021)."""

from experiments.engine.declaration import Experiment

EXPERIMENTS = (
    Experiment("watch-and-help", "experiments.watch_and_help.experiment:plan", "own", frozenset({"parts", "docs"})),
)
