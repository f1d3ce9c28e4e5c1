"""Furnished houses: rooms with names, furniture that belongs in them, and things on it, in it and around it."""
