"""Preferences besides marks as training examples, and their losses."""
