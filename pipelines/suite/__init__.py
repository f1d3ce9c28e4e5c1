"""The standardised test suite: scenarios, continuations, judgements, results."""
