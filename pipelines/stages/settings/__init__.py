"""Settings of play that stages share: the world, the scripted players, and what agents and datasets remember."""
