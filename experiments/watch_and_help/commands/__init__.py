"""Commands of the household."""
