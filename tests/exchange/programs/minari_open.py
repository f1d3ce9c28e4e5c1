"""Open a dataset with Minari, check every value against its space, and print what Minari finds in it.

Words: the dataset's id. MINARI_DATASETS_PATH is the folder that it is in.
"""

import json
import sys

import minari
from gymnasium import spaces
from plain import plain


def row(space, tree, step):
    if isinstance(space, spaces.Dict):
        return {key: row(part, tree[key], step) for key, part in space.spaces.items()}
    return tree[step]


dataset = minari.load_dataset(sys.argv[1])
assert list(minari.list_local_datasets()) == [sys.argv[1]], minari.list_local_datasets()
episodes = []
for episode in dataset.iterate_episodes():
    for name, space, rows in (
        ("observations", dataset.observation_space, len(episode) + 1),
        ("actions", dataset.action_space, len(episode)),
    ):
        for step in range(rows):
            value = row(space, getattr(episode, name), step)
            for key, part in space.spaces.items():
                assert part.contains(value[key]), (name, key, step, value[key], part)
    columns = ("observations", "actions", "infos", "rewards", "terminations", "truncations")
    episodes.append({name: plain(getattr(episode, name)) for name in columns})
assert len(dataset.sample_episodes(1)) == 1
assert dataset.total_steps == sum(len(episode["rewards"]) for episode in episodes)
first, _ = minari.split_dataset(dataset, [1, dataset.total_episodes - 1])
assert len(first) == 1
print(json.dumps(episodes))
