"""A run's folder: its configuration, checkpoints, metrics, progress, and the machine it runs on."""
