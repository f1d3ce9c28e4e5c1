"""Kinds of furniture, a file for each family; each has a tuple ``KINDS``."""
