"""Where play happens: the contract every world keeps, the registry, and the worlds themselves."""
