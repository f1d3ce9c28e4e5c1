"""Ways and lines of sight through a house."""
