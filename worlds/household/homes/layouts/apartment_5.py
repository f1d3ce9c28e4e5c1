"""Apartment 5: small, with drawers instead of kitchen cabinets. No dishwasher."""

from __future__ import annotations

from worlds.household.homes.plan import Door, Plan, Room

PLAN = Plan(
    seed=105,
    rooms=(
        Room(
            "bathroom",
            corner=(0.0, 0.0),
            size=(3.0, 3.5),
            north="0.05 shower",
            east="0.9 bathroomcounter sink+faucet / 0.9 mirror 0.05 bathroomcabinet",
            south="0.2 bathtub 0.2 laundrybasket / 0.5 window",
            west="1.0 toilet 0.2 washingmachine / 1.1 towelrack",
            middle="mat 1.5 1.6 south",
        ),
        Room(
            "bedroom",
            corner=(0.0, 3.5),
            size=(4.5, 4.5),
            north="0.4 closet 0.3 dresser+mirror 0.3 bookshelf",
            east="2.4 armchair 0.2 standlamp",
            south="2.8 desk+computer+keyboard+mouse / 3.0 wallpictureframe",
            west=("0.9 nightstand+tablelamp 0.05 bed+pillow*2 0.05 nightstand+tablelamp+clock / 1.25 window"),
            middle="chair 3.45 1.0 south; coffeetable 3.0 2.9 east; rug 3.0 2.9 east",
        ),
        Room(
            "kitchen",
            corner=(3.0, 0.0),
            size=(6.0, 3.5),
            north="3.2 bench / 3.4 wallpictureframe",
            east="0.9 kitchencounterdrawer+toaster 0.2 garbagecan / 1.0 clock 0.3 wallphone",
            south=(
                "0.5 fridge kitchencounterdrawer+microwave kitchencounterdrawer stove "
                "kitchencounterdrawer+coffeemaker sink+faucet kitchencounterdrawer*2 / 1.9 cookerhood 0.3 "
                "window"
            ),
            west="0.9 houseplant",
            middle=(
                "kitchentable 2.7 2.1 north; chair 2.3 1.4 north; chair 3.1 1.4 north; chair 3.7 2.1 west; "
                "chair 1.7 2.1 east"
            ),
        ),
        Room(
            "livingroom",
            corner=(4.5, 3.5),
            size=(4.5, 4.5),
            north="0.3 bookshelf 0.2 tvstand+tv 0.15 speaker 0.2 coatrack / 1.6 wallpictureframe",
            east="0.8 cabinet+radio 0.2 bookshelf / 0.2 window",
            south="1.7 bench / 1.9 wallpictureframe",
            west="2.6 standlamp",
            middle=("sofa+pillow*2 2.3 1.9 north; coffeetable 2.3 2.9 north; rug 2.3 3.0 north; armchair 0.9 3.0 east"),
        ),
    ),
    doors=(Door(5.3, 3.5), Door(8.3, 3.5), Door(4.5, 4.8), Door(3.0, 2.75), Door(1.7, 3.5), Door(9.0, 2.8)),
)
