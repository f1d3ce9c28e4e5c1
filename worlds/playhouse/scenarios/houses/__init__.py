"""Houses of scenarios: furnished ones that hold what a request speaks of, where it speaks of it."""
