"""Apartment 3, held out: a kitchen with a sofa, two sofas in the living room, no bench."""

from __future__ import annotations

from worlds.household.homes.plan import Door, Plan, Room

PLAN = Plan(
    seed=103,
    rooms=(
        Room(
            "kitchen",
            corner=(5.5, 0.0),
            size=(4.5, 6.0),
            north="2.8 kitchencounterdrawer / 2.8 kitchencabinet",
            east=(
                "fridge kitchencounter+microwave stove kitchencounter+coffeemaker sink+faucet dishwasher "
                "kitchencounterdrawer+toaster kitchencounterdrawer 0.3 garbagecan / 0.75 kitchencabinet "
                "cookerhood kitchencabinet*6"
            ),
            south="0.8 sofa+pillow 0.3 houseplant / 0.7 window",
            west="/ 2.4 clock 0.3 wallphone 0.3 wallpictureframe",
            middle=(
                "kitchentable 1.9 3.2 east; chair 1.2 2.8 east; chair 1.2 3.6 east; chair 2.6 2.8 west; "
                "chair 2.6 3.6 west"
            ),
        ),
        Room(
            "bathroom",
            corner=(5.5, 6.0),
            size=(4.5, 3.5),
            north="0.3 bathtub 0.4 shower 0.3 laundrybasket / 0.2 window",
            east="0.2 washingmachine 0.3 toilet / 0.3 towelrack",
            south="2.2 bathroomcounter sink+faucet / 2.2 mirror 0.1 bathroomcabinet",
            west="",
            middle="mat 2.3 1.6 south",
        ),
        Room(
            "bedroom",
            corner=(0.0, 5.5),
            size=(5.5, 4.0),
            north="0.6 dresser+mirror 0.8 desk+computer+keyboard+mouse 0.2 bookshelf / 2.1 window",
            east="2.0 closet",
            south="2.6 cabinet 0.4 armchair / 2.8 wallpictureframe 0.3 wallpictureframe",
            west=("0.5 nightstand+tablelamp 0.05 bed+pillow*2 0.05 nightstand+tablelamp+clock / 1.4 wallpictureframe"),
            middle="chair 3.1 3.0 north; rug 3.4 2.0 east; coatrack 5.2 0.4 west",
        ),
        Room(
            "livingroom",
            corner=(0.0, 0.0),
            size=(5.5, 5.5),
            north="2.3 wallshelf 0.2 wallshelf / 2.4 wallpictureframe 0.3 wallpictureframe",
            east="2.0 armchair",
            south="2.0 sofa+pillow*2 0.3 standlamp / 2.2 window",
            west="0.6 bookshelf*2 0.4 tvstand+tv 0.15 speaker / 3.6 walllamp",
            middle=(
                "sofa+pillow*2 3.0 3.6 south; coffeetable 2.9 2.1 north; rug 2.9 2.1 north; houseplant 0.4 5.0 east"
            ),
        ),
    ),
    doors=(Door(1.0, 0.0), Door(5.5, 1.25), Door(5.5, 4.5), Door(1.25, 5.5), Door(5.5, 7.0), Door(7.0, 6.0)),
)
