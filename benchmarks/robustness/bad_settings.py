"""Impossible settings: texts for numbers, numbers out of range, and unknown names."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Annotated, Any, get_args, get_origin

from benchmarks.robustness.commands import begin, fault
from benchmarks.robustness.material import KEEP, TRAIN, WORLD, Material, improve_words, reward_words
from benchmarks.robustness.outside import digest, make_outside, touched
from benchmarks.robustness.trial import Group, Trial
from pipelines.cli.main import VERBS
from pipelines.cli.settings import Setting, settings_of
from worlds.settings import BadValue

AT_WORK_SEC, STOP_SEC = 6.0, 60.0
NONE_OF_NUMBERS = ("nan", "many", "")  # never accepted
VALUES = ("-1", "0", "inf", "-inf", "1e23", str(10**23), *NONE_OF_NUMBERS)

# In words of commands, $data, $play, $agent, $reward_model and $reward_run are material, $copy_of_data and
# $copy_of_play are copies of it, and $folder is the trial's own folder.
MATERIAL, FOLDER = Material(Path("$material")), Path("$folder")
BASES: dict[str, tuple[str, ...]] = {
    "record": ("--data=$folder/new", "--episodes=1", "--steps=4", "--workers=1", *WORLD),
    "mark": ("--data=$copy_of_data",),
    "clone": ("--data=$data", "--runs=$folder/runs", *TRAIN, *KEEP),
    "reward": (*reward_words(MATERIAL, FOLDER / "runs"),),
    "diagnose": ("--reward-model=$reward_model", "--data=$play", "--runs=$folder/runs"),
    "improve": (*improve_words(MATERIAL, FOLDER / "runs"),),
    "evaluate": ("--agents", "bc", "$agent", "--probes=go", "--episodes=1", "--out=$folder/out.json", *WORLD),
    "suite make": ("--data=$play", "--out=$folder/suite.json", "--scenarios=1", "--steps=4"),
    "demo": ("--run=$folder/demo",),
    "iterate": ("--run=$folder/iterate",),
    "episodes list": ("$data",),
    "look": ("--data=$data", "--port=0"),
    "serve": ("--data=$folder", "--port=0"),
}


def _each(flag: str, *values: str) -> dict[str, str]:
    """Return rows of wrong words that give a setting each of these values."""
    return {f"{flag}={value}": f"{flag}={value}" for value in values}


# Wrong words by command and by what is wrong. They follow the command's words in BASES, if it has some.
ANY_COMMAND = {
    "an unknown setting": "--no-such-setting=1",
    "a word too many": "stray",
    "a setting without a value": "--data",
}
WITH_PRESETS = {
    "an unknown preset": "--preset=nothing",
    "a preset file that is not there": "--preset=./nothing.py",
}
IN_WORLDS = {
    "an unknown world": "--world.name=atlantis",
    **_each(
        "--world.settings", '{"rooms": [0, 0]}', '{"rooms": "two"}', '{"rooms": [2, 1]}', '{"no": 1}', "[]", "{", "7"
    ),
    **_each(
        "--world.options", '{"fov_y_deg": NaN}', '{"fov_y_deg": "wide"}', '{"no": 1}', '{"height": 3}', "[1]", '"x"'
    ),
}
HUGE_HOUSES = ('{"room_size": [1e9, 1e9]}', '{"objects": [1000000000, 1000000000]}', '{"rooms": [100000, 100000]}')
NO_VALUES = ("NaN", '"x"', "-1", "null")
WRONG_WORDS: dict[str, dict[str, str | tuple[str, ...]]] = {
    "record": {
        **_each("--world.settings", *HUGE_HOUSES),
        **_each("--players.solver", *(f'{{"reaction": {value}}}' for value in (*NO_VALUES, "1e400", "[1]"))),
        **_each("--players.solver", *(f'{{"hesitation": {value}}}' for value in (*NO_VALUES, "1e400", "[1]"))),
        **_each("--players.solver", *(f'{{"motor_noise": {value}}}' for value in (*NO_VALUES, "1e400", "[1]"))),
        **_each("--players.solver", *(f'{{"no_such": {value}}}' for value in (*NO_VALUES, "1e400", "[1]"))),
        **_each("--players.setter", *(f'{{"wander": {value}}}' for value in (*NO_VALUES, "Infinity"))),
        **_each("--players.tasks", *(f'{{"lift": {value}}}' for value in (*NO_VALUES, "Infinity"))),
        "no task at all": "--players.tasks={}",
        "an unknown task": '--players.tasks={"fly": 1}',
        "settings nested deep": "--world.settings=" + "[" * 100_000,
        "an unknown split": "--split=test",
        "an agent that is not there": "--solver=nowhere",
        "an agent that is a reward model": "--solver=$reward_model",
        "an agent that is a dataset": "--solver=$data",
        "an unknown device": ("--solver=$agent", "--slots=1", "--device=tpu"),
        "shared control without an agent": "--shared-control",
        "pictures of a million pixels a side": ("--world.height=1000000", "--world.width=1000000"),
        "pictures without pixels": "--world.height=0",
        "a dataset that is a file": "--data=$agent/config.json",
        "a dataset that is another folder": "--data=$agent",
        "a device file": "--data=/dev/null/x",
    },
    "mark": {
        "an unknown solver": "--solver=typo",
        "no dataset": "--data=nowhere",
    },
    "clone": {
        "an unknown size": "--size=huge",
        "an unknown solver": "--solver=typo",
        "unknown kinds of play": '--kinds={"ghost": 1}',
        "kinds of play without weight": '--kinds={"scripted": 0}',
        "kinds of play with weight NaN": '--kinds={"scripted": NaN}',
        "a name with a slash": "--name=../elsewhere",
        "a name of two dots": "--name=..",
        "an empty name": "--name=",
        "a run that is not there": "--resume=nowhere",
        "a run that is a dataset": "--resume=$data",
        "a run of another command": "--resume=$reward_run",
        "no dataset": "--data=nowhere",
        "a model that no memory can hold": "--training.batch=100000000",
    },
    "reward": {
        "an unknown kind": "--kind=magic",
        "an agent that is a reward model": "--agent=$reward_model",
        "a start that is an agent": "--start=$agent",
    },
    "improve": {
        "a reward model that is an agent": "--reward-model=$agent",
        "an unknown executor": "--executor=cloud",
        "an unknown reward": "--pays=gold",
        "nothing to replay": "--replay=typo",
        "nothing to imitate": "--imitate=typo",
    },
    "evaluate": {
        "an unknown probe": "--probes=fly",
        "an agent twice": ("--agents", "a", "scripted", "a", "perfect"),
        "a name without a folder": ("--agents", "a"),
        "results into a folder": "--out=.",
        "results into a device file": "--out=/dev/null/x.json",
    },
    "report": {
        "no run": "--run=$folder/nowhere",
        "a run that is a dataset": "--run=$data",
    },
    "reproduce": {"an unknown result": "magic"},
    "episodes show": {
        "an unknown episode": ("$data", "e99"),
        "a sheet into a folder that is not there": ("$data", "e1", "--png=no/x.png"),
    },
    "episodes drop": {"an unknown episode": ("$copy_of_data", "e99")},
    "episodes merge": {
        "from nowhere": ("$folder/nowhere", "$folder/to"),
        "another world": ("$data", "$copy_of_play"),
    },
    "suite make": {"no dataset": "--data=$folder/nowhere"},
    "suite play": {
        "no suite": "--suite=$folder/nowhere.json",
        "a suite that is none": "--suite=$agent/config.json",
    },
    "marks export": {"into a folder that is not there": ("$data", "$folder/no/x.csv")},
    "": {
        "no such command": "recrod",
        "half a command": "episodes",
        "a command in capitals": "RECORD",
        "an empty command": ("",),
    },
}


def trials(material: Material, rng: random.Random) -> list[Trial]:
    """Return trials of every numeric setting of every command with every value."""
    return [
        _trial(f"{verb} {flag}={value}", material, verb, (f"{flag}={value}",), value in NONE_OF_NUMBERS)
        for verb in BASES
        for flag in numeric_settings(verb)
        for value in VALUES
    ]


def numeric_settings(verb: str) -> list[str]:
    """Return the flags of a command's settings that are numbers, or may be."""
    return [setting.flag for setting in settings(verb) if _numeric(setting.hint)]


def settings(verb: str) -> Iterator[Setting]:
    """Return all settings of a command."""
    kind, _ = VERBS[verb].load()
    try:
        default = kind()
    except BadValue:  # it has positional arguments
        default = None
    return settings_of(kind, default)


def _numeric(hint: Any) -> bool:
    if get_origin(hint) is Annotated:
        return _numeric(get_args(hint)[0])
    members = [member for member in get_args(hint) if member not in (type(None), Ellipsis)]
    return hint in (int, float) or (bool(members) and all(map(_numeric, members)))


def _trial(name: str, material: Material, verb: str, more: tuple[str, ...], must_fail: bool = True) -> Trial:
    """Return the trial of a command with ``more`` words than those of BASES."""

    def run(folder: Path) -> str | None:
        before = digest(make_outside(folder / "outside"))
        process = begin(folder, *verb.split(), *_filled((*BASES.get(verb, ()), *more), material, folder))
        ended = process.wait_or_send(AT_WORK_SEC, signal.SIGINT, STOP_SEC)
        process.kill_session()
        if ended.interrupted:
            if must_fail:
                return "is accepted, and the command continues"
            stopped = ended.status in (0, 130) and "Traceback" not in ended.err
            return None if stopped else fault(ended) or f"interrupted, exits with {ended.status}"
        return fault(ended, must_fail=must_fail) or touched(before, folder / "outside")

    return Trial(name, run)


def _filled(words: tuple[str, ...], material: Material, folder: Path) -> list[str]:
    """Return words with the folders that they name."""
    folders = {name: getattr(material, name) for name in ("data", "play", "agent", "reward_model")}
    folders |= {"material": material.folder, "reward_run": material.folder / "reward", "folder": folder}
    for name in ("data", "play"):
        if any(f"$copy_of_{name}" in word for word in words):
            folders[f"copy_of_{name}"] = material.copy(name, folder)
    return [Template(word).substitute(folders) for word in words]


def names(material: Material, rng: random.Random) -> list[Trial]:
    """Return a trial of every row of the tables of wrong words."""
    return [
        _trial(f"{verb}: {what}" if verb else what, material, verb, words)
        for verb, rows in wrong_words().items()
        for what, words in rows.items()
    ]


def wrong_words() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return all wrong words, by command and by what is wrong."""
    tables = [
        *((verb, ANY_COMMAND) for verb in BASES),
        *((verb, WITH_PRESETS) for verb in BASES if verb not in ("episodes list", "look", "serve")),
        *((verb, IN_WORLDS) for verb in ("record", "improve", "evaluate")),
        *WRONG_WORDS.items(),
    ]
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for verb, rows in tables:
        found.setdefault(verb, {}).update({k: (v,) if isinstance(v, str) else v for k, v in rows.items()})
    return found


NUMBERS = Group(
    name="settings",
    tried=(
        "a numeric setting of a command, drawn from all of them, is given as an empty text or as one of "
        + ", ".join(VALUES[:-1])
    ),
    expectation=(
        "a text that is no number is refused in one line; any other value is refused in one line, or the command ends "
        "without an error and can be interrupted"
    ),
    promises=("A setting with a value that it cannot have is refused in one line, with a non-zero exit status.",),
    trials=trials,
    count=240,
)
NAMES = Group(
    name="names",
    tried="a command is given an unknown name, a missing or wrong folder, or impossible settings of worlds and players",
    expectation="it is refused in one line, with a non-zero exit status",
    promises=("An unknown name is refused in one line, before anything is written.",),
    trials=names,
)
