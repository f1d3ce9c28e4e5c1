"""Draw every apartment from above, and print the tables of apartments and of classes, which the site shows.

python -m docs.apartments
"""

from __future__ import annotations

import hashlib
import math
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from worlds.household.catalogue.classes import CLASSES
from worlds.household.drawing.camera import Pictures
from worlds.household.homes import home
from worlds.household.homes.apartments import APARTMENTS, HELD_OUT
from worlds.household.rules.bodies import stand_at, take
from worlds.household.state.home import Home, State
from worlds.household.state.tables import tables
from worlds.household.state.vocabulary import Condition, Held, Property

FIGURES = Path(__file__).parent / "figures"
Colour = tuple[int, int, int]
HALO = [(4 * x, 4 * y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
VIEWS = FIGURES / "household-views.png"
VIEW_SIZE = 288, 384  # pixels of each view: height and width
SEEN = "apartment-3"  # the home in them
PAGE = Path(__file__).parent / "household.md"
SCALE = 252  # pixels a metre, before the picture is made a third as large
SHRINK = 3
ROOM_SIZE = 60  # height of a room's name, in pixels before that
MARGIN_M = 0.25
COLOURS = 200  # of the file's palette
NOTE = "home"  # in a picture's file: the fingerprint of the home that it shows
WALL, INK, PAPER = (74, 66, 60), (52, 46, 42), (255, 255, 255)
# Floors; a lighter wash of the colours of the catalogue.
FLOOR_SHARE = 0.55
# Not drawn: too small or above the heads.
LEFT_OUT = {"ceilinglamp", "lightswitch", "powersocket", "character", "curtain", "cookerhood"}
# Words in the pictures of classes whose name is too long for their box.
LABELS = {
    "bathroomcounter": "counter",
    "bookshelf": "books",
    "coatrack": "coats",
    "coffeemaker": "",
    "coffeetable": "coffee table",
    "dishwasher": "dish\nwasher",
    "faucet": "",
    "garbagecan": "bin",
    "houseplant": "plant",
    "keyboard": "",
    "kitchencounter": "counter",
    "kitchencounterdrawer": "drawer",
    "kitchentable": "kitchen table",
    "laundrybasket": "basket",
    "mirror": "",
    "mouse": "",
    "nightstand": "night\nstand",
    "radiator": "",
    "speaker": "",
    "standlamp": "lamp",
    "tablelamp": "",
    "toaster": "",
    "tv": "",
    "tvstand": "tv stand",
    "walllamp": "",
    "wallphone": "",
    "wallpictureframe": "",
    "washingmachine": "washing\nmachine",
    "window": "",
}


class Sheet:
    """A picture of a home seen from above, north at the top."""

    def __init__(self, found: Home, state: State) -> None:
        self.home, self.state = found, state
        low = (state.centre - found.size / 2)[found.rooms, :2].min(axis=0)
        high = (state.centre + found.size / 2)[found.rooms, :2].max(axis=0)
        self.west, self.north = float(low[0]) - MARGIN_M, float(high[1]) + MARGIN_M
        width, height = (int((high[axis] - low[axis] + 2 * MARGIN_M) * SCALE) for axis in (0, 1))
        self.image = Image.new("RGB", (width, height), PAPER)
        self.pen = ImageDraw.Draw(self.image)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixel of a point."""
        return (x - self.west) * SCALE, (self.north - y) * SCALE

    def corners(self, row: int, grow: float = 0.0) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of a thing's box, in pixels."""
        x, y, _ = self.state.centre[row].tolist()
        wide, deep, _ = (self.home.size[row] / 2 + grow).tolist()
        return (*self.at(x - wide, y + deep), *self.at(x + wide, y - deep))

    def text(
        self, x: float, y: float, words: str, size: int, ink: Colour, halo: Colour | None = None, turned: bool = False
    ) -> None:
        """Write words around a pixel, with a rim of another colour; turned ones from bottom to top."""
        if halo is not None:
            for dx, dy in HALO:
                self.text(x + dx, y + dy, words, size, halo, turned=turned)
        face = font(size)
        left, top, right, bottom = self.pen.multiline_textbbox((0, 0), words, face, align="center", spacing=size // 6)
        layer = Image.new("L", (int(right - left) + 4, int(bottom - top) + 4))
        ImageDraw.Draw(layer).multiline_text((2 - left, 2 - top), words, 255, face, align="center", spacing=size // 6)
        layer = layer.rotate(90, expand=True) if turned else layer
        self.image.paste(ink, (int(x - layer.width / 2), int(y - layer.height / 2)), layer)


@cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Return the font of this height in pixels."""
    return ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"), size)


def draw(found: Home, state: State) -> Image.Image:
    """Return the top view of a home."""
    sheet = Sheet(found, state)
    for row in found.rooms:
        sheet.pen.rectangle(sheet.corners(row), fill=wash(found, int(row)), outline=WALL, width=SCALE // 22)
    order = [row for row in range(len(found)) if state.held[row] == Held.ROOM and found.name_of(row) not in LEFT_OUT]
    order.sort(key=lambda row: float(state.centre[row, 2] + found.size[row, 2] / 2))
    for row in order:
        if row not in found.doors:
            _draw_thing(sheet, row)
    for row in found.doors:
        _draw_door(sheet, int(row))
    for row in np.flatnonzero(state.held == Held.ON):
        _draw_small(sheet, int(row))
    for row in order:
        _label(sheet, row)
    _label_rooms(sheet, order)
    width, height = sheet.image.size
    small = sheet.image.resize((width // SHRINK, height // SHRINK), Image.Resampling.LANCZOS)
    return small.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def wash(found: Home, row: int) -> Colour:
    """Return a lighter shade of a thing's colour."""
    red, green, blue = (round(255 - FLOOR_SHARE * (255 - each)) for each in found.classes[int(found.kind[row])].colour)
    return red, green, blue


def darker(colour: Colour, share: float = 0.62) -> Colour:
    """Return a darker shade."""
    red, green, blue = (round(share * each) for each in colour)
    return red, green, blue


def _label_rooms(sheet: Sheet, drawn: list[int]) -> None:
    """Write each room's name where most floor is free around it."""
    found = sheet.home
    for room in found.rooms:
        words = {"livingroom": "living room"}.get(found.name_of(room), found.name_of(room))
        left, top, right, bottom = sheet.corners(room, -0.1)
        _, _, wide, high = sheet.pen.textbbox((0, 0), words, font(ROOM_SIZE))
        others = [sheet.corners(row) for row in drawn if row not in found.doors]
        doors = [sheet.corners(row, 0.45) for row in drawn if row in found.doors]
        best, at = -math.inf, (0.0, 0.0)
        for x in np.arange(left + wide / 2, right - wide / 2, 25):
            for y in np.arange(top + high / 2, bottom - high / 2, 25):
                words_box = (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
                clear = min(_gap(words_box, each) for each in [*others, *doors])
                inside = min(words_box[0] - left, words_box[1] - top, right - words_box[2], bottom - words_box[3])
                if min(clear, inside + 25) > best:
                    best, at = min(clear, inside + 25), (x, y)
        sheet.text(*at, words, ROOM_SIZE, (128, 108, 88), wash(found, room))


def _gap(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """Return the distance of two rectangles in pixels; it is negative if they overlap."""
    return max(other[0] - one[2], one[0] - other[2], other[1] - one[3], one[1] - other[3])


def _draw_thing(sheet: Sheet, row: int) -> None:
    found = sheet.home
    colour = found.classes[int(found.kind[row])].colour
    box = sheet.corners(row)
    hung = sheet.state.centre[row, 2] - found.size[row, 2] / 2 > 1.0
    if hung and min(found.size[row, :2]) > 0.15:  # over other furniture: only its outline
        _dashed(sheet, box, darker(colour))
        return
    radius = int(min(box[2] - box[0], box[3] - box[1]) * 0.12)
    sheet.pen.rounded_rectangle(box, radius, fill=colour, outline=darker(colour), width=5)
    if Property.SITTABLE in found.classes[int(found.kind[row])].properties and found.size[row, 2] > 0.55:
        _draw_back(sheet, row, darker(colour, 0.8))


def _draw_back(sheet: Sheet, row: int, colour: Colour) -> None:
    """Draw the back of a seat."""
    left, top, right, bottom = sheet.corners(row)
    x, y = round(math.cos(sheet.home.yaw[row])), round(math.sin(sheet.home.yaw[row]))
    wide, high = 0.22 * (right - left), 0.22 * (bottom - top)
    box = {
        (1, 0): (left, top, left + wide, bottom),
        (-1, 0): (right - wide, top, right, bottom),
        (0, 1): (left, bottom - high, right, bottom),
        (0, -1): (left, top, right, top + high),
    }[x, y]
    sheet.pen.rounded_rectangle(box, 8, fill=colour)


def _dashed(sheet: Sheet, box: tuple[float, float, float, float], colour: Colour) -> None:
    left, top, right, bottom = (round(each) for each in box)
    for start in range(left, right, 28):
        for y in (top, bottom):
            sheet.pen.line((start, y, min(start + 16, right), y), colour, 5)
    for start in range(top, bottom, 28):
        for x in (left, right):
            sheet.pen.line((x, start, x, min(start + 16, bottom)), colour, 5)


def _draw_door(sheet: Sheet, row: int) -> None:
    """Draw a gap in the wall and the leaf that stands open."""
    found, state = sheet.home, sheet.state
    x, y, _ = state.centre[row].tolist()
    wide, deep, _ = found.size[row].tolist()
    upright = wide < deep
    half = max(wide, deep) / 2
    inside = int(found.between[row, 0])
    floor = wash(found, inside)
    thick = 2 * (SCALE // 22) + 4
    ends = (sheet.at(x, y - half), sheet.at(x, y + half)) if upright else (sheet.at(x - half, y), sheet.at(x + half, y))
    sheet.pen.line((*ends[0], *ends[1]), floor, thick)
    room = state.centre[inside]
    into = np.sign(room[0] - x) if upright else np.sign(room[1] - y)
    leaf = (x + into * 2 * half, y - half) if upright else (x - half, y + into * 2 * half)
    sheet.pen.line((*ends[0], *sheet.at(*leaf)), (168, 131, 90), 12)
    (cx, cy), length = ends[0], 2 * half * SCALE
    angles = sorted(math.degrees(math.atan2(py - cy, px - cx)) % 360 for px, py in (ends[1], sheet.at(*leaf)))
    if angles[1] - angles[0] > 180:
        angles = [angles[1], angles[0] + 360]
    sheet.pen.arc((cx - length, cy - length, cx + length, cy + length), angles[0], angles[1], (190, 168, 140), 4)


def _draw_small(sheet: Sheet, row: int) -> None:
    found = sheet.home
    colour = found.classes[int(found.kind[row])].colour
    box = sheet.corners(row)
    square = min(box[2] - box[0], box[3] - box[1])
    sheet.pen.rounded_rectangle(box, int(square * 0.3), fill=colour, outline=darker(colour), width=3)


def _label(sheet: Sheet, row: int) -> None:
    """Write the name of a piece of furniture into its box, as large as it can be."""
    name = sheet.home.name_of(row)
    words = LABELS.get(name, name)
    low = sheet.state.centre[row, 2] - sheet.home.size[row, 2] / 2
    if not words or row in sheet.home.doors or low > 1.0 or sheet.home.size[row, 2] < 0.02 or name in ("chair",):
        return
    left, top, right, bottom = sheet.corners(row)
    wide, high = right - left - 10, bottom - top - 10
    turned = high > 1.3 * wide
    for size in range(36, 21, -2):
        a, b, c, d = sheet.pen.multiline_textbbox((0, 0), words, font(size), align="center", spacing=size // 6)
        if c - a <= (high if turned else wide) and d - b <= (wide if turned else high):
            break
    colour = sheet.home.classes[int(sheet.home.kind[row])].colour
    ink = PAPER if sum(colour) < 330 else INK
    sheet.text((left + right) / 2, (top + bottom) / 2, words, size, ink, colour, turned)


def catalogue() -> str:
    """Return the table of classes."""
    return "\n".join(
        [
            "| class | category | depth, width, height (m) | properties |",
            "| --- | --- | --- | --- |",
            *(
                f"| {each.name} | {each.category} | {' '.join(f'{length:.2f}' for length in each.size)} | "
                f"{' '.join(str(flag.name).lower() for flag in Property if flag in each.properties)} |"
                for each in CLASSES
            ),
        ]
    )


def apartments() -> str:
    """Return the table of apartments."""
    columns = ("kitchencabinet", "dishwasher", "coffeetable", "kitchentable", "sofa", "bench")
    lines = [
        f"| home | use | rooms | doors | things | classes | to grab | to open | {' | '.join(columns)} |",
        "| --- " * (8 + len(columns)) + "|",
    ]
    for name in APARTMENTS:
        found, _ = home(name)
        counts = [
            len(found.rooms),
            len(found.doors),
            len(found),
            len(np.unique(found.kind)),
            np.count_nonzero(found.properties & Property.GRABBABLE),
            np.count_nonzero(found.properties & Property.CAN_OPEN),
            *(len(found.rows_of(each)) for each in columns),
        ]
        use = "held out" if name in HELD_OUT else "training"
        lines.append(f"| {name} | {use} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


def figure(name: str) -> Path:
    """Return the path of an apartment's picture."""
    return FIGURES / f"household-{name}.png"


def fingerprint(found: Home, state: State) -> str:
    """Return a digest of what a picture shows; it is noted in the picture's file."""
    arrays = (found.kind, found.size, found.yaw, state.held, state.centre)
    return hashlib.sha256(b"".join(each.tobytes() for each in arrays)).hexdigest()


def draw_views() -> Image.Image:
    """Return what the solver sees before an open fridge with juice in its hand, and the home from above."""
    found, state = home(SEEN)
    solver = 1
    fridge, juice = (int(found.rows_of(name)[0]) for name in ("fridge", "juice"))
    state = state.copy()
    state.conditions[fridge] = Condition.OPEN | Condition.PLUGGED_IN
    yaw = float(found.yaw[fridge])
    x, y = state.centre[fridge, :2] + 1.5 * np.array([math.cos(yaw), math.sin(yaw)])
    arrays = tables(found, state)
    stand_at(arrays, solver, x, y, yaw + math.pi, int(state.room[fridge]))
    take(arrays, solver, juice, int(Held.LEFT_HAND))
    screen = Pictures(*VIEW_SIZE)
    views = [screen.from_eyes(found, state, solver), screen.from_above(found, state)]
    return Image.fromarray(np.concatenate(views, axis=1))


def main() -> None:
    """Write the figures, and print the tables, which the site shows on the page."""
    for name in APARTMENTS:
        found, state = home(name)
        notes = PngInfo()
        notes.add_text(NOTE, fingerprint(found, state))
        draw(found, state).save(figure(name), optimize=True, pnginfo=notes)
    draw_views().save(VIEWS, optimize=True)
    print(apartments(), catalogue(), sep="\n\n")


if __name__ == "__main__":
    main()
