"""Apartment 6, held out: two fridges, and a bedroom that is the largest room."""

from __future__ import annotations

from worlds.household.homes.plan import Door, Plan, Room

PLAN = Plan(
    seed=106,
    rooms=(
        Room(
            "bathroom",
            corner=(0.0, 5.0),
            size=(3.5, 4.0),
            north="0.3 bathtub 0.3 laundrybasket / 0.4 window",
            east="2.2 bathroomcounter sink+faucet / 2.1 mirror 0.05 bathroomcabinet",
            south="0.05 shower",
            west="1.2 washingmachine 0.2 toilet / 2.6 towelrack",
            middle="mat 1.9 1.8 east",
        ),
        Room(
            "kitchen",
            corner=(0.0, 0.0),
            size=(4.5, 5.0),
            north="/ 0.7 clock 1.6 wallpictureframe",
            east="2.2 garbagecan / 2.2 wallphone",
            south=("1.2 kitchencounterdrawer+toaster kitchencounterdrawer*2 kitchencounter / 1.2 kitchencabinet*4"),
            west=(
                "fridge*2 kitchencounter+microwave stove kitchencounter+coffeemaker sink+faucet dishwasher / 1.5 "
                "kitchencabinet cookerhood kitchencabinet*3"
            ),
            middle=(
                "kitchentable 2.4 2.7 north; chair 2.0 2.0 north; chair 2.8 2.0 north; chair 2.0 3.4 south; "
                "chair 2.8 3.4 south"
            ),
        ),
        Room(
            "livingroom",
            corner=(4.5, 0.0),
            size=(6.0, 5.0),
            north="2.2 bench 0.3 coatrack / 2.0 wallpictureframe 0.3 wallpictureframe",
            east="1.5 tvstand+tv 0.15 speaker / 3.15 window",
            south="1.0 bookshelf 0.3 bench 0.4 bookshelf 0.2 houseplant / 1.95 window",
            west="",
            middle=(
                "sofa+pillow*2 2.7 2.4 east; coffeetable 3.9 2.4 east; rug 4.0 2.3 east; armchair 3.9 3.8 "
                "south; standlamp 2.7 3.7 west"
            ),
        ),
        Room(
            "bedroom",
            corner=(3.5, 5.0),
            size=(7.0, 4.0),
            north=(
                "1.0 nightstand+tablelamp 0.05 bed+pillow*2 0.05 nightstand+tablelamp+clock 0.5 closet*2 / "
                "1.9 wallpictureframe"
            ),
            east="0.4 bookshelf 0.4 dresser+mirror / 1.4 window",
            south="3.6 cabinet 0.3 desk+computer+keyboard+mouse / 3.8 wallpictureframe 0.8 wallshelf",
            west="2.6 armchair",
            middle=("chair 5.75 1.05 south; coffeetable 4.4 1.9 north; rug 4.4 1.9 north; houseplant 0.4 0.4 east"),
        ),
    ),
    doors=(Door(10.5, 0.9), Door(4.5, 1.3), Door(4.5, 4.0), Door(6.0, 5.0), Door(3.5, 6.5), Door(2.0, 5.0)),
)
