"""Numbers and named values on the command line: what does not fit is one line that names its flag, nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest
from annotated_types import BaseMetadata
from pydantic.fields import FieldInfo

from pipelines.cli.main import VERBS, Verb, main
from pipelines.cli.settings import Setting, parse, settings_of
from pipelines.cli.usage import UsageError
from worlds.errors import UserError
from worlds.ranges import LARGEST

TRIED = ("-1", "nan", "inf", "-inf", "1e23", "1e999", "99999999999999999999", "9" * 5000, "0", "many", "")
STAGES = ("demonstrations.", "clone.", "play.", "mark.", "reward.", "improve.", "evaluate.")  # of a whole loop


def numbers_of(hint: Any, limited: bool = False) -> Iterator[tuple[type, bool]]:
    """Every type of number that an annotation accepts, and whether it has a range."""
    if get_origin(hint) is Annotated:
        marks = any(isinstance(mark, (BaseMetadata, FieldInfo)) for mark in hint.__metadata__)
        yield from numbers_of(get_args(hint)[0], limited or marks)
    elif hint in (int, float):
        yield hint, limited
    else:
        for member in get_args(hint):
            yield from numbers_of(member)


def own_numbers(verb: Verb) -> list[Setting]:
    return [
        one for one in settings_of(verb.load()[0]) if list(numbers_of(one.hint)) and not one.name.startswith(STAGES)
    ]


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_every_number_has_a_range_and_what_is_outside_is_one_line(verb: Verb) -> None:
    for setting in own_numbers(verb):
        assert all(limited for _, limited in numbers_of(setting.hint)), f"{setting.flag} has no range"
        for text in TRIED:
            try:
                parse(verb.load()[0], [setting.flag, text], command="x")
            except UserError as refused:
                message = str(refused)
                assert len(message.splitlines()) == 1 and len(message) < 200
                assert message.startswith(setting.flag) or text not in TRIED[-2:], message


def records(kind: Any) -> Iterator[Any]:
    """``kind`` and every configuration inside it."""
    yield kind
    for hint in get_type_hints(kind).values():
        for inner in (hint, *get_args(hint)):
            if is_dataclass(inner):
                yield from records(inner)


def test_configurations_check_their_numbers_however_they_are_made() -> None:
    kinds = dict.fromkeys(inner for verb in VERBS.values() for inner in records(verb.load()[0]))
    assert len(kinds) > 20
    for kind in kinds:
        if any(one.default is MISSING and one.default_factory is MISSING for one in fields(kind)):
            continue
        for name, hint in get_type_hints(kind, include_extras=True).items():
            for value in (float("nan"), float("inf"), 10**400, "many") if get_origin(hint) is Annotated else ():
                if list(numbers_of(hint)):
                    with pytest.raises((UserError, ValueError)) as refused:
                        kind(**{name: value})
                    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("improve --seed -1", "--seed is at least 0, not -1"),
        ("clone --training.seed=18446744073709551616", "--training.seed is at most 4,294,967,295, not 18446744073709"),
        ("improve --learner.learning-rate nan", "--learner.learning-rate is "),
        ("improve --learner.learning-rate=-0.1", "--learner.learning-rate is above 0, not -0.1"),
        ("demo --clone.training.batch 0", "--clone.training.batch is at least 1, not 0"),
        ("mark --delays 1 -1", "--delays[1] is at least 0, not -1"),
        (f"record --workers {LARGEST + 1}", "--workers is at most 2,147,483,647, not 2147483648"),
        ("clone --size huge", "no agent size 'huge'; known: nano, micro, mini, 5m, 18m, 71m, 165m"),
        ("clone --network.glimps", "no setting network.glimps; did you mean network.glimpse? known in agents: "),
        ("clone --kinds human=0", "--kinds.human is above 0, not 0"),
        ("record --players.tasks lift=-1", "--players.tasks.lift is at least 0, not -1"),
        ("evaluate --agents bc A bc B", "--agents names bc twice: A and B; give each its own name"),
        ("evaluate --agents bc A --agents bc B", "--agents names bc twice: A and B; give each its own name"),
    ],
)
def test_values_that_do_not_fit_are_one_line(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.split()) in (1, 2)
    read = capsys.readouterr().err
    assert read.startswith(f"error: {message}") and len(read.splitlines()) == 1


def test_arguments_that_are_given_by_position_are_no_numbers_of_the_flag_before(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["episodes", "list", "--limit", "5", "no-such-dataset"]) == 1
    assert "no-such-dataset" in capsys.readouterr().err


@dataclass(frozen=True)
class Named:
    """Settings of a made-up command.

    Args:
      agents: folders by name.
      reward_models: folders by name.
      network: an agent's.
      seed: a number.
    """

    agents: Mapping[str, str] = field(default_factory=dict)
    reward_models: Mapping[str, Path] = field(default_factory=dict)
    network: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0


@pytest.mark.parametrize(
    "words",
    [
        ["--agents", "bc", "runs/a", "bc+rl", "runs/b"],
        ["--agents", "bc=runs/a", "bc+rl=runs/b"],
        ["--agents", "bc=runs/a", "bc+rl", "runs/b"],
        ["--agents=bc=runs/a,bc+rl=runs/b"],
        ["--agents", "bc", "runs/a", "--seed", "0", "--agents", "bc+rl", "runs/b"],
        ["--agents", '{"bc": "runs/a", "bc+rl": "runs/b"}'],
        ['--agents={"bc": "runs/a", "bc+rl": "runs/b"}'],
    ],
)
def test_names_and_values_are_accepted_in_every_form(words: list[str]) -> None:
    assert parse(Named, words, command="x").agents == {"bc": "runs/a", "bc+rl": "runs/b"}


@pytest.mark.parametrize("words", ["--agents bc", "--agents bc --seed 3", "--agents bc=", "--agents bc=A rl"])
def test_a_name_without_a_value_is_refused(words: str) -> None:
    with pytest.raises(UsageError, match="has no value; write --agents NAME=VALUE NAME=VALUE"):
        parse(Named, words.split(), command="x")


@pytest.mark.parametrize(
    "words",
    [
        ["--network.vision-norm", "--network.vision-channels", "8", "16"],
        ["--network", '{"vision_norm": false}', "--network.vision-norm=true", "--network.vision_channels=8,16"],
    ],
)
def test_fields_of_a_network_are_flags(words: list[str]) -> None:
    assert dict(parse(Named, words, command="x").network) == {"vision_norm": True, "vision_channels": [8, 16]}
