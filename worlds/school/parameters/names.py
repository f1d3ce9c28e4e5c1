"""Names of parameters and values: those of the published code, which are ours, and those of the paper."""

from __future__ import annotations

from collections.abc import Mapping

from worlds.errors import UserError

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
    """Return our name of a parameter."""
    return _PARAMETERS.get(_folded(name), name)


def value_name(parameter: str, value: str) -> str:
    """Return our name of a value."""
    return _VALUES.get((parameter_name(parameter), _folded(value)), value)


def paper_parameter(name: str) -> str:
    """Return the paper's name of a parameter of ours."""
    return PAPER_PARAMETERS.get(name, name)


def paper_value(parameter: str, value: str) -> str:
    """Return the paper's name of a value of ours."""
    return PAPER_VALUES.get((parameter, value), value)


INTRODUCTIONS = VALUES["Pragmatic_frame_complexity"]
CUE_TYPES = VALUES["Cue_type"]
PROBLEMS: tuple[str, ...] = ("Boxes", "Switches", "Generators", "Levers", "Doors", "Marble")  # of InformationSeeking
INFORMATION_PROBLEMS: tuple[str, ...] = (
    *PROBLEMS,
    "Apples",
)  # in Apples the apple lies there; no tree of the reference has it
JOINT_PROBLEMS: tuple[str, ...] = ("Boxes", "Switches", "Generators", "Marble", "MarblePass", "MarblePush", "LeverDoor")
COLOUR_COUNTS = tuple(map(str, range(2, 8)))
# Fewest and most obstacles by the value of the parameter.
OBSTACLES: Mapping[str, tuple[int, int]] = {"No": (0, 0), "A_bit": (1, 2), "Medium": (3, 4), "A_lot": (5, 6)}


def check_labels(parameters: Mapping[str, str]) -> None:
    """Refuse parameters that no environment has."""
    if not isinstance(parameters, Mapping):
        raise UserError(f"parameters of the school are values by label, not {parameters!r}")
    for label, value in parameters.items():
        if label not in PARAMETERS:
            raise UserError(f"the school has no parameter {label!r}; known: {', '.join(PARAMETERS)}")
        if value not in VALUES.get(label, (value,)):
            raise UserError(f"parameter {label} is {value!r}; known: {', '.join(VALUES[label])}")


def value_of(parameters: Mapping[str, str], label: str, known: tuple[str, ...], default: str | None = None) -> str:
    """Return the value of a parameter; one without a default has to be given."""
    value = parameters.get(label, default)
    if value is None:
        raise UserError(f"parameter {label} is missing; give one of {', '.join(known)}")
    if value not in known:
        where = parameters.get("Env_type", "this environment")
        raise UserError(f"parameter {label} is {value!r}, which {where} does not have; known: {', '.join(known)}")
    return value
