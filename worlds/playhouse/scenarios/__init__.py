"""Scenarios: the paper's appendix B in houses where its words make sense, with checks of success."""
