"""Parts of small things and of persons."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from worlds.household.pictures.furniture import bright, lidded
from worlds.household.pictures.parts import (
    ON,
    SITTING,
    STANDING,
    Part,
    ball,
    box,
    drum,
    middle,
)
from worlds.household.state.home import ThingClass

SKIN, HAIR, TROUSERS, SHOE = "e8b894", "4a3424", "3c4658", "2a2624"


def globe(_: ThingClass) -> list[Part]:
    """Return a round thing."""
    return [ball()]


def fruit(_: ThingClass) -> list[Part]:
    """Return a round thing with a stalk."""
    return [
        ball(height=(0.0, 0.95)),
        box(middle(0.1), middle(0.1), (0.9, 1.1), "5a4028"),
    ]


def can(_: ThingClass) -> list[Part]:
    """Return a thing that is round from above."""
    return [drum()]


def dish(_: ThingClass) -> list[Part]:
    """Return a flat round thing with a rim."""
    return [
        drum(),
        drum(middle(0.65), middle(0.65), (1.0, 1.1), 0.88),
    ]


def bowl(_: ThingClass) -> list[Part]:
    """Return a hollow round thing: what is in it stands out."""
    return [
        drum(height=(0.0, 0.35)),
        drum(middle(0.85), middle(0.85), (0.35, 0.38), 0.8),
    ]


def pan(kind: ThingClass) -> list[Part]:
    """Return a pan with a handle."""
    return [
        *bowl(kind),
        box((1.0, 1.5), middle(0.1), (0.3, 0.6), 0.8),
    ]


def pot(_: ThingClass) -> list[Part]:
    """Return a pot with handles."""
    return [
        drum(height=(0.0, 0.95)),
        drum(middle(0.9), middle(0.9), (0.95, 1.0), 0.6),
        box(middle(0.1), (-0.12, 1.12), (0.7, 0.8), 0.6),
    ]


def mug(_: ThingClass) -> list[Part]:
    """Return a mug with a handle."""
    return [
        drum(),
        drum(middle(0.7), middle(0.7), (1.0, 1.02), "4a3020"),
        box(middle(0.2), (0.9, 1.2), (0.2, 0.8), 0.85),
    ]


def glass(_: ThingClass) -> list[Part]:
    """Return a glass."""
    return [
        drum(),
        drum(middle(0.75), middle(0.75), (1.0, 1.02), 0.75),
    ]


def wine_glass(_: ThingClass) -> list[Part]:
    """Return a glass on a stem."""
    return [
        drum(height=(0.0, 0.05)),
        drum(middle(0.16), middle(0.16), (0.0, 0.5), 0.8),
        ball(height=(0.4, 1.0)),
    ]


def bottle(_: ThingClass) -> list[Part]:
    """Return a bottle with a label."""
    return [
        drum(height=(0.0, 0.65)),
        drum(middle(0.4), middle(0.4), (0.65, 1.0)),
        drum(middle(1.04), middle(1.04), (0.2, 0.45), "f2ecd8"),
    ]


def jug(_: ThingClass) -> list[Part]:
    """Return a pot with a lid, a handle and a spout."""
    return [
        drum(middle(0.85), middle(0.85), (0.0, 0.85)),
        ball(middle(0.5), middle(0.5), (0.75, 1.0), 0.7),
        box((0.85, 1.1), middle(0.2), (0.5, 0.8), 0.9),
        box((-0.15, 0.1), middle(0.15), (0.2, 0.8), 0.7),
    ]


def carton(_: ThingClass) -> list[Part]:
    """Return a carton with a band."""
    return [
        box(height=(0.0, 0.9)),
        box(middle(0.6), height=(0.9, 1.0), paint=0.85),
        box(middle(1.03), middle(1.03), (0.3, 0.6), "ffffff"),
        box(middle(1.05), middle(0.4), (0.38, 0.52), "2f7d4a"),
    ]


def packet(_: ThingClass) -> list[Part]:
    """Return a packet with a label."""
    return [
        box(),
        box(middle(1.04), (0.15, 0.85), (0.35, 0.75), "f6f0dc"),
        box(middle(1.06), (0.3, 0.7), (0.45, 0.65), 0.7),
    ]


def book(_: ThingClass) -> list[Part]:
    """Return a book: covers with pages between them."""
    pages = box((0.06, 1.02), (0.02, 1.02), (0.18, 0.82), "f4ecd4")
    return [
        box(),
        pages,
        box((0.25, 0.75), (0.2, 0.8), (1.0, 1.05), "e6c860"),
    ]


def sheets(_: ThingClass) -> list[Part]:
    """Return paper with a printed field."""
    return [
        box(),
        box(middle(0.6), middle(0.7), (1.0, 1.2), 0.75),
    ]


def fork(_: ThingClass) -> list[Part]:
    """Return cutlery: a handle and a head."""
    return [
        box((0.0, 0.7), middle(0.45), paint=0.85),
        box((0.65, 1.0)),
    ]


def cupcake(_: ThingClass) -> list[Part]:
    """Return a cake in paper, with icing."""
    return [
        drum(middle(0.8), middle(0.8), (0.0, 0.5), "8a5a34"),
        ball(height=(0.35, 1.0)),
        ball(middle(0.25), middle(0.25), (0.85, 1.1), "c8283c"),
    ]


def pudding(_: ThingClass) -> list[Part]:
    """Return a pudding on a dish."""
    return [
        drum(height=(0.0, 0.2), paint="f0ece0"),
        drum(middle(0.8), middle(0.8), (0.2, 0.85)),
        drum(middle(0.7), middle(0.7), (0.85, 1.0), "5a3218"),
    ]


def greens(_: ThingClass) -> list[Part]:
    """Return a bowl of salad."""
    return [
        drum(height=(0.0, 0.5), paint="f0ece0"),
        ball(height=(0.2, 1.0)),
        ball((0.5, 0.8), (0.3, 0.6), (0.6, 1.02), "d6402e"),
    ]


def candle(_: ThingClass) -> list[Part]:
    """Return a candle with a flame when it is on."""
    return [
        drum(height=(0.0, 0.9)),
        box(middle(0.12), middle(0.12), (0.9, 1.0), "303030"),
        ball(middle(0.5), middle(0.5), (0.95, 1.7), "ffb030", ON),
    ]


def bear(_: ThingClass) -> list[Part]:
    """Return a teddy bear."""
    ears = [ball(middle(0.25), width, (0.85, 1.0), 0.8) for width in ((0.12, 0.38), (0.62, 0.88))]
    limbs = [ball((0.4, 1.0), width, (0.0, 0.25), 0.9) for width in ((0.05, 0.4), (0.6, 0.95))]
    return [
        ball((0.1, 0.8), (0.15, 0.85), (0.0, 0.62)),
        ball((0.1, 0.85), (0.15, 0.85), (0.5, 0.97)),
        *ears,
        *limbs,
    ]


def guitar(_: ThingClass) -> list[Part]:
    """Return a guitar that stands."""
    return [
        ball(height=(0.0, 0.32)),
        ball(width=middle(0.75), height=(0.22, 0.5)),
        box(middle(0.3), middle(0.13), (0.4, 1.0), "4a3020"),
        box((0.95, 1.02), middle(0.2), (0.2, 0.32), "2a1a10"),
    ]


def pair(_: ThingClass) -> list[Part]:
    """Return a pair of shoes."""
    return [
        part
        for width in ((0.0, 0.42), (0.58, 1.0))
        for part in (box((0.0, 1.0), width, (0.0, 0.5)), box((0.0, 0.5), width, (0.5, 1.0), 0.85))
    ]


def folded(_: ThingClass) -> list[Part]:
    """Return folded cloth."""
    return [
        box(height=(0.0, 0.5), paint=0.85),
        box((0.0, 0.96), (0.0, 0.96), (0.5, 1.0)),
    ]


def cushion(_: ThingClass) -> list[Part]:
    """Return a pillow."""
    return [
        box(middle(0.9), middle(0.9), (0.2, 0.75)),
        ball(height=(0.1, 1.0)),
    ]


def roll(_: ThingClass) -> list[Part]:
    """Return a roll of paper."""
    return [
        drum(),
        drum(middle(0.35), middle(0.35), (1.0, 1.02), "8a6a48"),
    ]


def gadget(_: ThingClass) -> list[Part]:
    """Return a flat device; its screen is bright when it is on."""
    return [
        box(),
        *bright(box(middle(0.7), middle(0.8), (1.0, 1.1))),
    ]


def person(_: ThingClass) -> list[Part]:
    """Return a person without hands, which looks ahead; it has thighs to sit with."""
    legs = [(0.1, 0.42), (0.58, 0.9)]
    return [
        ball((0.2, 0.8), (0.22, 0.78), (0.84, 0.99), SKIN),
        ball((0.12, 0.66), (0.18, 0.82), (0.87, 1.0), HAIR),
        drum(middle(0.2), middle(0.2), (0.8, 0.87), SKIN),
        box((0.28, 0.72), (0.05, 0.95), (0.6, 0.82)),
        box((0.3, 0.7), (0.12, 0.88), (0.46, 0.62)),
        *(ball((0.35, 0.65), width, (0.5, 0.82), 0.85) for width in ((-0.14, 0.12), (0.88, 1.14))),
        *(drum(middle(0.34), width, (0.03, 0.48), TROUSERS, STANDING) for width in legs),
        *(box((0.2, 0.95), width, (0.0, 0.05), SHOE, STANDING) for width in legs),
        *(box((0.3, 1.5), width, (0.42, 0.52), TROUSERS, SITTING) for width in legs),
        *(box((1.2, 1.5), width, (0.18, 0.5), TROUSERS, SITTING) for width in legs),
    ]


GOODS: Mapping[str, Callable[[ThingClass], list[Part]]] = {
    **dict.fromkeys(("apple", "bellpepper", "peach", "pear", "plum", "tomato"), fruit),
    **dict.fromkeys(("ball", "bananas", "carrot", "cucumber", "hairbrush", "lemon", "mouse", "potato"), globe),
    **dict.fromkeys(("condimentshaker", "facecream", "pancake"), can),
    **dict.fromkeys(("bathtowel", "clothespile", "shirt", "trousers"), folded),
    **dict.fromkeys(("book", "folder"), book),
    **dict.fromkeys(("condimentbottle", "dishwashingliquid", "perfume", "shampoo", "wine"), bottle),
    **dict.fromkeys(("cereal", "chips", "crackers"), packet),
    **dict.fromkeys(("coffeepot", "kettle"), jug),
    **dict.fromkeys(("cutleryfork", "cutleryknife", "cutleryspoon"), fork),
    **dict.fromkeys(("juice", "milk"), carton),
    **dict.fromkeys(("magazine", "notes"), sheets),
    **dict.fromkeys(("cellphone", "remotecontrol"), gadget),
    **dict.fromkeys(("kitchenpaper", "toiletpaper"), roll),
    **dict.fromkeys(("pie", "plate"), dish),
    **dict.fromkeys(("shoes", "slippers"), pair),
    "bowl": bowl,
    "box": lidded,
    "candle": candle,
    "character": person,
    "cookingpot": pot,
    "cupcake": cupcake,
    "fryingpan": pan,
    "guitar": guitar,
    "mug": mug,
    "pillow": cushion,
    "pudding": pudding,
    "salad": greens,
    "teddybear": bear,
    "vase": can,
    "waterglass": glass,
    "wineglass": wine_glass,
}
