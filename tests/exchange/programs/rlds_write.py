"""Write a dataset of a robot with tensorflow_datasets; print its steps by split.

Words: the folder of all datasets.
"""

import json
import sys

import numpy as np
import tensorflow_datasets as tfds
from plain import plain

F = tfds.features
STEP = {
    "observation": F.FeaturesDict(
        {
            "image": F.Image(shape=(16, 20, 3), encoding_format="jpeg"),
            "wrist": F.Image(shape=(8, 8, 3)),
            "state": F.Tensor(shape=(4,), dtype=np.float32),
            "cells": F.Tensor(shape=(2, 3), dtype=np.int32),
            "touch": np.bool_,
        }
    ),
    "action": F.FeaturesDict(
        {
            "arm": F.Tensor(shape=(2,), dtype=np.float32),
            "grip": np.int32,
            "stop": np.bool_,
            "mode": F.ClassLabel(num_classes=3),
        }
    ),
    "reward": F.Scalar(dtype=np.float32),
    "discount": np.float32,
    "is_first": np.bool_,
    "is_last": np.bool_,
    "is_terminal": np.bool_,
    "language_instruction": F.Text(),
    "language_embedding": F.Tensor(shape=(8,), dtype=np.float32),
}


def steps(number):
    rng = np.random.default_rng(number)
    count = 5 + number
    return [
        {
            "observation": {
                "image": np.full((16, 20, 3), 30 * step % 256, np.uint8),
                "wrist": rng.integers(0, 256, (8, 8, 3)).astype(np.uint8),
                "state": rng.normal(size=4).astype(np.float32),
                "cells": rng.integers(0, 5, (2, 3)).astype(np.int32),
                "touch": bool(step % 2),
            },
            "action": {
                "arm": rng.normal(size=2).astype(np.float32),
                "grip": step % 3 - 1,
                "stop": step == count - 2,
                "mode": step % 3,
            },
            "reward": float(step == count - 2),
            "discount": 1.0,
            "is_first": step == 0,
            "is_last": step == count - 1,
            "is_terminal": step == count - 1,
            "language_instruction": f"pick up can {number}",
            "language_embedding": np.zeros(8, np.float32),
        }
        for step in range(count)
    ]


class Robot(tfds.core.GeneratorBasedBuilder):
    """A robot that picks up cans."""

    VERSION = tfds.core.Version("1.0.0")

    def _info(self):
        features = F.FeaturesDict(
            {"steps": F.Dataset(STEP), "episode_metadata": F.FeaturesDict({"file_path": F.Text()})}
        )
        return tfds.core.DatasetInfo(builder=self, features=features)

    def _split_generators(self, manager):
        return {"train": self._generate_examples(range(3)), "val": self._generate_examples(range(3, 4))}

    def _generate_examples(self, numbers):
        for number in numbers:
            yield number, {"steps": steps(number), "episode_metadata": {"file_path": "/data"}}


Robot(data_dir=sys.argv[1]).download_and_prepare()
print(json.dumps([[plain(step) for step in steps(number)] for number in range(4)]))
