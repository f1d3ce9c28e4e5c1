"""Training of reward models, and their evaluation."""
