"""Apartment 1: four rooms around a cross of walls, two sofas."""

from __future__ import annotations

from worlds.household.homes.plan import Door, Plan, Room

PLAN = Plan(
    seed=101,
    rooms=(
        Room(
            "bathroom",
            corner=(0.0, 5.0),
            size=(5.0, 3.0),
            north="0.3 bathtub 0.3 shower 0.4 laundrybasket / 0.2 window",
            east="/ 0.1 walllamp",
            south="0.8 bathroomcounter sink+faucet bathroomcounter / 0.8 mirror 0.1 bathroomcabinet",
            west="0.6 washingmachine 0.1 toilet / 0.7 towelrack",
            middle="mat 2.0 1.4 south",
        ),
        Room(
            "kitchen",
            corner=(0.0, 0.0),
            size=(5.0, 5.0),
            north="1.2 houseplant / 1.0 wallpictureframe",
            east="1.9 bench / 2.2 wallpictureframe 0.3 clock",
            south=(
                "1.2 kitchencounter+coffeemaker kitchencounterdrawer+toaster kitchencounter 0.3 garbagecan "
                "/ 1.2 kitchencabinet*3 window"
            ),
            west=(
                "fridge kitchencounterdrawer stove kitchencounter+microwave dishwasher sink+faucet "
                "kitchencounterdrawer / 0.75 kitchencabinet cookerhood kitchencabinet*4"
            ),
            middle=(
                "kitchentable 2.9 2.6 north; chair 2.5 1.9 north; chair 3.3 1.9 north; chair 2.5 3.3 south; "
                "chair 3.3 3.3 south"
            ),
        ),
        Room(
            "bedroom",
            corner=(5.0, 4.5),
            size=(6.0, 3.5),
            north=(
                "0.4 nightstand+tablelamp 0.05 bed+pillow*2 0.05 nightstand+tablelamp+clock 0.1 closet / 4.2 window"
            ),
            east="0.4 sofa+pillow / 2.6 wallpictureframe",
            south="2.3 cabinet 0.4 bookshelf / 2.6 mirror",
            west="0.1 coatrack",
            middle="coffeetable 4.5 1.4 east; rug 4.4 1.4 east; houseplant 5.7 2.8 south",
        ),
        Room(
            "livingroom",
            corner=(5.0, 0.0),
            size=(6.0, 4.5),
            north="2.2 bench 0.3 bookshelf 0.2 houseplant / 2.4 wallpictureframe 0.2 walllamp",
            east="1.6 desk+computer+keyboard+mouse / 1.5 wallshelf 0.4 wallpictureframe",
            south="0.5 tvstand+tv 0.2 speaker 0.4 bookshelf / 3.8 window",
            west="0.2 standlamp",
            middle=(
                "sofa+pillow*2 1.6 2.6 south; coffeetable 1.6 1.5 south; rug 1.6 1.5 south; armchair 3.4 "
                "1.6 west; chair 4.9 2.25 east"
            ),
        ),
    ),
    doors=(Door(11.0, 0.9), Door(5.0, 1.25), Door(5.0, 4.0), Door(6.5, 4.5), Door(5.0, 6.5), Door(4.0, 5.0)),
)
