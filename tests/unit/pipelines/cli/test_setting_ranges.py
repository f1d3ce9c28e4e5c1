"""Numbers on the command line: those that a setting does not take are refused in one line that names its flag."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args, get_type_hints

import pytest

from agents.ranges import LARGEST, ranges_of, refusal
from pipelines.cli.main import VERBS, Verb, main
from pipelines.cli.settings import Setting, parse, settings_of
from worlds.errors import UserError

TRIED = ("-1", "nan", "inf", "-inf", "1e23", "1e308", "1e999", "99999999999999999999", "9" * 5000, "0", "many", "")


def kind_of(verb: Verb) -> Any:
    return verb.load()[0]


def numbers_of(kind: Any) -> list[Setting]:
    return [setting for setting in settings_of(kind) if list(ranges_of(setting.ranges))]


def own_numbers_of(verb: Verb) -> list[Setting]:
    """Those of the command, and of what no other command has: a whole loop has all settings of its stages, too."""
    stages = ("demonstrations.", "clone.", "play.", "mark.", "reward.", "improve.", "evaluate.")
    return [setting for setting in numbers_of(kind_of(verb)) if not setting.name.startswith(stages)]


def takes(setting: Setting, text: str) -> bool:
    """Whether ``text`` is a number that the setting's range has."""
    kind, limits = next(ranges_of(setting.ranges))
    try:
        return limits is not None and limits.refusal(kind(text)) is None
    except ValueError:
        return False


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_every_number_states_its_range(verb: Verb) -> None:
    for setting in numbers_of(kind_of(verb)):
        assert all(limits is not None for _, limits in ranges_of(setting.ranges)), f"{setting.flag} has no range"


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_numbers_out_of_range_are_one_line_with_the_flag(verb: Verb) -> None:
    for setting in own_numbers_of(verb):
        for text in TRIED:
            if not takes(setting, text):
                with pytest.raises(UserError) as refused:
                    parse(kind_of(verb), [setting.flag, text], command="x")
                message = str(refused.value)
                assert (
                    message.startswith(f"{setting.flag} is ") and len(message.splitlines()) == 1 and len(message) < 200
                )


def records(kind: Any) -> Iterator[Any]:
    """``kind`` and every configuration inside it."""
    yield kind
    for hint in get_type_hints(kind).values():
        for inner in (hint, *get_args(hint)):
            if is_dataclass(inner):
                yield from records(inner)


def test_configurations_check_their_numbers_however_they_are_made() -> None:
    kinds = dict.fromkeys(inner for verb in VERBS.values() for inner in records(kind_of(verb)))
    assert len(kinds) > 20
    for kind in kinds:
        if any(field.default is MISSING and field.default_factory is MISSING for field in fields(kind)):
            continue
        for name, hint in get_type_hints(kind, include_extras=True).items():
            limits = [limits for number, limits in ranges_of(hint) if number in (int, float)]
            for value in (-1, 0, 2**64, 10**400, float("nan"), float("inf"), 1e308) if limits else ():
                try:
                    kind(**{name: value})
                    assert refusal(hint, value) is None, f"{kind.__name__} takes {name} = {value}"
                except (UserError, ValueError) as error:
                    assert len(str(error).splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("improve --seed -1", "--seed is from 0 to 4,294,967,295, not -1"),
        ("mark --seed -1", "--seed is from 0 to 4,294,967,295, not -1"),
        ("clone --training.seed -1", "--training.seed is from 0 to 4,294,967,295, not -1"),
        (
            "clone --training.seed=18446744073709551616",
            "--training.seed is from 0 to 4,294,967,295, not 184467440737095",
        ),
        ("improve --learner.learning-rate nan", "--learner.learning-rate is above 0, not nan"),
        ("improve --learner.learning-rate=-0.1", "--learner.learning-rate is above 0, not -0.1"),
        ("improve --learner.lambda 2", "--learner.lambda is from 0 to 1, not 2.0"),
        ("clone --training.learning-rate inf", "--training.learning-rate is a finite number, at least 0, not inf"),
        ("reward --training.unmarked-margin -1", "--training.unmarked-margin is a number of steps from 0 on, not -1"),
        (
            "reward --training.quiet-weight 1",
            "no setting training.quiet-weight; it is called training.unmarked-drift-weight now",
        ),
        ("reward --training.raters-tolerance -1", "--training.raters-tolerance is a number of steps from 0 on, not -1"),
        ("diagnose --tolerance -1", "--tolerance is a number of steps from 0 on, not -1"),
        ("record --tail -1", "--tail is a number of steps from 0 on, not -1"),
        ("record --seed 500", "--seed is from 0 to 499, not 500: other places are for validation and for evaluation"),
        ("record --world.height 0", "--world.height is at least 1, not 0"),
        ("demo --clone.training.batch 0", "--clone.training.batch is at least 1, not 0"),
        ("mark --delays 1 -1", "--delays is a number of steps from 0 on, not -1.0"),
        ("suite judge --late 0 -1", "--late is a number of steps from 0 on, not -1"),
        (f"record --workers {LARGEST + 1}", "--workers is at most 2,147,483,647, not 2147483648"),
        ("doctor --seconds nan", "--seconds is a number of seconds above 0 and up to 1,000,000, not nan"),
        (
            "improve --execution.stall-sec 1e23",
            "--execution.stall-sec is a number of seconds above 0 and up to 1,000,000",
        ),
        (
            "improve --learner.clip-rho 1e308",
            "--learner.clip-rho is a number that 32 bits can hold, above 0, not 1e+308",
        ),
        ("clone --size huge", "no agent size 'huge'; known: nano, micro, mini, 5m, 18m, 71m, 165m"),
    ],
)
def test_errors_of_numbers_are_one_line(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.split()) in (1, 2)
    read = capsys.readouterr().err
    assert read.startswith(f"error: {message}") and len(read.splitlines()) == 1


def test_arguments_that_are_given_by_position_are_no_numbers_of_the_flag_before(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["episodes", "list", "--limit", "5", "no-such-dataset"]) == 1
    assert "no-such-dataset" in capsys.readouterr().err
