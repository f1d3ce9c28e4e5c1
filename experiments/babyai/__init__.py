"""Success by the number of demonstrations, and BC+RL, after "BabyAI" (Chevalier-Boisvert et al., 2019)."""

from experiments.engine.declaration import Experiment

EXPERIMENTS = (Experiment("babyai", "experiments.babyai.experiment:parts", "parts"),)
