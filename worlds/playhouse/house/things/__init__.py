"""Kinds of loose thing, a file for each family; each has a tuple ``KINDS``."""
