"""Watch-And-Help in the household: the goal is inferred from a demonstration, then Alice is helped elsewhere."""
