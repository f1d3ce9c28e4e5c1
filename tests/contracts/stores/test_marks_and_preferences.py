"""Contract of stores: marks, judgements and preferences."""

from __future__ import annotations

import pytest

from rlhf.records.preferences import (
    STATEMENTS,
    ClipPair,
    HelperRating,
    InferredGoal,
    RequestVerdict,
    Statement,
    StretchScore,
    TakeOver,
)
from rlhf.store import EpisodeStore, MemoryStore
from tests.contracts.stores.small_records import judgement, mark, small
from worlds.errors import UserError


def test_marks_and_judgements_are_sorted_sets(store: EpisodeStore) -> None:
    store.write(small(1))
    store.write(small(2))
    store.write_marks([mark("e2"), mark("e1", 5), mark("e1", 3, -1), mark("e1", 5)])
    store.write_marks(iter([mark("e1", 5), mark("e1", 5, rater="cy")]))
    assert store.marks() == [mark("e1", 3, -1), mark("e1", 5), mark("e1", 5, rater="cy"), mark("e2")]
    assert store.marks("e2") == [mark("e2")]
    assert store.marks("e9") == []
    store.write_judgements([judgement("e1", 2), judgement("e1"), judgement("e2")])
    store.write_judgements([judgement("e1")])
    assert store.judgements() == [judgement("e1"), judgement("e1", 2), judgement("e2")]
    assert store.judgements("e2") == [judgement("e2")]
    assert store.verify() == []


def test_marks_of_missing_episodes_and_steps_are_refused(store: EpisodeStore) -> None:
    store.write(small(1))
    with pytest.raises(UserError, match="no episode e2"):
        store.write_marks([mark("e1"), mark("e2")])
    with pytest.raises(UserError, match="steps 0 to 5, not 6"):
        store.write_marks([mark("e1"), mark("e1", 6)])
    with pytest.raises(UserError, match="steps 0 to 5, not 6"):
        store.write_judgements([judgement("e1"), judgement("e1", 6)])
    assert store.marks() == [] and store.judgements() == []
    store.write_marks([])
    store.write_judgements([])


PREFERRED = (
    ClipPair("e2", 0, 3, "e1", 2, 6, "a", "ann", 4.5, False),
    ClipPair("e1", 1, 3, "e1", 3, 5, "same", "ann", None, False),
    ClipPair("e1", 1, 3, "e1", 3, 5, "same", "ann", 2.0, False),
    RequestVerdict("e2", 1, 6, "success", "bo", False),
    RequestVerdict("e1", 1, 6, "cannot tell", "bo", False),
    TakeOver("e1", 2, 4, "ann", False),
    StretchScore("e1", 0, 6, 4.0, 1.0, 5.0, "cy", True),
    InferredGoal("e1", 0, 6, '{"on_plate_kitchentable":2}', "cy", 61.5, False),
    InferredGoal("e2", 0, 6, "{}", "cy", None, False),
    HelperRating("e1", 0, 6, 7, 1, 4, "cy", False),
)


@pytest.mark.parametrize("kind", STATEMENTS.values())
def test_preferences_are_sorted_sets(store: EpisodeStore, kind: type[Statement]) -> None:
    store.write(small(1))
    store.write(small(2))
    store.write_preferences(PREFERRED)
    store.write_preferences(PREFERRED[:1])
    found = store.preferences(kind)
    assert set(found) == {each for each in PREFERRED if isinstance(each, kind)} and len(set(found)) == len(found)
    assert [min(each.stretches) for each in found] == sorted(min(each.stretches) for each in found)
    assert store.preferences(kind, "e2") == [each for each in found if "e2" in {s.episode_id for s in each.stretches}]
    assert store.preferences(kind, "e9") == [] and store.verify() == []


def test_preferences_of_missing_episodes_and_steps_are_refused(store: EpisodeStore) -> None:
    store.write(small(1))
    with pytest.raises(UserError, match="no episode e2"):
        store.write_preferences([TakeOver("e1", 0, 2, "ann", False), PREFERRED[0]])
    with pytest.raises(UserError, match="steps 0 to 5, not 6"):
        store.write_preferences([PREFERRED[1], TakeOver("e1", 3, 7, "ann", False)])
    assert all(store.preferences(kind) == [] for kind in STATEMENTS.values())


def test_preferences_go_with_their_episodes_and_raters(store: EpisodeStore) -> None:
    store.write(small(1))
    store.write(small(2))
    store.write_preferences(PREFERRED)
    other = MemoryStore()
    assert other.merge(store).preferences == len(PREFERRED) and other.merge(store).preferences == 0
    assert other.preferences(ClipPair) == store.preferences(ClipPair)
    assert store.remove_preferences([PREFERRED[1], PREFERRED[5]]) == 2 == 2 + store.remove_preferences([PREFERRED[1]])
    assert store.preferences(TakeOver) == [] and len(store.preferences(ClipPair)) == 2
    assert store.forget("bo") == 2 and store.preferences(RequestVerdict) == []
    store.drop(["e2"])
    assert store.preferences(ClipPair) == [PREFERRED[2]] and store.preferences(StretchScore) == [PREFERRED[6]]
    assert store.verify() == []
