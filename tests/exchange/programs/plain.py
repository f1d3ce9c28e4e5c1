"""Values of datasets as JSON has them."""

import numpy as np


def plain(value):
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [text.decode() for text in value]  # texts of Minari's infos
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
