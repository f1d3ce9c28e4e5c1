"""Parameter trees: which social environments there are, how often each is sampled, and under which ids."""
