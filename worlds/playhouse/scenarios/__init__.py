"""Scenarios: requests of the paper's appendix B in houses where their words make sense, with checks of their success."""
