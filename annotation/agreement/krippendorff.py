"""Krippendorff's alpha for nominal labels (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability")."""

from __future__ import annotations

import numpy as np


def coincidence_matrix(counts: np.ndarray) -> np.ndarray:
    """Return the coincidences of labels within units.

    Entry (c, k) sums over the units: pairs of different raters of whom one gives label c and the other label k, divided
    by the number of the unit's raters less one. Matrices of different units add up.

    Returns:
      float64 [labels, labels].
    """
    counts = np.asarray(counts, np.float64)
    raters = counts.sum(axis=1)
    counts, raters = counts[raters >= 2], raters[raters >= 2]
    weighted = counts / (raters - 1)[:, None]
    return weighted.T @ counts - np.diag(weighted.sum(axis=0))


def alpha(matrices: np.ndarray) -> np.ndarray:
    """Return alpha = 1 - observed / expected disagreement: 1 is agreement, 0 is chance.

    Returns:
      float64 [...]; nan where only one label occurs.
    """
    matrices = np.asarray(matrices, np.float64)
    by_label = matrices.sum(axis=-1)
    given = by_label.sum(axis=-1)
    same = np.trace(matrices, axis1=-2, axis2=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = 1 - same / given
        expected = 1 - (by_label * (by_label - 1)).sum(axis=-1) / (given * (given - 1))
        return np.where(expected > 1e-12, 1 - observed / expected, np.nan)


def krippendorff_alpha(labels: np.ndarray) -> float:
    """Return alpha of a table of labels.

    Returns:
      alpha; nan if no unit has two labels or only one value occurs.

    Raises ValueError if ``labels`` is not two-dimensional.
    """
    labels = np.asarray(labels, dtype=np.float64)
    if labels.ndim != 2:
        raise ValueError(f"labels have the shape [raters, units], not {labels.shape}")
    values = np.unique(labels[~np.isnan(labels)])
    counts = (labels[:, :, None] == values).sum(axis=0)
    return float(alpha(coincidence_matrix(counts))) if counts.size else float("nan")
