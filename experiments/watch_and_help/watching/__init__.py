"""The watch stage: Alice is seen once, and a model infers her goal."""
