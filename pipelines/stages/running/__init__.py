"""What a run needs to be safe: a check of memory before it starts, and stages that are resumed."""
