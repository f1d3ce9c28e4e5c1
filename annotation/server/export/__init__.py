"""Export of submitted work of raters into the datasets."""
