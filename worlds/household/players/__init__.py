"""Planners who act in a household: belief, plans for sub-goals, tree search, helpers, and play of whole tasks."""
