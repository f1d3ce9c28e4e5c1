"""The school as Gymnasium environments, under the published ids."""

from __future__ import annotations

import gymnasium

from worlds.school.parameters.ids import ids

_MAKER = "worlds.school.environments.sampled:SampledEnv"  # imported when an environment is made


def register_ids() -> None:
    """Have ``gymnasium.make`` know every id; those that it knows stay as they are."""
    for id_ in ids():
        if id_ not in gymnasium.registry:
            gymnasium.register(id_, entry_point=_MAKER, kwargs={"tree": id_})
