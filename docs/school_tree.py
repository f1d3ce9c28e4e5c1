"""Draw the parameter tree of the school, and print the table of its ids, which the site shows on its page.

python -m docs.school_tree
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from experiments.social_ai.tree_picture import draw_tree
from worlds.school.parameters.branches import FULL
from worlds.school.parameters.ids import tree_of
from worlds.school.parameters.names import JOINT_PROBLEMS, PROBLEMS, paper_parameter, paper_value
from worlds.school.parameters.tree import parameters

FIGURE = Path(__file__).parent / "figures" / "school-tree.png"
PAGE = Path(__file__).parent / "school-tree.md"
SIX = "{Boxes,Switches,Generators,Levers,Doors,Marble}"
HELD_OUT = "{,HeldoutDoors}"

# Ids, what they are for, and the environment steps of a training run of the published scripts.
STUDIES = (
    (f"EPointing{HELD_OUT}TrainInformationSeeking", "pointing", "50 M"),
    (f"ELang{{Feedback,Color}}{HELD_OUT}TrainInformationSeeking", "words", "20 M"),
    (f"JAELangColor{HELD_OUT}TrainInformationSeeking", "joint attention", "20 M"),
    (f"JAE{{Pointing,LangFeedback}}{HELD_OUT}TrainInformationSeeking", "joint attention", "none"),
    (
        f"{{,JA}}E{{Pointing,LangFeedback,LangColor}}{SIX}{{,Asocial}}TestInformationSeeking",
        "tests of the above",
        "tests",
    ),
    ("EEmulationNoDistrInformationSeeking", "imitation", "20 M"),
    ("EEmulationDistrInformationSeeking", "imitation with a distractor", "none"),
    ("EEmulation{NoDistr,Distr}DoorsInformationSeeking", "tests of imitation", "tests"),
    ("AELangFeedbackTrainFormatsCS", "formats; scaffolding without a curriculum", "50 M"),
    ("{N,E,A}LangFeedbackTrainFormatsCS", "formats", "none"),
    ("AELangFeedbackTrainScaffoldingCS", "scaffolding, with a curriculum", "50 M"),
    ("{N,E,A}LangFeedbackTrainScaffoldingCS", "the same tree", "none"),
    (f"{{N,E,A,AE}}LangFeedback{SIX}TestFormatsCS", "tests of formats and scaffolding", "tests"),
    ("MarblePassBCollaboration", "role reversal: first training", "4 M"),
    ("AsocialMarbleCollaboration", "role reversal: its control", "4 M"),
    ("RoleReversalGroup{Experimental,Control}Collaboration", "role reversal in a group", "50 M"),
    ("MarblePassACollaboration", "role reversal: the other role", "1 M, after a group 0.5 M"),
    (
        "{LeverDoor,MarblePush,MarblePass,Objects,ObjectsBoxes,ObjectsSwitches,ObjectsGenerators,ObjectsMarble}"
        "Collaboration",
        "tests of role reversal",
        "tests",
    ),
    ("RoleReversalCollaboration", "all problems and roles", "none"),
    ("AppleStealingObst_{No,Medium}", "a guard that turns", "2 M, Medium 5 M"),
    ("AsocialAppleStealingObst_{No,Medium}", "the same without a guard", "2 M, Medium 5 M"),
    ("{,Asocial}AppleStealingObst_{A_bit,A_lot}", "the same with other obstacles", "none"),
    ("AppleStealingWalkObst_{No,A_bit,Medium,A_lot}", "a guard that walks", "none"),
    ("AsocialBoxInformationSeeking", "language models; a first example", "5 M"),
    ("Color{Boxes,}LLMCS", "language models", "none"),
    ("{EAsocial,AsocialMarble}InformationSeeking", "the agent alone", "none"),
)
WHOLE = (
    ("SocialAI-SocialAIParamEnv-v1", "the full tree", "none"),
    ("SocialAI-DrawingEnv-v1", "a picture of the paper", "none"),
    ("SocialAI-{InformationSeeking,ObjectsCollaboration}-v0", "parameters of the caller", "none"),
    ("SocialAI-AppleStealingEnv-v0", "parameters of the caller", "none"),
    ("SocialAI-{MarblePass,MarblePush,LeverDoor}Env-v1", "parameters of the caller", "none"),
)
ROWS = (*((f"SocialAI-{name}ParamEnv-v1", purpose, steps) for name, purpose, steps in STUDIES), *WHOLE)


def expand(pattern: str) -> Iterator[str]:
    """Yield the ids that a pattern with braces names, as a shell does."""
    parts = re.split(r"\{([^}]*)\}", pattern)
    yield from map("".join, product(*([part] if n % 2 == 0 else part.split(",") for n, part in enumerate(parts))))


def described(pattern: str) -> str:
    """Return the parameters of the trees of a pattern's ids with all values that one of them has."""
    found: dict[str, dict[str, None]] = {}
    for id_ in expand(pattern):
        for name, values in parameters(tree_of(id_)).items():
            found.setdefault(name, {}).update(dict.fromkeys(values))
    words = (f"`{paper_parameter(name)}`: {_listed(name, list(values))}" for name, values in found.items())
    return "; ".join(words)


def _listed(name: str, values: list[str]) -> str:
    if name == "Problem" and set(values) >= set(PROBLEMS) | set(JOINT_PROBLEMS):
        return "all"
    if name == "Problem" and set(values) == set(PROBLEMS):
        return "all six"
    if name == "Problem" and set(values) == set(JOINT_PROBLEMS):
        return "all seven"
    return ", ".join(paper_value(name, value) for value in values)


def table() -> str:
    """Return the table of ids."""
    head = "| ids | for | steps | tree |\n| --- | --- | --- | --- |"
    rows = (f"| `{pattern}` | {use} | {steps} | {described(pattern)} |" for pattern, use, steps in ROWS)
    return "\n".join([head, *rows])


if __name__ == "__main__":
    draw_tree(FULL, FIGURE, paper=True)
    print(table())
