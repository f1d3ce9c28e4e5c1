"""Apartment 4: three rooms in a row and a bathroom; a sofa in each of the three, no coffee table."""

from __future__ import annotations

from worlds.household.homes.plan import Door, Plan, Room

PLAN = Plan(
    seed=104,
    rooms=(
        Room(
            "livingroom",
            corner=(0.0, 0.0),
            size=(5.0, 6.0),
            north="0.5 desk+computer+keyboard+mouse 0.4 bookshelf*2 / 0.9 wallpictureframe",
            east="2.2 dresser / 2.3 wallpictureframe",
            south="2.1 armchair / 3.0 window",
            west="0.6 bookshelf 0.5 tvstand+tv 0.15 speaker 0.4 houseplant / 3.0 window",
            middle="sofa+pillow*2 2.7 2.3 west; rug 1.6 2.3 west; standlamp 2.7 3.6 west; chair 1.15 5.0 north",
        ),
        Room(
            "kitchen",
            corner=(5.0, 0.0),
            size=(5.0, 6.0),
            north=(
                "0.9 fridge kitchencounter+microwave stove kitchencounter+coffeemaker sink+faucet "
                "dishwasher / 1.65 kitchencabinet cookerhood kitchencabinet*3"
            ),
            east="2.25 sofa+pillow / 2.6 wallpictureframe",
            south=(
                "0.5 kitchencounterdrawer+toaster kitchencounterdrawer*2 kitchencounter 0.3 garbagecan / "
                "0.5 kitchencabinet*4 0.3 clock"
            ),
            west="2.4 houseplant / 2.6 wallphone",
            middle=(
                "kitchentable 2.3 3.0 north; chair 1.9 2.3 north; chair 2.7 2.3 north; chair 1.9 3.7 south; "
                "chair 2.7 3.7 south"
            ),
        ),
        Room(
            "bedroom",
            corner=(10.0, 0.0),
            size=(5.0, 3.5),
            north="2.0 cabinet / 2.2 mirror",
            east=("0.4 nightstand+tablelamp 0.05 bed+pillow*2 0.05 nightstand+tablelamp+clock / 1.2 wallpictureframe"),
            south="0.05 sofa+pillow / 0.2 window",
            west="2.2 closet",
            middle="rug 1.6 1.8 north; laundrybasket 4.6 3.2 west",
        ),
        Room(
            "bathroom",
            corner=(10.0, 3.5),
            size=(5.0, 2.5),
            north="1.0 bathtub 0.3 shower / 1.0 window",
            east="0.3 washingmachine / 0.2 towelrack",
            south="1.9 bathroomcounter sink+faucet 0.2 toilet / 1.9 mirror 0.1 bathroomcabinet",
            west="",
            middle="mat 2.0 1.3 south",
        ),
    ),
    doors=(Door(1.0, 0.0), Door(5.0, 1.5), Door(5.0, 4.5), Door(10.0, 1.75), Door(10.0, 4.75), Door(11.25, 3.5)),
)
