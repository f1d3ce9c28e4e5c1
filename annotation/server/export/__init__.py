"""Submitted marks and judgements, written into the datasets."""
