"""Agents of ours as Alice's helper: cloned from demonstrations, and improved by marks."""
