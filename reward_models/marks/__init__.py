"""Marks as training examples: marked play, pairs of moments, raters and augmentation."""
