"""What marks teach: utility from pairs of moments, and the reward that is its change."""
