"""Small things, distributed over an apartment from its seed to where such things belong."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

from worlds.household.catalogue.classes import CLASS_OF
from worlds.household.homes.building import SIDES, turned
from worlds.household.homes.draft import Draft
from worlds.household.state.vocabulary import Held

# A line a class: the fewest and the most in an apartment, and where they belong. Each thing goes to one of the kinds
# of furniture that the apartment has, all as likely; to one that is written twice, twice as likely.
BELONGS = """
plate               6  8  in kitchencabinet, in kitchencabinet, in kitchencounterdrawer, on kitchentable, in dishwasher
waterglass          4  6  in kitchencabinet, in kitchencabinet, in kitchencounterdrawer, on kitchentable, on nightstand
wineglass           3  5  in kitchencabinet, in kitchencabinet, in kitchencounterdrawer, in cabinet, on coffeetable
mug                 3  5  in kitchencabinet, on desk, on kitchencounter, on kitchencounterdrawer
bowl                3  4  in kitchencabinet, in kitchencounterdrawer, on kitchentable, in dishwasher
cutleryfork         4  6  in kitchencounterdrawer, in kitchencabinet, on kitchentable, in dishwasher
cutleryknife        4  5  in kitchencounterdrawer, in kitchencabinet, on kitchentable
cutleryspoon        4  5  in kitchencounterdrawer, in kitchencabinet, on kitchentable
coffeepot           1  2  in kitchencabinet, on kitchencounter, on kitchencounterdrawer
condimentbottle     1  2  in fridge, in kitchencabinet, on kitchentable
condimentshaker     2  3  on stove, in kitchencabinet, on kitchentable
cookingpot          1  2  on stove, in kitchencounterdrawer, in kitchencabinet
cuttingboard        1  1  on kitchencounter, on kitchencounterdrawer
dishwashingliquid   1  1  in sink, on kitchencounter
fryingpan           1  1  on stove, in kitchencounterdrawer
kitchenpaper        1  1  on kitchencounter, on kitchencounterdrawer
kettle              1  1  on kitchencounter, on kitchencounterdrawer, on stove
oventray            1  1  in stove
placemat            2  3  on kitchentable
washingsponge       1  2  in sink
apple               3  4  in fridge, on kitchentable, on kitchencounter
bananas             1  2  on kitchentable, on kitchencounter, on kitchencounterdrawer
bellpepper          1  2  in fridge, on kitchencounter
breadslice          1  2  in toaster, on plate, on kitchencounter
butter              1  1  in fridge
carrot              1  2  in fridge
cereal              1  2  in kitchencabinet, on kitchencounter, on kitchencounterdrawer
cheese              1  2  in fridge
chips               1  2  in kitchencabinet, on coffeetable, on kitchencounterdrawer
chocolatebar        1  2  in kitchencabinet, on desk, in kitchencounterdrawer
crackers            1  1  in kitchencabinet, on kitchencounterdrawer
cucumber            1  2  in fridge
cupcake             2  3  on kitchencounter, in fridge, on coffeetable, on kitchentable
eggs                1  1  in fridge
juice               1  2  in fridge, on kitchentable
lemon               1  2  in fridge, on kitchencounter
milk                1  2  in fridge
pancake             1  2  in fridge, in microwave, on stove
peach               1  2  in fridge, on kitchentable
pear                1  2  in fridge, on kitchencounter
pie                 1  1  in fridge, in stove
plum                1  2  in fridge, on kitchentable
potato              1  2  in kitchencounterdrawer, on kitchencounter
poundcake           1  2  in microwave, in fridge, on kitchencounterdrawer
pudding             1  2  in fridge
salad               1  1  in fridge
salmon              1  1  in fridge, in stove
tomato              1  2  in fridge, on kitchencounter
wine                1  2  in kitchencabinet, in cabinet, in fridge
barsoap             1  2  on bathroomcounter, in bathtub
bathtowel           2  4  on bathroomcounter, on washingmachine, in laundrybasket
facecream           1  2  in bathroomcabinet, on bathroomcounter
hairbrush           1  1  on bathroomcounter, on dresser
hairdryer           1  1  on bathroomcounter, on dresser
perfume             1  2  in bathroomcabinet, on dresser, on nightstand
shampoo             1  2  in bathtub, in bathroomcabinet
toiletpaper         2  3  on washingmachine, on bathroomcounter
toothbrush          1  2  on bathroomcounter, in bathroomcabinet
toothpaste          1  1  on bathroomcounter, in bathroomcabinet
ball                1  1  in closet, in bookshelf
boardgame           2  3  in bookshelf, in closet, in cabinet
book                7 10  in bookshelf, in bookshelf, on nightstand, on desk, in cabinet, on bench, on sofa
box                 2  3  in closet, in closet, in bookshelf
candle              2  3  on coffeetable, on wallshelf, on bathroomcounter
cellphone           1  1  on nightstand, on sofa, on kitchentable
clothespile         2  3  in closet, in laundrybasket, on washingmachine
folder              2  3  on desk, in bookshelf
guitar              1  1  on bed, on sofa
hanger              4  6  in closet
keys                1  1  on dresser, on cabinet, on tvstand
magazine            2  3  on coffeetable, on sofa, in bookshelf
notes               2  3  on desk, on kitchentable
photoframe          3  4  on wallshelf, on dresser, in bookshelf, on cabinet
printer             1  1  on desk, on cabinet
remotecontrol       1  2  on sofa, on coffeetable, on tvstand
shirt               2  4  in closet, on bed, in laundrybasket
shoes               2  3  on mat, in closet
slippers            1  1  on rug
teddybear           1  1  on bed, on armchair
trousers            2  3  in closet, in dresser, on chair
vase                1  2  on wallshelf, on kitchentable, on cabinet, on dresser
"""
TRIES = 20  # of places for a thing
SIZES = 0.08  # sizes vary by this share


def scatter(draft: Draft, seed: int) -> None:
    """Add the small things to an apartment; one that finds no place is left out.

    Args:
      draft: the apartment with its furniture.
      seed: the same seed always leads to the same things at the same places.
    """
    # Only random() is used: Python promises that its numbers stay the same.
    chance = random.Random(seed).random
    for line in filter(None, BELONGS.splitlines()):
        name, fewest, most, places = line.split(maxsplit=3)
        count = int(fewest) + math.floor(chance() * (int(most) - int(fewest) + 1))
        for _ in range(count):
            _add(draft, name, places.split(", "), chance)


def _add(draft: Draft, name: str, places: Sequence[str], chance: Callable[[], float]) -> None:
    there = [
        (Held.ON if word == "on" else Held.INSIDE, rows)
        for word, kind in map(str.split, places)
        if (rows := draft.rows(kind))
    ]
    for _ in range(TRIES if there else 0):
        held, rows = there[math.floor(chance() * len(there))]
        parent = rows[math.floor(chance() * len(rows))]
        side = ("east", "north", "west", "south")[math.floor(chance() * 4)]
        share = 1 + SIZES * (2 * chance() - 1)
        depth, width, height = (round(share * length, 3) for length in CLASS_OF[name].size)
        box = draft.things[parent].box
        near = box.low(0) + chance() * box.size[0], box.low(1) + chance() * box.size[1]
        size = turned((depth, width, height), side)
        found = draft.spot(size, held, parent, near)
        if found:
            draft.add(name, found, SIDES[side], held, parent)
            return
