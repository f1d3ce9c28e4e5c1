"""Diagnosis of an agent's eyes: which colours and kinds of things it can tell."""
