"""The full parameter tree is sampled with the right frequencies, narrowed and refused."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from worlds.errors import UserError
from worlds.school.parameters.branches import FULL
from worlds.school.parameters.text import format_combination
from worlds.school.parameters.tree import build, combinations, complete, having, narrow, sample

DRAWS = 20_000


def by_hand() -> dict[str, Fraction]:
    """Every combination of the full tree with its probability, counted without the tree."""
    third, found = Fraction(1, 3), {}
    help_ = [("N", cue, Fraction(1, 8)) for cue in ("Language_Color", "Language_Feedback", "Pointing", "Emulation")]
    for introduction in ("No", "Eye_contact", "Ask", "Ask_Eye_contact"):
        for scaffolding, cue, share in (*help_, ("Y", None, Fraction(1, 2))):
            for problem in ("Boxes", "Switches", "Generators", "Levers", "Doors", "Marble"):
                key = {"Env_type": "Information_seeking", "Pragmatic_frame_complexity": introduction}
                key |= {"Scaffolding": scaffolding, "N": "2", "Problem": problem, "Peer": "Y"}
                key |= {"Cue_type": cue} if cue else {}
                found[line(key)] = third / 4 * share / 6
    for problem in ("Boxes", "Switches", "Generators", "Marble", "MarblePass", "MarblePush", "LeverDoor"):
        versions = ("Social", "Asocial") if problem == "MarblePass" else ("Social",)
        for role in "AB":
            for version in versions:
                key = {"Env_type": "Collaboration", "Problem": problem, "Role": role, "Version": version}
                found[line(key)] = third / 7 / 2 / len(versions)
    for obstacles in ("No", "A_bit", "Medium", "A_lot"):
        key = {"Env_type": "AppleStealing", "Obstacles": obstacles}
        found[line(key | {"Version": "Asocial"})] = third / 4 / 2
        for movement in ("Walking", "Rotating"):
            found[line(key | {"Version": "Social", "NPC_movement": movement})] = third / 4 / 4
    return found


def line(combination: dict[str, str]) -> str:
    return format_combination(dict(sorted(combination.items())))


def test_the_combinations_of_the_full_tree_are_those_counted_by_hand() -> None:
    assert {line(chosen): share for chosen, share in combinations(FULL)} == by_hand()


def test_draws_have_the_right_frequencies() -> None:
    rng = np.random.default_rng(0)
    drawn = Counter(line(sample(FULL, rng)) for _ in range(DRAWS))
    expected = by_hand()
    assert drawn.keys() == expected.keys()  # every leaf, and no impossible combination
    counts, shares = zip(*((drawn[key], float(share)) for key, share in expected.items()), strict=True)
    assert stats.chisquare(counts, np.array(shares) * DRAWS).pvalue > 0.001


def test_of_a_parameter_that_occurs_twice_the_deeper_value_counts() -> None:
    tree = build({"a": {"x": {"n": ["1", "2"], "b": {"y": {"n": ["3"]}}}}})
    assert combinations(tree) == [({"a": "x", "n": "3", "b": "y"}, Fraction(1))]
    assert sample(tree, np.random.default_rng(0)) == {"a": "x", "n": "3", "b": "y"}


def test_a_narrowed_tree_has_the_allowed_values_and_all_others() -> None:
    narrowed = narrow(FULL, {"Env_type": "Information_seeking", "Problem": ["Boxes", "Doors"], "Scaffolding": "Y"})
    chosen = [combination for combination, _ in combinations(narrowed)]
    assert {each["Problem"] for each in chosen} == {"Boxes", "Doors"}
    assert {each["Scaffolding"] for each in chosen} == {"Y"}
    assert len(chosen) == 4 * 2
    assert sum(share for _, share in combinations(narrowed)) == 1


@pytest.mark.parametrize(
    ("allowed", "words"),
    [
        ({"Env_type": "Collaboration", "Cue_type": "Pointing"}, "missing: Cue_type=Pointing"),
        ({"Scaffolding": "Y", "Cue_type": "Pointing"}, "missing: Cue_type=Pointing"),
        ({"Env_type": "Collaboration", "Problem": ["Boxes", "Doors"]}, "missing: Problem=Doors"),
        ({"Problem": "LeverDoor", "Version": "Asocial", "Env_type": "Collaboration"}, "Problem=LeverDoor, Version"),
        ({"N": 1}, "missing: N=1"),
        ({"Problm": "Boxes"}, "no parameter 'Problm'; it has: Env_type"),
        ({"Problem": "Crates"}, "no value 'Crates'; it has: Doors, Boxes"),
        ({"Problem": []}, "no value of parameter 'Problem'"),
    ],
)
def test_what_the_tree_does_not_have_is_refused_in_one_line(allowed: dict[str, object], words: str) -> None:
    with pytest.raises(UserError, match=words) as refused:
        narrow(FULL, allowed)
    assert "\n" not in str(refused.value)


def test_values_that_lack_a_named_parameter_are_left_out_of_a_tree_that_has_it() -> None:
    cued = combinations(having(FULL, ["Cue type", "Problem"]))
    assert all("Cue_type" in each for each, _ in cued) and len(cued) == 4 * 4 * 6
    walking = combinations(having(FULL, ["Peer movement"]))
    assert {each["Version"] for each, _ in walking} == {"Social"}
    assert having(FULL, ["Env_type", "Help", "Cue type"]) == FULL, "what is named itself is the user's choice"
    assert having(FULL, []) == having(FULL, ["Weather"]) == FULL
    kinds = combinations(having(FULL, ["Cue type", "Role"]))
    assert {each["Env_type"] for each, _ in kinds} == {"Information_seeking", "Collaboration", "AppleStealing"}
    assert {each.get("Scaffolding") for each, _ in kinds} == {"N", None}, "no type has both; of one, what has its own"


def test_a_combination_is_completed_where_one_is_left() -> None:
    given = {"Env_type": "AppleStealing", "Version": "Asocial", "Obstacles": "A lot"}
    assert complete(FULL, given) == {"Env_type": "AppleStealing", "Version": "Asocial", "Obstacles": "A_lot"}
    with pytest.raises(UserError, match="2 combinations of the parameter tree are left; also set: NPC_movement"):
        complete(FULL, {"Env_type": "AppleStealing", "Version": "Social", "Obstacles": "A lot"})


@pytest.mark.parametrize("spec", [{}, {"a": ["x"], "b": ["y"]}, {"a": []}, {"a": ["x", "x"]}])
def test_a_tree_without_one_root_or_without_values_is_refused(spec: dict[str, list[str]]) -> None:
    with pytest.raises(UserError, match="tree"):
        build(spec)
