"""Standardised test suite: scenarios, continuations, judgements, results."""
