"""Export of submitted marks and judgements into the datasets."""
