"""The five predicate sets from which goals are sampled: five activities of a household.

Classes and ranges are those of Watch-And-Help (Puig et al., 2021, Table 2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from worlds.contract import WorldError
from worlds.household.state.home import Home
from worlds.household.tasks.predicates import Relation, parse, texts

_DISHES = {"plate": 2, "waterglass": 2, "wineglass": 2, "cutleryfork": 2}
_FOOD = {"cupcake": 2, "juice": 1, "pancake": 1, "poundcake": 1, "wine": 1, "pudding": 2, "apple": 2}
_SNACKS = {"cupcake": 2, "juice": 1, "wine": 1, "pudding": 2, "apple": 2}

FEWEST, MOST = 2, 6  # things of a goal of one set, the book among them; its seat is not counted


@dataclass(frozen=True)
class PredicateSet:
    """Goals of one activity.

    Args:
      clutter: classes of things that are cleared off the places of its goals; None clears everything.
    """

    name: str
    most: Mapping[str, int]
    always: Mapping[str, int]
    clutter: frozenset[str] | None = None

    @property
    def places(self) -> tuple[str, ...]:
        """Classes of the places that its goals name."""
        named = [parse(text) for text in (*self.most, *self.always)]
        return tuple(dict.fromkeys(each.place for each in named if each.relation is not Relation.HOLDS))

    @property
    def predicates(self) -> tuple[str, ...]:
        """All its predicates."""
        return (*self.always, *self.most)

    def goals(self) -> Iterator[dict[str, int]]:
        """Yield every goal of the set, always in the same order.

        The reference draws each count uniformly and draws again until the number of things is in range, so each of
        these goals is as likely as any other.
        """
        always = sum(count for text, count in self.always.items() if parse(text).relation is not Relation.SIT)
        for counts in product(*(range(most + 1) for most in self.most.values())):
            if FEWEST <= always + sum(counts) <= MOST:
                yield dict(self.always) | {text: count for text, count in zip(self.most, counts, strict=True) if count}


def _placed(relation: Relation, most: Mapping[str, int], place: str) -> dict[str, int]:
    return dict(zip(texts(relation, most, place), most.values(), strict=True))


_TABLE_CLUTTER = frozenset({"plate", "cutleryfork", "waterglass", "wineglass", "book", "poundcake", "cutleryknife"})

SETS: Mapping[str, PredicateSet] = {
    each.name: each
    for each in (
        PredicateSet("setup_table", _placed(Relation.ON, _DISHES, "kitchentable"), {}, _TABLE_CLUTTER),
        PredicateSet("put_dishwasher", _placed(Relation.INSIDE, _DISHES, "dishwasher"), {}),
        PredicateSet("put_fridge", _placed(Relation.INSIDE, _FOOD, "fridge"), {}),
        PredicateSet(
            "prepare_food",
            _placed(Relation.ON, {**_FOOD, "coffeepot": 1}, "kitchentable"),
            {},
            _TABLE_CLUTTER,
        ),
        PredicateSet(
            "read_book",
            _placed(Relation.ON, _SNACKS, "coffeetable"),
            {"holds_book_character": 1, "sit_sofa": 1},
        ),
    )
}
NAMES = tuple(SETS)
OWN = "own"  # name of tasks whose goals are of no set
PREDICATES = tuple(dict.fromkeys(text for each in SETS.values() for text in each.predicates))


def set_named(name: str) -> PredicateSet:
    """Return the set of this name. Raises WorldError if there is none."""
    if name not in SETS:
        raise WorldError(f"the household has no task named {name!r}; known: {', '.join(NAMES)}")
    return SETS[name]


def check_task_name(name: str) -> None:
    """Raise WorldError for a name that is neither "own" nor those of sets, joined by "+"."""
    unknown = next((each for each in name.split("+") if each not in SETS), None)
    if name != OWN and unknown is not None:
        raise WorldError(f"the household has no task named {unknown!r}; known: {', '.join((*NAMES, OWN))}")


def possible_sets(home: Home) -> tuple[str, ...]:
    """Return the names of the sets whose places are all in a home."""
    return tuple(each.name for each in SETS.values() if all(len(home.rows_of(place)) for place in each.places))
