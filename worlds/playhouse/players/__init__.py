"""The scripted setter and solver, and what their bodies can do."""
