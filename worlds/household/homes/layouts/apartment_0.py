"""Apartment 0: a square of four rooms with two doors between kitchen and living room. No dishwasher."""

from __future__ import annotations

from worlds.household.homes.plan import Door, Plan, Room

PLAN = Plan(
    seed=100,
    rooms=(
        Room(
            "bathroom",
            corner=(6.5, 5.0),
            size=(3.5, 4.0),
            north="0.3 bathtub 0.3 laundrybasket / 1.0 window",
            east=("0.3 toilet 0.4 bathroomcounter sink+faucet 0.2 washingmachine / 1.15 mirror 0.1 bathroomcabinet"),
            south="0.05 shower",
            west="/ 2.5 towelrack",
            middle="mat 1.9 2.2 west",
        ),
        Room(
            "bedroom",
            corner=(0.0, 5.0),
            size=(6.5, 4.0),
            north=(
                "1.2 nightstand+tablelamp 0.05 bed+pillow*2 0.05 nightstand+tablelamp+clock 0.1 closet*2 / "
                "2.1 wallpictureframe"
            ),
            east="0.3 bookshelf",
            south="2.5 dresser+mirror 0.3 houseplant / 4.0 wallpictureframe 0.3 wallpictureframe",
            west="0.3 desk+computer+keyboard+mouse / 0.7 window",
            middle=(
                "chair 1.05 0.95 west; coffeetable 4.4 1.7 north; armchair 5.6 0.6 north; rug 4.4 1.7 "
                "north; standlamp 4.6 0.5 north"
            ),
        ),
        Room(
            "kitchen",
            corner=(6.0, 0.0),
            size=(4.0, 5.0),
            north="0.2 houseplant / 2.7 wallpictureframe",
            east=(
                "fridge kitchencounter+microwave stove kitchencounter+coffeemaker sink+faucet "
                "kitchencounterdrawer+toaster kitchencounterdrawer garbagecan / 0.75 kitchencabinet "
                "cookerhood kitchencabinet*3"
            ),
            south="1.2 bench / 0.7 window",
            west="/ 2.2 wallphone 0.3 clock",
            middle=(
                "kitchentable 1.6 2.5 east; chair 0.9 2.1 east; chair 0.9 2.9 east; chair 2.3 2.1 west; "
                "chair 2.3 2.9 west"
            ),
        ),
        Room(
            "livingroom",
            corner=(0.0, 0.0),
            size=(6.0, 5.0),
            north="2.5 bookshelf 0.2 wallshelf / 3.7 wallshelf 0.2 walllamp",
            east="2.0 bench / 2.2 wallpictureframe",
            south="2.0 cabinet+radio 0.3 bookshelf 0.2 houseplant / 2.2 wallpictureframe",
            west="1.2 tvstand+tv 0.15 speaker / 2.9 window",
            middle=(
                "sofa+pillow*2 3.6 1.9 west; coffeetable 2.3 1.9 west; rug 2.2 1.9 west; armchair 2.2 3.6 "
                "south; standlamp 3.6 3.3 west; coatrack 0.3 0.4 east"
            ),
        ),
    ),
    doors=(Door(1.0, 0.0), Door(6.0, 1.25), Door(6.0, 3.75), Door(1.5, 5.0), Door(6.5, 7.0), Door(8.0, 5.0)),
)
