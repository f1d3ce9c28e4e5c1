"""Which recorded episodes a stage uses, and the run's note of them."""
