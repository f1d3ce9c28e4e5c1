"""The table of classes of things.

A line a class: name, category, depth, width and height in metres, colour as RGB in hexadecimal digits, properties.
The front of a thing looks along its depth. Names, categories and properties are those of VirtualHome where it has
them. Sizes are those of ordinary things of the name; colours are for pictures.

The number of a line is the class's number in observations, so agents that have learned depend on it: add new lines at
the end.
"""

from __future__ import annotations

TABLE = """
bathroom              Rooms        2.50  3.00  2.60  b9d3dc
bedroom               Rooms        4.00  4.00  2.60  d9cdb8
kitchen               Rooms        4.00  4.00  2.60  dcd6c4
livingroom            Rooms        5.00  5.00  2.60  cfc0a4
door                  Doors        0.10  0.90  2.05  a8835a  CAN_OPEN
character             Characters   0.40  0.40  1.70  d06a52  PERSON

bathroomcabinet       Furniture    0.20  0.70  0.70  e6e8e8  CAN_OPEN CONTAINERS
bathroomcounter       Furniture    0.50  0.60  0.85  d8d4cc  SURFACES
bathtub               Furniture    0.75  1.70  0.55  f2f4f4  SITTABLE LIEABLE CONTAINERS
bed                   Furniture    2.00  1.50  0.50  8aa0bf  SITTABLE LIEABLE SURFACES
bench                 Furniture    0.40  1.20  0.45  9c7448  SITTABLE SURFACES MOVABLE
bookshelf             Furniture    0.32  0.90  1.90  8a6238  CONTAINERS
cabinet               Furniture    0.45  1.20  0.90  a2713f  CAN_OPEN CONTAINERS SURFACES
chair                 Furniture    0.45  0.45  0.90  b0824e  SITTABLE SURFACES MOVABLE
armchair              Furniture    0.80  0.80  0.85  7f9472  SITTABLE SURFACES MOVABLE
closet                Furniture    0.60  1.20  2.05  c2a878  CAN_OPEN CONTAINERS
coatrack              Furniture    0.30  0.60  1.70  6f5a44  HANGABLE
coffeetable           Furniture    0.60  1.10  0.42  85603c  SURFACES MOVABLE
desk                  Furniture    0.65  1.30  0.74  b58a5a  SURFACES MOVABLE
dresser               Furniture    0.45  1.00  0.85  b79465  CAN_OPEN CONTAINERS SURFACES
kitchencabinet        Furniture    0.35  0.60  0.70  ded2ba  CAN_OPEN CONTAINERS
kitchencounter        Furniture    0.60  0.60  0.90  c8beac  SURFACES
kitchencounterdrawer  Furniture    0.60  0.60  0.90  cdc3b1  CAN_OPEN CONTAINERS SURFACES
kitchentable          Furniture    0.90  1.50  0.75  a67c4e  SURFACES MOVABLE
nightstand            Furniture    0.40  0.45  0.55  9a6f43  CAN_OPEN CONTAINERS SURFACES
shower                Furniture    0.90  0.90  2.00  cfe3ea
sink                  Furniture    0.50  0.60  0.88  eceeee  CONTAINERS SURFACES RECIPIENT
sofa                  Furniture    0.90  2.00  0.82  6f86a6  SITTABLE LIEABLE SURFACES MOVABLE
toilet                Furniture    0.65  0.42  0.78  f4f4f2  CAN_OPEN CONTAINERS SITTABLE
towelrack             Furniture    0.12  0.60  0.40  b8bcc0  SURFACES HANGABLE
tvstand               Furniture    0.40  1.40  0.50  5e4a38  SURFACES
radiator              Furniture    0.10  0.80  0.55  e4e2da
wallshelf             Furniture    0.25  0.90  0.04  96703f  SURFACES

coffeemaker           Appliances   0.25  0.22  0.35  3b3b40  HAS_SWITCH HAS_PLUG CONTAINERS RECIPIENT
cookerhood            Appliances   0.45  0.60  0.30  a9adb2  HAS_SWITCH HAS_PLUG
dishwasher            Appliances   0.60  0.60  0.90  b4b8bc  CAN_OPEN CONTAINERS HAS_SWITCH HAS_PLUG
fridge                Appliances   0.70  0.75  1.80  d4d8da  CAN_OPEN CONTAINERS HAS_PLUG
microwave             Appliances   0.38  0.50  0.30  4b4e53  CAN_OPEN CONTAINERS HAS_SWITCH HAS_PLUG
stove                 Appliances   0.60  0.60  0.90  5c6066  CAN_OPEN CONTAINERS SURFACES HAS_SWITCH HAS_PLUG
toaster               Appliances   0.20  0.30  0.20  c0b8b0  HAS_SWITCH HAS_PLUG CONTAINERS MOVABLE
washingmachine        Appliances   0.60  0.60  0.86  e2e5e7  CAN_OPEN CONTAINERS SURFACES HAS_SWITCH HAS_PLUG
computer              Electronics  0.20  0.50  0.45  2e3238  HAS_SWITCH HAS_PLUG LOOKABLE
printer               Electronics  0.35  0.40  0.22  62666c  HAS_SWITCH HAS_PLUG HAS_PAPER
radio                 Electronics  0.12  0.28  0.18  7a5b46  HAS_SWITCH HAS_PLUG MOVABLE
speaker               Electronics  0.25  0.22  0.60  3a3a3c  HAS_SWITCH HAS_PLUG MOVABLE
tv                    Electronics  0.10  1.10  0.65  22262b  HAS_SWITCH HAS_PLUG LOOKABLE
wallphone             Electronics  0.06  0.10  0.22  d9d2c2  HAS_SWITCH HAS_PLUG
lightswitch           Electronics  0.02  0.08  0.08  f0eee6  HAS_SWITCH
powersocket           Electronics  0.02  0.08  0.08  eceae2
ceilinglamp           Lamps        0.40  0.40  0.25  f2e2a8  HAS_SWITCH
standlamp             Lamps        0.35  0.35  1.60  e6cf8c  HAS_SWITCH HAS_PLUG MOVABLE
tablelamp             Lamps        0.22  0.22  0.42  ecd694  HAS_SWITCH HAS_PLUG MOVABLE
walllamp              Lamps        0.15  0.20  0.30  eedb9c  HAS_SWITCH

clock                 Decor        0.04  0.30  0.30  e0d8c8  LOOKABLE
curtain               Decor        0.10  0.30  1.40  c7b59c  CAN_OPEN COVER_OBJECT
houseplant            Decor        0.35  0.35  0.90  5f8f4e  MOVABLE
mirror                Decor        0.03  0.60  0.80  c4d6de  LOOKABLE
rug                   Decor        1.60  2.20  0.01  b46a5a  SITTABLE LIEABLE SURFACES MOVABLE
mat                   Decor        0.50  0.80  0.01  7d9aa6  SURFACES MOVABLE
vase                  Decor        0.14  0.14  0.28  6c8fb0  CONTAINERS RECIPIENT MOVABLE
wallpictureframe      Decor        0.03  0.60  0.45  94745a  LOOKABLE
window                Decor        0.12  1.20  1.20  a9cfe4  CAN_OPEN LOOKABLE

bowl                  Props        0.18  0.18  0.08  d8e0dc  GRABBABLE CONTAINERS RECIPIENT MOVABLE
coffeepot             Props        0.16  0.20  0.22  4a4238  GRABBABLE CAN_OPEN RECIPIENT POURABLE MOVABLE
faucet                Props        0.16  0.05  0.22  c4c8cc  HAS_SWITCH
condimentbottle       Props        0.07  0.07  0.20  b03a2e  GRABBABLE CREAM POURABLE MOVABLE
condimentshaker       Props        0.05  0.05  0.09  d0d0cc  GRABBABLE POURABLE MOVABLE
cookingpot            Props        0.25  0.25  0.16  8b9096  GRABBABLE CAN_OPEN CONTAINERS RECIPIENT MOVABLE
cutleryfork           Props        0.18  0.03  0.02  b8bdc4  GRABBABLE MOVABLE
cutleryknife          Props        0.20  0.03  0.02  aeb4bc  GRABBABLE MOVABLE
cutleryspoon          Props        0.17  0.04  0.02  c0c5cb  GRABBABLE MOVABLE
cuttingboard          Props        0.25  0.35  0.02  c09a62  GRABBABLE SURFACES MOVABLE
dishwashingliquid     Props        0.06  0.08  0.24  6fc06a  GRABBABLE POURABLE MOVABLE
fryingpan             Props        0.28  0.28  0.07  3a3c40  GRABBABLE CONTAINERS RECIPIENT MOVABLE
garbagecan            Props        0.32  0.32  0.50  6d7278  CAN_OPEN CONTAINERS MOVABLE
kitchenpaper          Props        0.12  0.12  0.24  f4f2ea  GRABBABLE HAS_PAPER COVER_OBJECT MOVABLE
kettle                Props        0.18  0.20  0.24  9aa2aa  GRABBABLE CAN_OPEN RECIPIENT POURABLE MOVABLE
mug                   Props        0.09  0.11  0.10  3f78a8  GRABBABLE RECIPIENT POURABLE MOVABLE
oventray              Props        0.32  0.40  0.03  4a4642  GRABBABLE SURFACES MOVABLE
placemat              Props        0.30  0.42  0.01  9fb07a  GRABBABLE SURFACES MOVABLE
plate                 Props        0.24  0.24  0.02  f0ece0  GRABBABLE SURFACES RECIPIENT MOVABLE
washingsponge         Props        0.08  0.11  0.04  e8cf4a  GRABBABLE MOVABLE
waterglass            Props        0.07  0.07  0.13  bfe0ee  GRABBABLE RECIPIENT POURABLE MOVABLE
wineglass             Props        0.08  0.08  0.20  d6e2ea  GRABBABLE RECIPIENT POURABLE MOVABLE

apple                 Food         0.08  0.08  0.08  c8342c  GRABBABLE EATABLE CUTTABLE MOVABLE
bananas               Food         0.16  0.20  0.07  ead84e  GRABBABLE EATABLE CUTTABLE MOVABLE
bellpepper            Food         0.08  0.08  0.10  d8822e  GRABBABLE EATABLE CUTTABLE MOVABLE
breadslice            Food         0.10  0.11  0.02  d8b47a  GRABBABLE EATABLE CUTTABLE MOVABLE
butter                Food         0.07  0.12  0.05  f0e08c  GRABBABLE EATABLE CUTTABLE MOVABLE
carrot                Food         0.04  0.18  0.04  e8852a  GRABBABLE EATABLE CUTTABLE MOVABLE
cereal                Food         0.07  0.20  0.30  d89a3a  GRABBABLE EATABLE POURABLE MOVABLE
cheese                Food         0.10  0.14  0.06  ecc64a  GRABBABLE EATABLE CUTTABLE MOVABLE
chips                 Food         0.08  0.18  0.26  e2b23c  GRABBABLE EATABLE POURABLE MOVABLE
chocolatebar          Food         0.08  0.16  0.02  6a4228  GRABBABLE EATABLE CUTTABLE MOVABLE
crackers              Food         0.06  0.16  0.22  cc7a3a  GRABBABLE EATABLE MOVABLE
cucumber              Food         0.05  0.22  0.05  5a9a44  GRABBABLE EATABLE CUTTABLE MOVABLE
cupcake               Food         0.08  0.08  0.08  e59ab0  GRABBABLE EATABLE CUTTABLE MOVABLE
eggs                  Food         0.12  0.28  0.08  e8d8bc  GRABBABLE EATABLE MOVABLE
juice                 Food         0.08  0.08  0.24  f09a2c  GRABBABLE DRINKABLE POURABLE MOVABLE
lemon                 Food         0.06  0.08  0.06  eee04c  GRABBABLE EATABLE CUTTABLE MOVABLE
milk                  Food         0.08  0.08  0.24  eef2f4  GRABBABLE DRINKABLE POURABLE MOVABLE
pancake               Food         0.16  0.16  0.03  dba858  GRABBABLE EATABLE CUTTABLE MOVABLE
peach                 Food         0.08  0.08  0.08  efa07a  GRABBABLE EATABLE CUTTABLE MOVABLE
pear                  Food         0.08  0.08  0.11  b8c650  GRABBABLE EATABLE CUTTABLE MOVABLE
pie                   Food         0.24  0.24  0.05  c68a46  GRABBABLE EATABLE CUTTABLE MOVABLE
plum                  Food         0.06  0.06  0.06  7a4a86  GRABBABLE EATABLE CUTTABLE MOVABLE
potato                Food         0.07  0.10  0.07  b89458  GRABBABLE EATABLE CUTTABLE MOVABLE
poundcake             Food         0.11  0.22  0.10  d2a04e  GRABBABLE EATABLE CUTTABLE MOVABLE
pudding               Food         0.09  0.09  0.07  a8743c  GRABBABLE EATABLE CREAM MOVABLE
salad                 Food         0.16  0.16  0.10  78b04c  GRABBABLE EATABLE MOVABLE
salmon                Food         0.10  0.22  0.04  ee8a70  GRABBABLE EATABLE CUTTABLE MOVABLE
tomato                Food         0.08  0.08  0.07  d6402e  GRABBABLE EATABLE CUTTABLE MOVABLE
wine                  Food         0.08  0.08  0.31  6e2438  GRABBABLE DRINKABLE POURABLE MOVABLE

barsoap               Props        0.06  0.09  0.03  e8c8d4  GRABBABLE CREAM MOVABLE
bathtowel             Props        0.35  0.45  0.10  8fb8c8  GRABBABLE COVER_OBJECT MOVABLE
facecream             Props        0.06  0.06  0.06  f0e4d8  GRABBABLE CAN_OPEN CREAM MOVABLE
hairbrush             Props        0.06  0.22  0.04  8a5c7a  GRABBABLE MOVABLE
hairdryer             Props        0.10  0.20  0.20  c05a7a  GRABBABLE HAS_SWITCH HAS_PLUG MOVABLE
laundrybasket         Props        0.40  0.55  0.50  d2bf9a  CONTAINERS MOVABLE
perfume               Props        0.05  0.06  0.11  d8a8c8  GRABBABLE POURABLE MOVABLE
shampoo               Props        0.06  0.08  0.22  58b0a8  GRABBABLE CREAM POURABLE MOVABLE
toiletpaper           Props        0.11  0.11  0.10  f6f4ee  GRABBABLE HAS_PAPER CUTTABLE COVER_OBJECT MOVABLE
toothbrush            Props        0.02  0.18  0.02  4a9ad0  GRABBABLE MOVABLE
toothpaste            Props        0.04  0.16  0.04  e0f0f4  GRABBABLE CAN_OPEN CREAM POURABLE MOVABLE

ball                  Props        0.18  0.18  0.18  3c8ac8  GRABBABLE MOVABLE
boardgame             Props        0.28  0.38  0.07  7c4a9a  GRABBABLE CAN_OPEN MOVABLE
book                  Props        0.16  0.23  0.04  8c3c34  GRABBABLE CAN_OPEN READABLE CUTTABLE HAS_PAPER MOVABLE
box                   Props        0.30  0.40  0.25  c8a06a  GRABBABLE CAN_OPEN CONTAINERS MOVABLE
candle                Props        0.07  0.07  0.10  f2e6d0  GRABBABLE HAS_SWITCH MOVABLE
cellphone             Props        0.08  0.15  0.02  2c2e34  GRABBABLE HAS_SWITCH MOVABLE
clothespile           Props        0.30  0.40  0.15  8a94b4  GRABBABLE CLOTHES HANGABLE MOVABLE
folder                Props        0.24  0.32  0.04  3a6ea8  GRABBABLE CAN_OPEN READABLE HAS_PAPER MOVABLE
guitar                Props        0.12  0.38  0.98  a8662c  GRABBABLE MOVABLE
hanger                Props        0.03  0.42  0.22  b49a74  GRABBABLE HANGABLE MOVABLE
keyboard              Props        0.14  0.42  0.03  40444a  GRABBABLE HAS_PLUG MOVABLE
keys                  Props        0.05  0.09  0.02  c8b460  GRABBABLE MOVABLE
magazine              Props        0.21  0.28  0.01  d05a6a  GRABBABLE READABLE CUTTABLE HAS_PAPER MOVABLE
mouse                 Props        0.10  0.06  0.04  54585e  GRABBABLE HAS_PLUG MOVABLE
notes                 Props        0.15  0.21  0.01  f4ecb0  GRABBABLE READABLE CUTTABLE HAS_PAPER MOVABLE
photoframe            Props        0.05  0.18  0.24  7a6048  GRABBABLE LOOKABLE MOVABLE
pillow                Props        0.40  0.55  0.14  e4dcd0  GRABBABLE MOVABLE
remotecontrol         Props        0.18  0.05  0.03  34363c  GRABBABLE HAS_SWITCH MOVABLE
shirt                 Props        0.28  0.32  0.05  5a88b8  GRABBABLE CLOTHES HANGABLE MOVABLE
shoes                 Props        0.28  0.22  0.12  5c4234  GRABBABLE CLOTHES MOVABLE
slippers              Props        0.27  0.22  0.08  b07a8a  GRABBABLE CLOTHES MOVABLE
teddybear             Props        0.20  0.24  0.32  b88a58  GRABBABLE MOVABLE
trousers              Props        0.30  0.36  0.06  48587a  GRABBABLE CLOTHES HANGABLE MOVABLE
"""
