"""Parts of furniture and of machines that follow from their size; what is inside shows only while they are open."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from worlds.household.drawing.parts import ALL, ALWAYS, OFF, ON, OPEN, SHUT, Part, Span, ball, box, drum, middle
from worlds.household.homes.surfaces import BACK_SHARE, SEAT_M, SHELF_M
from worlds.household.state.home import ThingClass

PANEL_M = 0.025  # thickness of boards and doors
LEG_M = 0.06
DARK, METAL, GLOW = "30343a", "9aa0a6", "fff6c8"
WIDE_M = 0.9  # containers that are wider have two doors


def legs(kind: ThingClass, top: float, paint: float = 0.75) -> list[Part]:
    """Return four legs up to a share of the height."""
    deep, wide = LEG_M / kind.size[0], LEG_M / kind.size[1]
    return [
        box(depth, width, (0.0, top), paint)
        for depth in ((0.0, deep), (1.0 - deep, 1.0))
        for width in ((0.0, wide), (1.0 - wide, 1.0))
    ]


def table(kind: ThingClass) -> list[Part]:
    """Return a table or a bench."""
    top = 1.0 - 0.05 / kind.size[2]
    return [box(height=(top, 1.0)), *legs(kind, top)]


def seat(kind: ThingClass) -> list[Part]:
    """Return a seat with a back, and with arms if it is wide."""
    height = min(1.0, SEAT_M / kind.size[2])
    back = box((0.0, 0.2), height=(height, 1.0), paint=0.85)
    if kind.size[1] < 0.6:
        return [box(height=(height - 0.06, height)), back, *legs(kind, height - 0.06)]
    arm = 0.12 / kind.size[1]
    arms = [box((0.0, 1.0), width, (0.0, height + 0.2), 0.85) for width in ((0.0, arm), (1.0 - arm, 1.0))]
    cushion = box((BACK_SHARE - 0.05, 0.98), (arm, 1.0 - arm), (height - 0.18, height), 1.08)
    return [box((0.0, 0.97), (arm, 1.0 - arm), (0.08, height - 0.18), 0.8), cushion, back, *arms]


def shell(kind: ThingClass, when: int = ALWAYS, top: bool = True) -> list[Part]:
    """Return the boards around the inside of a container that is open at the front, or at the top, and its shelves."""
    deep, wide, high = (PANEL_M / each for each in kind.size)
    count = max(1, math.floor(kind.size[2] / SHELF_M)) if top else 1
    boards = [
        box((0.0, deep), paint=0.55, when=when),
        *(box(width=width, paint=0.8, when=when) for width in ((0.0, wide), (1.0 - wide, 1.0))),
        *(box(height=(n / count, n / count + high * 0.4), paint=0.7, when=when) for n in range(count)),
    ]
    last = box(height=(1.0 - high, 1.0), when=when) if top else box((1.0 - deep, 1.0), paint=0.9, when=when)
    return [*boards, last]


def cupboard(kind: ThingClass) -> list[Part]:
    """Return a container with doors at the sides of its front."""
    doors: tuple[Span, ...] = (ALL,) if kind.size[1] < WIDE_M else ((0.0, 0.5), (0.5, 1.0))
    deep, wide = PANEL_M / kind.size[0], PANEL_M / kind.size[1]
    shut = [box(when=SHUT)]
    leaves = []
    for number, (low, high) in enumerate(doors):
        left = number == 0 and len(doors) == 2
        panel = (low + 0.04, high - 0.04)
        knob = (high - 0.12, high - 0.07) if left or len(doors) == 1 else (low + 0.07, low + 0.12)
        shut.append(box((1.0, 1.0 + 0.3 * deep), panel, (0.04, 0.96), 1.07, SHUT))
        shut.append(box((1.0, 1.0 + 1.2 * deep), knob, (0.42, 0.62), "5a5048", SHUT))
        hinge = (low, low + wide) if left or len(doors) == 1 else (high - wide, high)
        leaves.append(box((1.0, 1.0 + (high - low) * kind.size[1] / kind.size[0]), hinge, (0.02, 0.98), 0.95, OPEN))
    return [*shut, *shell(kind, OPEN), *leaves]


def flap(kind: ThingClass) -> list[Part]:
    """Return a machine whose door falls forward, with a lamp that shows if it is on."""
    deep, high = PANEL_M / kind.size[0], PANEL_M / kind.size[2]
    window = box((1.0, 1.0 + 0.4 * deep), (0.12, 0.88), (0.15, 0.72), DARK, SHUT)
    handle = box((1.0, 1.0 + 1.5 * deep), (0.15, 0.85), (0.78, 0.82), METAL, SHUT)
    leaf = box((1.0, 1.0 + 0.85 * kind.size[2] / kind.size[0]), (0.03, 0.97), (0.04, 0.04 + high), 0.85, OPEN)
    return [box(when=SHUT), window, handle, *shell(kind, OPEN), leaf, *lamp_of(kind)]


def fridge(kind: ThingClass) -> list[Part]:
    """Return a fridge: light inside."""
    deep = PANEL_M / kind.size[0]
    line = box((1.0, 1.0 + 0.2 * deep), (0.0, 1.0), (0.64, 0.655), 0.55, SHUT)
    handles = [box((1.0, 1.0 + 1.6 * deep), (0.86, 0.9), each, METAL, SHUT) for each in ((0.4, 0.6), (0.7, 0.9))]
    inside = [part._replace(paint="eef6fa") for part in shell(kind, OPEN)]
    leaf = box((1.0, 1.0 + kind.size[1] / kind.size[0]), (0.0, PANEL_M / kind.size[1]), (0.02, 0.98), 0.95, OPEN)
    return [box(when=SHUT), line, *handles, *inside, leaf]


def washer(kind: ThingClass) -> list[Part]:
    """Return a washing machine with a round window."""
    window = ball((0.94, 1.04), (0.2, 0.8), (0.2, 0.72), "5a7890", SHUT)
    door = ball((1.0, 1.06), (-0.45, 0.05), (0.2, 0.72), "5a7890", OPEN)
    panel = box((1.0, 1.01), (0.05, 0.95), (0.82, 0.95), 0.8, SHUT)
    return [box(when=SHUT), window, panel, *shell(kind, OPEN), door, *lamp_of(kind)]


def stove(kind: ThingClass) -> list[Part]:
    """Return a stove: plates that glow when it is on."""
    plates = [
        drum(depth, width, (1.0, 1.008), paint, when)
        for depth in ((0.1, 0.45), (0.55, 0.9))
        for width in ((0.1, 0.45), (0.55, 0.9))
        for paint, when in (("25272b", OFF), ("ff5a2a", ON))
    ]
    return [*flap(kind), *plates]


def microwave(kind: ThingClass) -> list[Part]:
    """Return a microwave: its window is bright when it is on, and then it is shut."""
    windows = [
        box((1.0, 1.0 + far), (0.25, 0.97), (0.12, 0.88), paint, when)
        for far, paint, when in ((0.02, "15171a", SHUT), (0.03, GLOW, ON))
    ]
    leaf = box((1.0, 1.0 + kind.size[1] / kind.size[0]), (0.95, 1.0), (0.02, 0.98), 0.9, OPEN)
    inside = [part._replace(paint="d8d8d4") for part in shell(kind, OPEN)]
    return [box(when=SHUT), *windows, *inside, leaf]


def lamp_of(kind: ThingClass) -> list[Part]:
    """Return a small lamp at the front of a machine: green when it is on."""
    high, wide = min(0.9, 0.06 / kind.size[2]), min(0.5, 0.06 / kind.size[1])
    place = (1.0, 1.0 + 0.02 / kind.size[0]), (0.95 - wide, 0.95), (0.95 - high, 0.95)
    return [box(*place, "4a4a4a", OFF), box(*place, "58ff6a", ON)]


def machine(kind: ThingClass) -> list[Part]:
    """Return a box with a lamp."""
    return [box(), *lamp_of(kind)]


def lidded(kind: ThingClass) -> list[Part]:
    """Return a container with a lid on top, which stands up at the back when it is open."""
    high = PANEL_M / kind.size[2]
    lid = box((-0.06, 0.0), height=(1.0, 1.0 + kind.size[0] / kind.size[2]), paint=0.9, when=OPEN)
    return [box(when=SHUT), box(height=(1.0 - high, 1.0), paint=1.15, when=SHUT), *shell(kind, OPEN, False), lid]


def tub(kind: ThingClass) -> list[Part]:
    """Return a container that is always open at the top."""
    return shell(kind, top=False)


def drawers(kind: ThingClass) -> list[Part]:
    """Return a counter of drawers, or of doors, with a slab."""
    return [*cupboard(kind), box(height=(0.97, 1.0), paint="6d625a")]


def curtain(_: ThingClass) -> list[Part]:
    """Return a curtain, which is gathered when it is open."""
    folds = [box((0.0, 0.9), (n / 3, n / 3 + 0.17), paint=0.88) for n in range(3)]
    return [box((0.0, 0.6)), *folds]


def rails(_: ThingClass) -> list[Part]:
    """Return a radiator."""
    return [box((0.0, 0.7), paint=0.85), *(box((0.6, 1.0), (n / 6 + 0.03, n / 6 + 0.13)) for n in range(6))]


def hood(kind: ThingClass) -> list[Part]:
    """Return a cooker hood with a chimney."""
    return [box(height=(0.0, 0.4)), box((0.0, 0.5), middle(0.4), (0.4, 1.0), 0.9), *lamp_of(kind)[1:]]


FURNITURE: Mapping[str, Callable[[ThingClass], Sequence[Part]]] = {
    **dict.fromkeys(("bench", "coffeetable", "desk", "kitchentable", "table", "tvstand"), table),
    **dict.fromkeys(("armchair", "chair", "couch", "loveseat", "sofa"), seat),
    "bathtub": tub,
    "bookshelf": shell,
    "coffeemaker": machine,
    "cookerhood": hood,
    "curtain": curtain,
    "dishwasher": flap,
    "fridge": fridge,
    "box": lidded,
    "garbagecan": lidded,
    "kitchencounterdrawer": drawers,
    "laundrybasket": tub,
    "microwave": microwave,
    "radiator": rails,
    "stove": stove,
    "washingmachine": washer,
}
