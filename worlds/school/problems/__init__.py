"""Episodes of the three types of environment: what is in the room, what the peer wants, and what counts as success."""
