"""Names of parameters and values: those of the published code, which are ours, and those of the paper."""

from __future__ import annotations

# Names of the paper by ours, where they differ by more than capitals, hyphens and underscores.
PAPER_PARAMETERS = {
    "Env_type": "Environment type",
    "Pragmatic_frame_complexity": "Introductory sequence",
    "Scaffolding": "Help",
    "Cue_type": "Cue type",
    "NPC_movement": "Peer movement",
    "JA_recursive": "Joint attention",
}
PAPER_VALUES = {
    ("Env_type", "Information_seeking"): "InformationSeeking",
    ("Env_type", "AppleStealing"): "AdversarialPeer",
    ("Pragmatic_frame_complexity", "Eye_contact"): "Eye contact",
    ("Pragmatic_frame_complexity", "Ask_Eye_contact"): "Ask-Eye contact",
    ("Cue_type", "Language_Color"): "Language color",
    ("Cue_type", "Language_Feedback"): "Language feedback",
    ("Cue_type", "Emulation"): "Imitation",
    ("Obstacles", "A_bit"): "A bit",
    ("Obstacles", "A_lot"): "A lot",
}
PARAMETERS = (
    *("Env_type", "Pragmatic_frame_complexity", "Scaffolding", "Cue_type", "N", "Peer", "Problem", "JA_recursive"),
    *("Role", "Version", "NPC_movement", "Obstacles", "Num_of_colors"),
)
VALUES = {
    "Env_type": ("Information_seeking", "Collaboration", "AppleStealing"),
    "Pragmatic_frame_complexity": ("No", "Eye_contact", "Ask", "Ask_Eye_contact"),
    "Cue_type": ("Language_Color", "Language_Feedback", "Pointing", "Emulation"),
    "Problem": (
        *("Boxes", "Switches", "Generators", "Levers", "Doors", "Marble"),
        *("MarblePass", "MarblePush", "LeverDoor", "Apples"),
    ),
    "Version": ("Social", "Asocial"),
    "NPC_movement": ("Rotating", "Walking"),
    "Obstacles": ("No", "A_bit", "Medium", "A_lot"),
    "Role": ("A", "B", "Meta"),
    **dict.fromkeys(("Scaffolding", "Peer", "JA_recursive"), ("Y", "N")),
}
# Spellings that the published code has beside its own names.
_ALSO = {"peerhelp": "Scaffolding"}
_ALSO_VALUES = {("Problem", "marbles"): "Marble"}


def _folded(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


_PARAMETERS = {_folded(name): name for name in PARAMETERS} | _ALSO
_PARAMETERS |= {_folded(paper): name for name, paper in PAPER_PARAMETERS.items()}
_VALUES = {(name, _folded(value)): value for name, values in VALUES.items() for value in values} | _ALSO_VALUES
_VALUES |= {(name, _folded(paper)): value for (name, value), paper in PAPER_VALUES.items()}


def parameter_name(name: str) -> str:
    """Return our name of a parameter.

    Args:
      name: the code's or the paper's, capitals, hyphens and underscores as they come; others are returned unchanged.
    """
    return _PARAMETERS.get(_folded(name), name)


def value_name(parameter: str, value: str) -> str:
    """Return our name of a value.

    Args:
      parameter: whose value it is, in either name.
      value: the code's or the paper's name of it; others are returned unchanged.
    """
    return _VALUES.get((parameter_name(parameter), _folded(value)), value)


def paper_parameter(name: str) -> str:
    """Return the paper's name of a parameter of ours."""
    return PAPER_PARAMETERS.get(name, name)


def paper_value(parameter: str, value: str) -> str:
    """Return the paper's name of a value of ours."""
    return PAPER_VALUES.get((parameter, value), value)
