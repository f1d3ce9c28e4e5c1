"""Published results and comparisons over seeds, a folder a source."""
