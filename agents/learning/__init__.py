"""Learning from recorded play: losses of imitation, the optimiser's step, workers that share a batch, memory needed."""
