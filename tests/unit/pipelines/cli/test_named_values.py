"""Settings that map names to values, as they are typed: none of what is typed is lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pipelines.cli.main import main
from pipelines.cli.settings import parse
from pipelines.cli.usage import UsageError


@dataclass(frozen=True)
class Named:
    """Settings of a made-up command.

    Args:
      agents: folders by name.
      reward_models: folders by name.
      seed: a number.
    """

    agents: Mapping[str, str] = field(default_factory=dict)
    reward_models: Mapping[str, Path] = field(default_factory=dict)
    seed: int = 0


@pytest.mark.parametrize(
    "words",
    [
        "--agents bc runs/a bc+rl runs/b",
        "--agents bc=runs/a bc+rl=runs/b",
        "--agents bc=runs/a bc+rl runs/b",
        "--agents=bc=runs/a,bc+rl=runs/b",
        "--agents bc runs/a --seed 0 --agents bc+rl runs/b",
    ],
)
def test_names_and_values_are_accepted_in_every_form(words: str) -> None:
    assert parse(Named, words.split(), command="x").agents == {"bc": "runs/a", "bc+rl": "runs/b"}


@pytest.mark.parametrize("words", ["bc A bc B", "bc=A bc=B", "bc A --agents bc B"])
def test_a_name_given_twice_is_refused(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--agents", *words.split()]) == 2
    assert capsys.readouterr().err == "error: --agents names bc twice: A and B; give each its own name\n"


@pytest.mark.parametrize("words", ["--agents bc", "--agents bc --seed 3", "--agents bc=", "--agents bc=A rl"])
def test_a_name_without_a_value_is_refused(words: str) -> None:
    with pytest.raises(UsageError, match="has no value; write --agents NAME=VALUE NAME=VALUE"):
        parse(Named, words.split(), command="x")
