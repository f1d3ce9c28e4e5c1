"""Types of environment, by the label of the parameter tree's root."""

from __future__ import annotations

from collections.abc import Mapping

from worlds.errors import UserError
from worlds.school.parameters.names import check_labels, value_of
from worlds.school.problems.adversarial_peer import AdversarialPeer
from worlds.school.problems.collaboration import Collaboration
from worlds.school.problems.information_seeking import InformationSeeking
from worlds.school.problems.object_pairs import ObjectPairs
from worlds.school.problems.problem import Problem, Settings
from worlds.school.problems.shared_generator import LeverDoor, MarblePass, MarblePush

TYPES: Mapping[str, type[Problem]] = {
    "Information_seeking": InformationSeeking,
    "AppleStealing": AdversarialPeer,
    "Collaboration": Collaboration,
}
COLLABORATIONS: Mapping[str, type[Collaboration]] = {
    **dict.fromkeys(("Boxes", "Switches", "Generators", "Marble"), ObjectPairs),
    "MarblePass": MarblePass,
    "MarblePush": MarblePush,
    "LeverDoor": LeverDoor,
}


def make_problem(parameters: Mapping[str, str], settings: Settings, seed: int) -> Problem:
    """Return a new episode.

    Raises:
      UserError: parameters that no environment has, or no place for what they ask for.
    """
    check_labels(parameters)
    kind = parameters.get("Env_type")
    if kind is None or kind not in TYPES:
        raise UserError(f"parameter Env_type is {kind!r}; known: {', '.join(TYPES)}")
    if kind == "Collaboration":
        problem = value_of(parameters, "Problem", tuple(COLLABORATIONS))
        return COLLABORATIONS[problem](parameters, settings, seed)
    return TYPES[kind](parameters, settings, seed)
