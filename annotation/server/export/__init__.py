"""Export of submitted marks, judgements and comparisons of clips into the datasets."""
