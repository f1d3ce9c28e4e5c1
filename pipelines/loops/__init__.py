"""Whole loops: the demo, and rounds of improvement."""
