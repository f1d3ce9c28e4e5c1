"""Places of the school from a seed: parameters of an episode, and the seed of its room."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from worlds.contract import WorldError
from worlds.contract.known_settings import check_seed
from worlds.errors import UserError
from worlds.school.parameters.ids import tree_of
from worlds.school.parameters.tree import Parameter, having, narrow, parameters
from worlds.school.parameters.tree import sample as sample_tree
from worlds.school.problems.problem import Settings
from worlds.school.problems.types import TYPES

WHOLE = "SocialAI-SocialAIParamEnv-v1"  # the id whose tree has everything
_FORMAT = 1


def sample(
    seed: int,
    environment: str = "",
    only: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    size: int = 10,
    n_colors: int = 3,
    hidden_npc: bool = False,
    see_through_walls: bool = False,
    stop_when_lost: bool = False,
) -> dict[str, Any]:
    """Return the configuration of the place of a seed; the same arguments give the same one.

    Args:
      seed: seed of parameters and room.
      environment: id of the reference whose parameter tree is sampled, e.g. "EPointingBoxesTestInformationSeeking".
        By default the whole tree is, with every problem equally often.
      only: values to which parameters are narrowed, by name, e.g. {"Problem": ["Boxes", "Doors"]}. What lacks one of
        these parameters is left out: types of environment without problems, or help, where a type of cue is named. Of
        several such mappings, places follow one after the other.
      size: cells of a side of the largest room, 7 to 100.
      n_colors: colours of objects of InformationSeeking, 2 to 7.
      hidden_npc: the agent does not see the peer, which does nothing.
      see_through_walls: walls hide nothing from the agent.
      stop_when_lost: an episode ends as soon as the apple can no longer be had.

    Raises:
      WorldError: there is no such environment, no such combination in its tree, or a value is out of its range or of a
        wrong type.
    """
    several = only if isinstance(only, Sequence) and only else [only or {}]
    if not isinstance(environment, str) or not all(isinstance(one, Mapping) for one in several):
        raise WorldError(
            f"place of the school: environment is an id and only one mapping or several, not {environment!r}, {only!r}"
        )
    try:
        check_seed(seed)
        allowed = [json.dumps(one, sort_keys=True) for one in several]
        trees = tuple(chain.from_iterable(_trees(environment, one) for one in allowed))
        settings = Settings(
            size,
            n_colors=n_colors,
            hidden_npc=hidden_npc,
            see_through_walls=see_through_walls,
            stop_when_lost=stop_when_lost,
        )
    except (UserError, TypeError, AttributeError) as error:
        raise WorldError(f"place of the school: {error}") from error
    combination = sample_tree(trees[seed % len(trees)], np.random.default_rng([seed, 1]))
    changed = {name: value for name, value in asdict(settings).items() if value != getattr(Settings(), name)}
    return {"school": _FORMAT, "seed": seed, "parameters": combination, "settings": changed}


@lru_cache(maxsize=64)
def _trees(environment: str, only: str) -> tuple[Parameter, ...]:
    """Return the trees from which places are drawn in turn: one, or parts of the whole, one for each problem."""
    tree = tree_of(environment or WHOLE)
    allowed = json.loads(only)
    kinds = [kind for kind in parameters(tree)["Env_type"] if kind in TYPES]
    tree = narrow(having(narrow(tree, {"Env_type": kinds}), allowed), allowed)
    if environment:
        return (tree,)
    parts = [part for kind in kinds for problem in TYPES[kind].kinds if (part := _part(tree, kind, problem))]
    return tuple(parts)


def _part(tree: Parameter, kind: str, problem: str) -> Parameter | None:
    """Return the part of a tree with one problem; None where it has none."""
    try:
        return narrow(tree, {"Env_type": kind} | ({"Problem": problem} if problem else {}))
    except UserError:
        return None


def check_place(config: Mapping[str, Any]) -> None:
    """Refuse what is no configuration of the school."""
    if config.get("school") != _FORMAT:
        raise WorldError(f"the configuration is not one of the school: it has no school: {_FORMAT}")
    missing = next((name for name in ("seed", "parameters", "settings") if name not in config), None)
    if missing is not None:
        raise WorldError(f"the configuration of the school's place has no {missing}")
