"""How experiments run: arms over seeds, tables of their results."""
