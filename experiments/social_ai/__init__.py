"""Case studies after "The SocialAI School" (Kovač et al., 2023)."""

from experiments.engine.declaration import Experiment

EXPERIMENTS = (
    Experiment("school", "experiments.social_ai.experiment:plan", "own", frozenset({"parts", "source", "docs"})),
)
