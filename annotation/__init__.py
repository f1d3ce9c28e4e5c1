"""What people say about play: marks, judgements, and the scripted stand-ins that give them."""
