"""Branches of the parameter tree, one for each environment type, and the full tree (paper, appendix C.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worlds.school.parameters.names import CUE_TYPES, INTRODUCTIONS, JOINT_PROBLEMS, OBSTACLES
from worlds.school.parameters.tree import Parameter, build

OBJECT_PROBLEMS: tuple[str, ...] = ("Boxes", "Switches", "Generators", "Marble")
ROLES: tuple[str, ...] = ("A", "B")
MOVEMENTS: tuple[str, ...] = ("Walking", "Rotating")

Branch = dict[str, Any]
SOCIAL: Branch = {"N": ["2"], "Peer": ["Y"]}  # two objects, of which one is a distractor, and a caretaker
ASOCIAL: Branch = {"N": ["1"], "Peer": ["N"]}
ALONE_WITH_PEER: Branch = {"N": ["1"], "Peer": ["Y"]}


def information_seeking(
    introductions: Sequence[str],
    cues: Sequence[str],
    problems: Mapping[str, Branch],
    *,
    help_: bool = False,
    joint_attention: Sequence[str] = (),
    objects: Sequence[str] = (),
) -> Branch:
    """Return the branch of the environment type InformationSeeking."""
    branch: Branch = {}
    if introductions:
        branch["Pragmatic_frame_complexity"] = list(introductions)
    if cues:
        branch["Scaffolding"] = {"N": {"Cue_type": list(cues)}} | ({"Y": {}} if help_ else {})
    if objects:
        branch["N"] = list(objects)
    branch["Problem"] = dict(problems)
    if joint_attention:
        branch["JA_recursive"] = list(joint_attention)
    return {"Information_seeking": branch}


def collaboration(
    problems: Sequence[str], roles: Sequence[str] = ROLES, versions: Sequence[str] = ("Social",), **more: Sequence[str]
) -> Branch:
    """Return a branch of the environment type Collaboration in which all problems have the same roles and versions."""
    return {"Collaboration": {"Problem": list(problems), "Version": list(versions), "Role": list(roles), **more}}


def collaboration_by_problem(problems: Mapping[str, Branch]) -> Branch:
    """Return a branch of the type Collaboration, e.g. for {"Boxes": {"Role": ["A"], "Version": ["Social"]}}."""
    return {"Collaboration": {"Problem": dict(problems)}}


def adversarial_peer(
    versions: Sequence[str] = ("Asocial", "Social"),
    movements: Sequence[str] = MOVEMENTS,
    obstacles: Sequence[str] = tuple(OBSTACLES),
) -> Branch:
    """Return the branch of the environment type AdversarialPeer, which the code names AppleStealing."""
    opened: Branch = {"Social": {"NPC_movement": list(movements)}, "Asocial": {}}
    by_version = {version: opened[version] for version in versions}
    return {"AppleStealing": {"Version": by_version, "Obstacles": list(obstacles)}}


def tree(*branches: Branch) -> Parameter:
    """Return the tree whose environment types are the given branches."""
    return build({"Env_type": {name: inner for branch in branches for name, inner in branch.items()}})


FULL_INFORMATION_SEEKING = information_seeking(
    INTRODUCTIONS,
    CUE_TYPES,
    dict.fromkeys(("Doors", "Boxes", "Switches", "Generators", "Levers", "Marble"), SOCIAL),
    help_=True,
    objects=("2", "1"),
)
FULL_COLLABORATION = collaboration_by_problem(
    {
        problem: {"Role": ROLES, "Version": ("Social", "Asocial") if problem == "MarblePass" else ("Social",)}
        for problem in JOINT_PROBLEMS
    }
)
FULL = tree(FULL_INFORMATION_SEEKING, FULL_COLLABORATION, adversarial_peer())
# Both roles in one episode, which the published code can play and none of its ids names.
BOTH_ROLES = tree(collaboration(JOINT_PROBLEMS, ["Meta"]))
