"""Apartment 2: five rooms, two of them bedrooms, and a second table in the living room."""

from __future__ import annotations

from worlds.household.homes.plan import Door, Plan, Room

PLAN = Plan(
    seed=102,
    rooms=(
        Room(
            "kitchen",
            corner=(0.0, 0.0),
            size=(5.0, 4.5),
            north="/ 0.6 wallpictureframe",
            east="2.4 garbagecan / 2.2 clock 0.3 wallphone",
            south=(
                "1.0 kitchencounterdrawer+toaster kitchencounterdrawer kitchencounter+coffeemaker 0.3 bench "
                "/ 0.75 kitchencabinet*4 window"
            ),
            west=(
                "fridge kitchencounter+microwave stove kitchencounter sink+faucet dishwasher / 0.75 "
                "kitchencabinet cookerhood kitchencabinet*3"
            ),
            middle=(
                "kitchentable 2.6 2.6 north; chair 2.2 1.9 north; chair 3.0 1.9 north; chair 2.2 3.3 south; "
                "chair 3.0 3.3 south"
            ),
        ),
        Room(
            "livingroom",
            corner=(5.0, 0.0),
            size=(7.0, 4.5),
            north="1.7 bookshelf 3.0 coatrack / 1.8 wallpictureframe 1.8 wallshelf",
            east="1.9 bench / 1.8 wallpictureframe 0.2 walllamp",
            south="0.9 bookshelf 0.3 tvstand+tv 0.2 speaker 0.6 bench 0.4 houseplant / 4.2 window",
            west="",
            middle=(
                "sofa+pillow*2 2.5 2.5 south; coffeetable 2.5 1.5 south; rug 2.5 1.4 south; standlamp 3.9 "
                "2.6 south; kitchentable 5.2 2.5 north; chair 4.8 1.8 north; chair 5.6 1.8 north; chair 4.8 "
                "3.2 south; chair 5.6 3.2 south"
            ),
        ),
        Room(
            "bedroom",
            corner=(0.0, 4.5),
            size=(4.5, 4.5),
            north="0.9 desk+computer+keyboard+mouse 0.3 bookshelf / 0.7 window",
            east="2.05 closet cabinet",
            south="3.2 bench",
            west=("0.3 nightstand+tablelamp 0.05 bed+pillow*2 0.05 nightstand+tablelamp+clock / 1.3 wallpictureframe"),
            middle="chair 1.55 3.55 north; rug 3.0 2.2 north",
        ),
        Room(
            "bathroom",
            corner=(4.5, 4.5),
            size=(3.0, 4.5),
            north="0.5 bathtub / 0.5 window",
            east="0.2 washingmachine 1.5 shower / 3.4 towelrack",
            west="0.1 toilet 1.9 bathroomcounter sink+faucet / 2.4 mirror 0.1 bathroomcabinet",
            middle="mat 1.5 2.8 north",
        ),
        Room(
            "bedroom",
            corner=(7.5, 4.5),
            size=(4.5, 4.5),
            north="0.4 closet 0.2 dresser+mirror / 2.0 window",
            east="1.0 bed+pillow 0.05 nightstand+tablelamp 0.1 bookshelf / 1.4 wallpictureframe",
            south="1.6 armchair / 2.6 wallpictureframe",
            west="0.2 laundrybasket",
            middle="rug 1.5 2.2 east; houseplant 0.4 3.0 east",
        ),
    ),
    doors=(
        Door(12.0, 1.2),
        Door(5.0, 1.5),
        Door(5.0, 3.6),
        Door(2.6, 4.5),
        Door(4.5, 6.0),
        Door(6.0, 4.5),
        Door(8.5, 4.5),
        Door(7.5, 6.0),
    ),
)
