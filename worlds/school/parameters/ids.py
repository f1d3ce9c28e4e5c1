"""The ids under which the published code registers environments, and the parameter tree of each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

from worlds.errors import UserError
from worlds.school.parameters.branches import (
    ALONE_WITH_PEER,
    ASOCIAL,
    FULL,
    FULL_COLLABORATION,
    FULL_INFORMATION_SEEKING,
    OBJECT_PROBLEMS,
    ROLES,
    SOCIAL,
    Branch,
    adversarial_peer,
    collaboration,
    collaboration_by_problem,
    information_seeking,
    tree,
)
from worlds.school.parameters.names import INTRODUCTIONS, JOINT_PROBLEMS, OBSTACLES, PROBLEMS
from worlds.school.parameters.tree import Parameter, narrow

CUE_OF = {"Pointing": "Pointing", "LangFeedback": "Language_Feedback", "LangColor": "Language_Color"}
INTRODUCTION_OF = {"N": "No", "E": "Eye_contact", "A": "Ask", "AE": "Ask_Eye_contact"}
# In the emulation study the problem Doors is only tested.
_TRAINED = ("Boxes", "Switches", "Generators", "Levers", "Marble")
_ALL_SOCIAL = dict.fromkeys(PROBLEMS, SOCIAL)
_HELD_OUT_DOORS = _ALL_SOCIAL | {"Doors": ASOCIAL}


def ids() -> list[str]:
    """Return all ids, in the order of the studies."""
    return list(_trees())


def tree_of(id_: str) -> Parameter:
    """Return the parameter tree of a registered id."""
    found = next((full for full in (id_, f"SocialAI-{id_}ParamEnv-v1") if full in _trees()), None)
    if found is None:
        near = [each for each in _trees() if id_.lower() in each.lower()][:3]
        hint = f"; did you mean {', '.join(near)}?" if near and id_ else f"; {len(_trees())} ids have trees"
        raise UserError(f"the school has no environment {id_!r}{hint}")
    return _trees()[found]


@cache
def _trees() -> dict[str, Parameter]:
    named = {f"{name}ParamEnv-v1": branches for name, branches in _studies()}
    made = {f"SocialAI-{name}": tree(*branches) for name, branches in named.items()}
    whole = {"SocialAI-SocialAIParamEnv-v1": FULL}
    return made | {"SocialAI-DrawingEnv-v1": tree(_information(_HELD_OUT_DOORS))} | whole | _single_environments()


def _studies() -> Iterator[tuple[str, tuple[Branch, ...]]]:
    for parts in (_cues(), _formats(), _emulation(), _adversarial(), _roles(), _language_models()):
        yield from ((name, (branch,)) for name, branch in parts)


def _information(
    problems: dict[str, Branch], introduction: str = "E", cue: str = "Pointing", joint_attention: tuple[str, ...] = ()
) -> Branch:
    return information_seeking(
        [INTRODUCTION_OF[introduction]], [CUE_OF[cue]], problems, joint_attention=joint_attention
    )


def _cues() -> Iterator[tuple[str, Branch]]:
    """Pointing, language and joint attention: training in all problems, tests in one."""
    for (joint, cue), held_out in product(product(("", "JA"), CUE_OF), ("", "HeldoutDoors")):
        # Both variants hold Doors out: the published code does so by default.
        yield (
            f"{joint}E{cue}{held_out}TrainInformationSeeking",
            _information(_HELD_OUT_DOORS, cue=cue, joint_attention=("Y", "N") if joint else ()),
        )
    for joint, cue, problem, asocial in product(("", "JA"), CUE_OF, PROBLEMS, ("", "Asocial")):
        opened: dict[str, Branch] = {problem: ASOCIAL if asocial else SOCIAL}
        yield (
            f"{joint}E{cue}{problem}{asocial}TestInformationSeeking",
            _information(opened, cue=cue, joint_attention=("Y",) if joint else ()),
        )


def _formats() -> Iterator[tuple[str, Branch]]:
    """Formats and scaffolding."""
    for short in INTRODUCTION_OF:
        yield f"{short}LangFeedbackTrainFormatsCS", _information(_ALL_SOCIAL, short, "LangFeedback")
        # The prefix does not matter: all introductions are in the tree, from which curricula choose.
        every = information_seeking(INTRODUCTIONS, ["Language_Feedback"], _ALL_SOCIAL, help_=True)
        yield f"{short}LangFeedbackTrainScaffoldingCS", every
        for problem in PROBLEMS:
            opened: dict[str, Branch] = {problem: SOCIAL}
            yield f"{short}LangFeedback{problem}TestFormatsCS", _information(opened, short, "LangFeedback")


def _emulation() -> Iterator[tuple[str, Branch]]:
    for name, opened in (("Distr", SOCIAL), ("NoDistr", ALONE_WITH_PEER)):
        for doors, problems in (("", _TRAINED), ("Doors", ("Doors",))):
            branch = information_seeking(["Eye_contact"], ["Emulation"], dict.fromkeys(problems, opened))
            yield f"EEmulation{name}{doors}InformationSeeking", branch


def _adversarial() -> Iterator[tuple[str, Branch]]:
    for amount in OBSTACLES:
        yield f"AsocialAppleStealingObst_{amount}", adversarial_peer(["Asocial"], obstacles=[amount])
        yield f"AppleStealingObst_{amount}", adversarial_peer(["Social"], ["Rotating"], [amount])
        yield f"AppleStealingWalkObst_{amount}", adversarial_peer(["Social"], ["Walking"], [amount])


def _roles() -> Iterator[tuple[str, Branch]]:
    """Role reversal."""
    yield "LeverDoorCollaboration", collaboration(["LeverDoor"], Obstacles=["No"])
    yield "MarblePushCollaboration", collaboration(["MarblePush"])
    yield "MarblePassCollaboration", collaboration(["MarblePass"])
    yield "MarblePassACollaboration", collaboration(["MarblePass"], ["A"])
    yield "MarblePassBCollaboration", collaboration(["MarblePass"], ["B"])
    yield "AsocialMarbleCollaboration", collaboration(["MarblePass"], ["B"], ["Asocial"])
    yield "ObjectsCollaboration", collaboration(OBJECT_PROBLEMS)
    for problem in OBJECT_PROBLEMS:
        yield f"Objects{problem}Collaboration", collaboration([problem])
    yield "RoleReversalCollaboration", collaboration(JOINT_PROBLEMS)
    for group, version in (("Experimental", "Social"), ("Control", "Asocial")):
        # The role that is tested afterwards, A of MarblePass, is not trained.
        opened = {problem: {"Role": ROLES, "Version": ["Social"]} for problem in JOINT_PROBLEMS}
        opened["MarblePass"] = {"Role": ["B"], "Version": [version]}
        yield f"RoleReversalGroup{group}Collaboration", collaboration_by_problem(opened)


def _language_models() -> Iterator[tuple[str, Branch]]:
    """Language models, and single environments for trying things out."""
    color = ["Language_Color"]
    yield "AsocialBoxInformationSeeking", information_seeking([], [], {"Boxes": ASOCIAL})
    yield "ColorBoxesLLMCS", information_seeking(["No"], color, {"Boxes": SOCIAL})
    yield "ColorLLMCS", information_seeking(["No"], color, _ALL_SOCIAL | {"Boxes": ASOCIAL})
    yield "AsocialMarbleInformationSeeking", information_seeking(["No"], color, {"Marble": ASOCIAL})
    every = ["Language_Color", "Language_Feedback", "Pointing"]
    asocial = information_seeking(["Eye_contact"], every, dict.fromkeys(PROBLEMS, ASOCIAL))
    yield "EAsocialInformationSeeking", asocial


def _single_environments() -> dict[str, Parameter]:
    """Ids of classes that the published code resets with parameters of the caller: their part of the full tree."""
    joint = tree(FULL_COLLABORATION)
    made = {
        "InformationSeeking-v0": tree(FULL_INFORMATION_SEEKING),
        "ObjectsCollaboration-v0": narrow(joint, {"Problem": OBJECT_PROBLEMS}),
        "AppleStealingEnv-v0": tree(adversarial_peer()),
    }
    for problem in ("MarblePass", "MarblePush", "LeverDoor"):
        made[f"{problem}Env-v1"] = narrow(joint, {"Problem": problem})
    return {f"SocialAI-{name}": each for name, each in made.items()}
