"""Running of stages: checks of memory and duration, and stages that are resumed."""
