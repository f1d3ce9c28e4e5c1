"""The spaces that a world declares: what a player observes, and what it can do."""
