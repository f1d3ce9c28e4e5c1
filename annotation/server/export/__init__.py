"""Export of submitted marks, judgements, comparisons of clips and inferred goals into the datasets."""
