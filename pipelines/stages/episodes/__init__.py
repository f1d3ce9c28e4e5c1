"""Choice of the recorded episodes of a stage, and its record in the run's folder."""
