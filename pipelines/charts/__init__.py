"""Charts of every page and experiment, drawn with matplotlib in one style."""
