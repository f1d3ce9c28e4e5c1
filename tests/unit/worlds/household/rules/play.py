"""Play in the small home, for tests of the rules."""

from __future__ import annotations

from tests.unit.worlds.household.small_home import ROW, small_home
from worlds.household.navigation.ways import Ways
from worlds.household.rules import apply
from worlds.household.rules.bodies import stand_at
from worlds.household.rules.joint import WAITING, Act
from worlds.household.state.home import NO_ROW
from worlds.household.state.tables import tables
from worlds.household.state.vocabulary import Condition, Held, Verb

RIGHT, LEFT = Held.RIGHT_HAND, Held.LEFT_HAND
ARRAYS = ("held", "parent", "room", "conditions", "centre", "facing")


class Play:
    """The small home in which the setter acts, and the solver where a test says so."""

    def __init__(self, seed: int = 0) -> None:
        self.home, self.state = small_home()
        self.ways, self.seed = Ways(self.home, self.state), seed

    def __call__(self, verb: Verb, name: str = "", hand: Held = RIGHT, full: bool = False) -> str:
        """Let the setter act and return why it failed."""
        return self.both(act(verb, name, hand), WAITING, full)[0]

    def both(self, setter: Act, solver: Act, full: bool = False) -> tuple[str, str]:
        """Let both act and return why each failed."""
        return apply(self.home, self.state, self.ways, (setter, solver), self.seed, full)

    def bring(self, person: str, x: float, y: float) -> None:
        """Set a person down somewhere, with what it holds."""
        number = self.home.persons.index(ROW[person])
        facing, room = float(self.state.facing[number]), self.ways.room_at((x, y))
        stand_at(tables(self.home, self.state), number, x, y, facing, room)

    def become(self, name: str, condition: Condition) -> None:
        """Set the conditions of a thing."""
        self.state.conditions[ROW[name]] = condition

    def where(self, name: str) -> tuple[Held, str]:
        """Return where a thing is."""
        row = ROW[name]
        names = {number: each for each, number in ROW.items()} | {NO_ROW: ""}
        return Held(int(self.state.held[row])), names[int(self.state.parent[row])]

    def bits(self) -> list[bytes]:
        """Return the bits of the state, without the number of the step."""
        return [getattr(self.state, name).tobytes() for name in ARRAYS]


def act(verb: Verb, name: str = "", hand: Held = RIGHT) -> Act:
    """Return an action that points at a thing by its name in the small home."""
    return verb, ROW[name] if name else NO_ROW, hand
