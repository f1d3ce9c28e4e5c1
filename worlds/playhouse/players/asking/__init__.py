"""How the scripted setter asks: what it chooses, what it says besides requests, and where it looks and goes."""
