"""Studies: several agents and seeds, compared on the same episodes."""
