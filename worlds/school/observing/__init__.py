"""What is seen of a room, in words."""
