"""The room: what can stand in it, how that is encoded, what is seen of it, and ways through it."""
