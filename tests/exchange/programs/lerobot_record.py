"""Record a dataset with LeRobot, and print the frames that were recorded.

Words: the folder to write, and "image" or "video".
"""

import json
import sys

import numpy as np
from lerobot.datasets import LeRobotDataset

folder, kind = sys.argv[1:]
features = {
    "observation.state": {"dtype": "float32", "shape": (2,), "names": ["shoulder", "elbow"]},
    "action": {"dtype": "float32", "shape": (3,), "names": ["shoulder", "elbow", "grip"]},
    "observation.images.front": {"dtype": kind, "shape": (64, 96, 3), "names": ["height", "width", "channels"]},
    "intervention": {"dtype": "bool", "shape": (1,), "names": None},
}
dataset = LeRobotDataset.create(
    "local/arm", fps=10, features=features, root=folder, robot_type="so101", use_videos=kind == "video"
)
rng, episodes = np.random.default_rng(0), []
for length, task in ((12, "lift the cube"), (9, "put it down")):
    recorded = []
    for step in range(length):
        picture = np.full((64, 96, 3), step * 15, np.uint8)
        frame = {
            "observation.state": rng.normal(size=2).astype(np.float32),
            "action": rng.uniform(-1, 1, 3).astype(np.float32),
            "observation.images.front": picture,
            "intervention": np.array([step > 6]),
        }
        dataset.add_frame(frame | {"task": task})
        recorded.append(
            {name: value.tolist() for name, value in frame.items() if value is not picture} | {"task": task}
        )
    dataset.save_episode()
    episodes.append(recorded)
dataset.finalize()
print(json.dumps(episodes))
