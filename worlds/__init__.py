"""Worlds: the contract that every world keeps, the registry, and the Playhouse."""
