"""Open a dataset with LeRobot, use it as its training does, and print what LeRobot finds in it.

Words: the dataset's folder.
"""

import json
import sys
from pathlib import Path

import torch
from lerobot.datasets import LeRobotDataset
from lerobot.datasets.dataset_tools import delete_episodes
from lerobot.datasets.language_render import emitted_at
from lerobot.rewards.sarm.rabc import RABCWeights
from lerobot.utils.feature_utils import dataset_to_policy_features

root = Path(sys.argv[1])
dataset = LeRobotDataset("local/export", root=root)
meta = dataset.meta
frames = []
for number in range(len(dataset)):
    item, frame = dataset[number], {}
    for name, value in item.items():
        if name.startswith("observation.images"):
            value = (value * 255).round().to(torch.uint8).permute(1, 2, 0)
        frame[name] = value.tolist() if isinstance(value, torch.Tensor) else value
    frames.append(frame)

# Frames of the future, as policies with chunks of actions ask for them.
names = [name for name in meta.features if name == "action" or name in meta.camera_keys]
ahead = LeRobotDataset("local/export", root=root, delta_timestamps={name: [0.0, 1 / meta.fps] for name in names})
last = meta.episodes[0]["length"] - 1
for name in names:
    assert torch.equal(ahead[0][name][1], dataset[1][name]), name
    assert ahead[last][f"{name}_is_pad"].tolist() == [False, True]
    assert name in meta.stats and meta.stats[name]["mean"].shape == meta.stats[name]["q99"].shape

# What was said at a frame, as recipes of messages look it up.
spoken = []
for frame in frames:
    rows = {"persistent": [], "events": frame.get("language_events") or []}
    asked = emitted_at(frame["timestamp"], **rows, style="interjection")
    said = emitted_at(frame["timestamp"], **rows, role="assistant", tool_name="say")
    said = said and said["tool_calls"][0]["function"]["arguments"]["text"]
    spoken.append([asked and asked["content"], said])

weights = None
if (root / "sarm_progress.parquet").exists():
    weigher = RABCWeights(root / "sarm_progress.parquet", chunk_size=5, device=torch.device("cpu"))
    weights = weigher.compute_batch_weights({"index": torch.arange(len(dataset))})[0].tolist()

# Its tools rewrite datasets: what they need besides the frames is there.
fewer = delete_episodes(dataset, [0], output_dir=root.parent / "fewer", repo_id="local/fewer")
assert fewer.num_frames == len(dataset) - last - 1 and torch.equal(fewer[0]["index"], torch.tensor(0))

found = {"fps": meta.fps, "learned": sorted(dataset_to_policy_features(meta.features))}
found |= {"lengths": [episode["length"] for episode in meta.episodes]}
print(json.dumps(found | {"frames": frames, "spoken": spoken, "weights": weights}))
