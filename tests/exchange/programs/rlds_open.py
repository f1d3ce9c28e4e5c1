"""Open datasets with tensorflow_datasets; print the steps of each by split.

Words: the folders of the datasets.
"""

import json
import sys

import numpy as np
import tensorflow_datasets as tfds


def plain(value):
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, bytes):
        return value.decode()
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def splits(folder):
    builder = tfds.builder_from_directory(folder)
    found = {}
    for split, info in builder.info.splits.items():
        episodes = []
        for episode in tfds.as_numpy(builder.as_dataset(split=split)):
            episodes.append([plain(step) for step in episode["steps"]])
        assert len(episodes) == info.num_examples
        found[split] = episodes
    return found


print(json.dumps([splits(folder) for folder in sys.argv[1:]]))
