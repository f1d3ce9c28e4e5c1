"""Peers: a body that acts in a room, and the scripts that decide what it does and says."""
