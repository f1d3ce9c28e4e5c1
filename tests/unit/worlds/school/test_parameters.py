"""The parameter trees of the school: sampled, narrowed, shown, and the ids and curricula made of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from worlds.errors import UserError
from worlds.school.parameters.branches import FULL
from worlds.school.parameters.curriculum import Curriculum, CurriculumConfig
from worlds.school.parameters.ids import ids, tree_of
from worlds.school.parameters.names import VALUES
from worlds.school.parameters.tree import (
    build,
    combinations,
    complete,
    format_combination,
    format_tree,
    having,
    narrow,
    sample,
)

SCAFFOLDING = "AELangFeedbackTrainScaffoldingCS"


def chosen(id_: str) -> list[dict[str, str]]:
    return [combination for combination, _ in combinations(tree_of(id_))]


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
        ({"Env_type": "Collaboration", "Problem": ["Boxes", "Doors"]}, "missing: Problem=Doors"),
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


def test_the_159_published_ids_have_combinations_that_can_be_played() -> None:
    assert len(ids()) == len(set(ids())) == 159
    assert all(re.fullmatch(r"SocialAI-\w+-v[01]", each) for each in ids())
    for each in (one for id_ in ids() for one in chosen(id_)):
        assert all(value in VALUES.get(name, (value,)) for name, value in each.items())
        if each["Env_type"] == "Information_seeking":
            assert {"Problem", "N", "Peer"} <= each.keys() and not {"Role", "Version", "Obstacles"} & each.keys()
            assert ("Cue_type" in each) == (each.get("Scaffolding") == "N")
            assert not (each.get("JA_recursive") == "Y" and each["Scaffolding"] == "Y")
            assert (each["N"], each["Peer"]) != ("2", "N")  # nobody could say which object is the right one
        elif each["Env_type"] == "Collaboration":
            assert {"Problem", "Role", "Version"} <= each.keys() and "Cue_type" not in each
            assert each["Version"] == "Social" or each["Problem"] == "MarblePass"
        else:
            assert ("NPC_movement" in each) == (each["Version"] == "Social") and "Obstacles" in each


def test_trees_of_the_studies() -> None:
    assert {each["Problem"] for each in chosen("EEmulationNoDistrInformationSeeking")} == {
        *("Boxes", "Switches", "Generators", "Levers", "Marble")
    }
    assert len(chosen(SCAFFOLDING)) == 4 * 2 * 6
    assert chosen(SCAFFOLDING) == chosen("NLangFeedbackTrainScaffoldingCS")
    assert {each["Pragmatic_frame_complexity"] for each in chosen("AELangFeedbackTrainFormatsCS")} == {
        "Ask_Eye_contact"
    }
    (walking,) = chosen("AppleStealingWalkObst_A_bit")
    assert (walking["NPC_movement"], walking["Obstacles"]) == ("Walking", "A_bit")
    for name, version in (("Experimental", "Social"), ("Control", "Asocial")):
        group = chosen(f"RoleReversalGroup{name}Collaboration")
        passed = [each for each in group if each["Problem"] == "MarblePass"]
        assert [(each["Role"], each["Version"]) for each in passed] == [("B", version)]
        assert len(group) == 6 * 2 + 1
    assert chosen("AsocialBoxInformationSeeking") == [
        {"Env_type": "Information_seeking", "Problem": "Boxes", "N": "1", "Peer": "N"}
    ]
    parts = ("InformationSeeking-v0", "AppleStealingEnv-v0", "ObjectsCollaboration-v0", "MarblePassEnv-v1")
    single = [each for part in (*parts, "MarblePushEnv-v1", "LeverDoorEnv-v1") for each in chosen(f"SocialAI-{part}")]
    whole = [each for each, _ in combinations(FULL)]
    assert len(single) == len(whole) and all(each in whole for each in single)


def test_a_tree_as_text() -> None:
    tree = tree_of("SocialAI-EPointingBoxesTestInformationSeekingParamEnv-v1")
    ((picked, _),) = combinations(tree)
    lines = format_tree(tree, paper=True, chosen=picked).splitlines()
    assert lines[:4] == [
        "[Environment type]",
        "  InformationSeeking *",
        "    [Introductory sequence]",
        "      Eye contact *",
    ]
    assert len(lines) == 14
    assert "Scaffolding=N" in format_combination(picked) and "Help=N" in format_combination(picked, paper=True)


def curriculum(kind: str = "intro_seq") -> Curriculum:
    """Return a curriculum whose first phase lasts for over 20 episodes, until 9 of the latest 10 succeed."""
    return Curriculum(tree_of(SCAFFOLDING), CurriculumConfig(kind, (0.9,), window=10, minimum_episodes=20))


def formats(steered: Curriculum) -> set[tuple[str, str]]:
    """Return introductions and help that the curriculum may choose."""
    found = [each for each, _ in combinations(steered.tree)]
    assert {each["Problem"] for each in found} == {"Boxes", "Switches", "Generators", "Levers", "Doors", "Marble"}
    return {(each["Pragmatic_frame_complexity"], each["Scaffolding"]) for each in found}


@pytest.mark.parametrize(("kind", "help_"), [("intro_seq", "N"), ("intro_seq_scaf", "NY")])
def test_the_second_phase_asks_during_eye_contact_without_help(kind: str, help_: str) -> None:
    steered, introductions = curriculum(kind), ("No", "Eye_contact", "Ask", "Ask_Eye_contact")
    assert formats(steered) == {(each, one) for each in introductions for one in help_}
    for success in [False] * 12 + [True] * 9:
        assert steered.phase == 1
        steered.record(success)
    assert steered.phase == 2 and formats(steered) == {("Ask_Eye_contact", "N")}
    for _ in range(100):
        steered.record(True)
    assert steered.phase == 2


def test_a_phase_does_not_end_before_its_minimum_or_below_its_threshold() -> None:
    able, weak = curriculum(), curriculum()
    for _ in range(20):
        able.record(True)
    assert able.phase == 1 and able.mean_success == 1
    able.record(True)
    assert able.phase == 2 and able.mean_success == able.best_success == 0
    for number in range(200):
        weak.record(number % 10 > 1)
    assert weak.phase == 1 and weak.mean_success == weak.best_success == 0.8
    for _ in range(4):
        weak.record(False)
    assert weak.mean_success < 0.8 and weak.best_success == 0.8


def test_a_restored_curriculum_continues() -> None:
    first, second = curriculum(), curriculum()
    for number in range(18):
        first.record(number > 3)
    second.restore(json.loads(json.dumps(first.state())))
    for _ in range(3):
        assert (first.phase, first.mean_success) == (second.phase, second.mean_success)
        first.record(True)
        second.record(True)
    assert first.phase == second.phase == 2 and first.state() == second.state()
