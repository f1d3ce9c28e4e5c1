"""Draw a room of every problem of the school for ``docs/school.md``.

python -m docs.school_rooms
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from worlds.school.drawing.camera import draw_room, fitted
from worlds.school.parameters.names import JOINT_PROBLEMS, PROBLEMS
from worlds.school.problems.problem import Settings
from worlds.school.problems.types import make_problem

FIGURES = Path(__file__).parent / "figures"
SEEKING, JOINT = FIGURES / "school-information-seeking.png", FIGURES / "school-collaboration.png"
GUARDED = FIGURES / "school-guard.png"
TILE, COLUMNS, GAP, LABEL = 24, 4, 12, 26  # pixels; rooms side by side
PAPER, INK = (255, 255, 255), (40, 40, 40)
OBSTACLES = ("No", "Medium", "A_lot")
STEPS = 30  # in which the caretaker finds a place to point from
# The seed of each room, chosen so that everything in it can be told apart.
SEEDS = {"Marble": 5, "Doors": 4}


def seeking(kind: str) -> np.ndarray:
    """Return a room of InformationSeeking in which the caretaker points at the right object."""
    parameters = {"Env_type": "Information_seeking", "Problem": kind, "Cue_type": "Pointing"}
    return _after(parameters, SEEDS.get(kind, 1), STEPS)


def joint(kind: str) -> np.ndarray:
    """Return a room of Collaboration, the agent on the right."""
    return _after({"Env_type": "Collaboration", "Problem": kind, "Role": "B", "Version": "Social"}, 3, 0)


def guarded(obstacles: str) -> np.ndarray:
    """Return a room of AdversarialPeer."""
    return _after({"Env_type": "AppleStealing", "Version": "Social", "Obstacles": obstacles}, 6, 0)


def _after(parameters: dict[str, str], seed: int, steps: int) -> np.ndarray:
    problem = make_problem(parameters, Settings(), seed)
    for _ in range(steps):
        problem.step(None, None)
    side = TILE * problem.settings.size
    return fitted(draw_room(problem.room, TILE, problem.observe()[1]), side, side)


def sheet(pictures: dict[str, np.ndarray]) -> Image.Image:
    """Return pictures in rows with their names above them."""
    side = next(iter(pictures.values())).shape[0]
    rows = -(-len(pictures) // COLUMNS)
    width = min(COLUMNS, len(pictures)) * (side + GAP) - GAP
    page = Image.new("RGB", (width, rows * (side + LABEL + GAP) - GAP), PAPER)
    draw: Any = ImageDraw.Draw(page)
    for number, (name, picture) in enumerate(pictures.items()):
        x, y = number % COLUMNS * (side + GAP), number // COLUMNS * (side + LABEL + GAP)
        draw.text((x, y + 2), name, INK, ImageFont.load_default(18))
        page.paste(Image.fromarray(picture), (x, y + LABEL))
    return page


def main() -> None:
    """Write the figures."""
    sheet({kind: seeking(kind) for kind in PROBLEMS}).save(SEEKING, optimize=True)
    sheet({kind: joint(kind) for kind in JOINT_PROBLEMS}).save(JOINT, optimize=True)
    sheet({f"Obstacles: {amount}": guarded(amount) for amount in OBSTACLES}).save(GUARDED, optimize=True)


if __name__ == "__main__":
    main()
