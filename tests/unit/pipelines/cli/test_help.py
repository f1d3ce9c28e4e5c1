"""`rlhf COMMAND --help`: every setting has its own explanation, readable in a terminal."""

from __future__ import annotations

import re

import pytest

from pipelines.cli.main import VERBS, Verb, main
from pipelines.cli.settings import settings_of
from pipelines.cli.shown import SHOWN

_ADDED_BY_THE_PARSER = re.compile(r"\((default:.*|required)\)$")
_MARKUP = re.compile(r"``|:\w+:`")


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the terminal be too narrow for boxes side by side."""
    monkeypatch.setenv("COLUMNS", "100")


def help_of(verb: Verb, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*verb.name.split(), "--help", *words]) == 0
    return capsys.readouterr().out


def entries(text: str) -> dict[str, str]:
    """The words of every flag, and of every argument that is given by its position, without what the parser adds."""
    words: dict[str, str] = {}
    current = ""
    for line in text.splitlines():
        start = re.match(r"  (--\w[\w.-]*|-h|[A-Z]{2,}(?= ))(.*)", line)
        if start and "no-" in start[1] and not words[current]:
            continue  # the other way to set the switch of the line before
        if start:
            current = start[1]
            words[current] = start[2].rstrip().partition("  ")[2].strip()
        elif current and line.startswith("      "):
            words[current] += " " + line.strip()
        else:
            current = ""
    return {flag: _ADDED_BY_THE_PARSER.sub("", message).strip() for flag, message in words.items()}


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_every_setting_has_words_of_its_own_at_its_flag(verb: Verb, capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of(verb, capsys, "all")
    shown = entries(text)
    for setting in settings_of(verb.load()[0]):
        assert len(shown[setting.flag].split()) >= 2, f"{setting.flag} has no words"
        others = re.findall(r"\. (\w+): ", shown[setting.flag])  # another setting's words
        assert not others, f"{setting.flag} also describes {others}"
    assert [flag for flag, message in shown.items() if not message] == []
    assert not _MARKUP.findall(text)


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_the_help_shows_at_most_forty_settings_and_says_where_the_others_are(
    verb: Verb, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {setting.name: setting.flag for setting in settings_of(verb.load()[0])}
    text = help_of(verb, capsys)
    assert text.startswith(f"usage: rlhf {verb.name}")
    shown = {flag for flag in entries(text) if flag in names.values()}
    assert len(shown) <= 40
    if len(names) > len(shown):
        assert f"{len(names) - len(shown)} more settings" in text and f"rlhf {verb.name} --help all" in text
        assert shown == {names[name] for name in SHOWN[verb.load()[0].__name__]}


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("episodes drop", "DATASET EPISODE ..."),
        ("episodes push", "DATASET --to NAMESPACE/NAME"),
        ("episodes export", "SOURCE TARGET --to {lerobot,minari,rlds}"),
        ("marks import", "FILE DATASET"),
        ("people delete", "PERSON"),
    ],
)
def test_arguments_that_are_given_by_position_have_names(
    command: str, usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first = " ".join(help_of(VERBS[command], capsys, "all").split("\n\n")[0].split())
    assert re.fullmatch(rf"usage: rlhf {command}.* {re.escape(usage)}( \[--.*)?", first), first


@pytest.mark.parametrize(("command", "flag"), [("evaluate", "--agents"), ("look", "--reward-models")])
def test_names_with_folders_are_shown_as_typed(command: str, flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of(VERBS[command], capsys, "all")
    assert f"{flag} [NAME FOLDER ...]" in text
    assert "NAME FOLDER or NAME=FOLDER" in entries(text)[flag]
