"""Open datasets with tensorflow_datasets; print the steps of each by split.

Words: the folders of the datasets.
"""

import json
import sys

import tensorflow_datasets as tfds
from plain import plain


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
