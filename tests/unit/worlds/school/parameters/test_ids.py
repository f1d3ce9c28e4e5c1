"""Every id of the published code has a tree, and no tree has a combination that cannot be played."""

from __future__ import annotations

import re

import pytest

from worlds.school.parameters.branches import FULL
from worlds.school.parameters.ids import ids, tree_of
from worlds.school.parameters.names import VALUES
from worlds.school.parameters.tree import combinations


def chosen(id_: str) -> list[dict[str, str]]:
    return [combination for combination, _ in combinations(tree_of(id_))]


def test_there_are_159_ids() -> None:
    assert len(ids()) == len(set(ids())) == 159
    assert all(re.fullmatch(r"SocialAI-\w+-v[01]", each) for each in ids())


@pytest.mark.parametrize("id_", ids())
def test_every_combination_can_be_played(id_: str) -> None:
    for each in chosen(id_):
        assert all(value in VALUES.get(name, (value,)) for name, value in each.items())
        assert each["Env_type"] in VALUES["Env_type"]
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


def problem(combination: dict[str, str]) -> str:
    return combination["Problem"]


def test_trees_of_the_other_studies() -> None:
    assert {*map(problem, chosen("EEmulationNoDistrInformationSeeking"))} == {
        *("Boxes", "Switches", "Generators", "Levers", "Marble")
    }
    assert len(chosen("AELangFeedbackTrainScaffoldingCS")) == 4 * 2 * 6
    assert chosen("AELangFeedbackTrainScaffoldingCS") == chosen("NLangFeedbackTrainScaffoldingCS")
    assert {each["Pragmatic_frame_complexity"] for each in chosen("AELangFeedbackTrainFormatsCS")} == {
        "Ask_Eye_contact"
    }
    (walking,) = chosen("AppleStealingWalkObst_A_bit")
    assert (walking["NPC_movement"], walking["Obstacles"]) == ("Walking", "A_bit")
    groups = {name: chosen(f"RoleReversalGroup{name}Collaboration") for name in ("Experimental", "Control")}
    for name, version in (("Experimental", "Social"), ("Control", "Asocial")):
        passed = [each for each in groups[name] if each["Problem"] == "MarblePass"]
        assert [(each["Role"], each["Version"]) for each in passed] == [("B", version)]
        assert len(groups[name]) == 6 * 2 + 1
    assert chosen("AsocialBoxInformationSeeking") == [
        {"Env_type": "Information_seeking", "Problem": "Boxes", "N": "1", "Peer": "N"}
    ]


def test_single_environments_share_the_full_tree() -> None:
    whole = [each for each, _ in combinations(FULL)]
    parts = ("InformationSeeking-v0", "AppleStealingEnv-v0", "ObjectsCollaboration-v0", "MarblePassEnv-v1")
    parts = (*parts, "MarblePushEnv-v1", "LeverDoorEnv-v1")
    found = [each for part in parts for each in chosen(f"SocialAI-{part}")]
    assert len(found) == len(whole) and all(each in whole for each in found)
