"""Scripted players: a setter that leaves the peer to its script or acts it out, a solver that understands cues."""
