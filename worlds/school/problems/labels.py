"""Values of parameters as environments read them."""

from __future__ import annotations

from collections.abc import Mapping

from worlds.errors import UserError
from worlds.school.parameters.names import PARAMETERS, VALUES

INTRODUCTIONS = VALUES["Pragmatic_frame_complexity"]
CUE_TYPES = VALUES["Cue_type"]
TREE_PROBLEMS = ("Boxes", "Switches", "Generators", "Levers", "Doors", "Marble")  # of InformationSeeking
INFORMATION_PROBLEMS = (*TREE_PROBLEMS, "Apples")  # in Apples the apple lies there; no tree of the reference has it
COLLABORATION_PROBLEMS = ("Boxes", "Switches", "Generators", "Marble", "MarblePass", "MarblePush", "LeverDoor")
COLOUR_COUNTS = tuple(map(str, range(2, 8)))
# Fewest and most obstacles by the value of the parameter.
OBSTACLES: Mapping[str, tuple[int, int]] = {"No": (0, 0), "A_bit": (1, 2), "Medium": (3, 4), "A_lot": (5, 6)}


def check_labels(parameters: Mapping[str, str]) -> None:
    """Refuse parameters that no environment has.

    Args:
      parameters: values by label.

    Raises:
      UserError: they are no mapping, or naming the first label or value that is unknown.
    """
    if not isinstance(parameters, Mapping):
        raise UserError(f"parameters of the school are values by label, not {parameters!r}")
    for label, value in parameters.items():
        if label not in PARAMETERS:
            raise UserError(f"the school has no parameter {label!r}; known: {', '.join(PARAMETERS)}")
        if value not in VALUES.get(label, (value,)):
            raise UserError(f"parameter {label} is {value!r}; known: {', '.join(VALUES[label])}")


def value_of(parameters: Mapping[str, str], label: str, known: tuple[str, ...], default: str | None = None) -> str:
    """Return the value of a parameter.

    Args:
      parameters: values by label.
      label: of the parameter.
      known: values that it has in this type of environment.
      default: where it is not given; None if it has to be.

    Raises:
      UserError: it is not given, or has another value.
    """
    value = parameters.get(label, default)
    if value is None:
        raise UserError(f"parameter {label} is missing; give one of {', '.join(known)}")
    if value not in known:
        where = parameters.get("Env_type", "this environment")
        raise UserError(f"parameter {label} is {value!r}, which {where} does not have; known: {', '.join(known)}")
    return value
