"""Settings that cannot be: numbers that are none or make no sense, and names of nothing."""

from __future__ import annotations

import importlib
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from benchmarks.robustness.commands import begin, fault
from benchmarks.robustness.material import KEEP, TRAIN, WORLD, Material, improve_words
from benchmarks.robustness.outside import digest, make_outside, touched
from benchmarks.robustness.trial import Group, Trial
from pipelines.cli.main import VERBS
from pipelines.cli.settings import settings_of

AT_WORK_SEC, STOP_SEC = 6.0, 60.0
NONE_OF_NUMBERS = ("nan", "many", "")  # never accepted
VALUES = ("-1", "0", "inf", "-inf", "1e23", str(10**23), *NONE_OF_NUMBERS)

Words = Callable[[Material, Path], list[object]]


def _record(material: Material, folder: Path) -> list[object]:
    return ["record", f"--data={folder / 'new'}", "--episodes=1", "--steps=4", "--workers=1", *WORLD]


def _agent_record(material: Material, folder: Path) -> list[object]:
    return [*_record(material, folder), f"--solver={material.agent}", "--slots=1"]


def _mark(material: Material, folder: Path) -> list[object]:
    return ["mark", f"--data={material.copy('data', folder)}"]


def _clone(material: Material, folder: Path) -> list[object]:
    return ["clone", f"--data={material.data}", f"--runs={folder / 'runs'}", *TRAIN, *KEEP]


def _reward(material: Material, folder: Path) -> list[object]:
    words = [f"--data={material.data}", f"--runs={folder / 'runs'}", f"--agent={material.agent}"]
    return ["reward", *words, "--validation=0.3", "--mix-raters", *TRAIN, *KEEP]


def _diagnose(material: Material, folder: Path) -> list[object]:
    model = f"--reward-model={material.reward_model}"
    return ["diagnose", model, f"--data={material.play}", f"--out={folder / 'diagnosis'}"]


def _improve(material: Material, folder: Path) -> list[object]:
    return ["improve", *improve_words(material, folder / "runs")]


def _evaluate(material: Material, folder: Path) -> list[object]:
    agent = ["--agents", "bc", material.agent]
    return ["evaluate", *agent, "--probes=go", "--episodes=1", f"--out={folder / 'out.json'}", *WORLD]


def _suite_make(material: Material, folder: Path) -> list[object]:
    return ["suite", "make", f"--data={material.play}", f"--out={folder / 'suite.json'}", "--scenarios=1", "--steps=4"]


def _demo(material: Material, folder: Path) -> list[object]:
    return ["demo", f"--run={folder / 'demo'}"]


def _iterate(material: Material, folder: Path) -> list[object]:
    return ["iterate", f"--run={folder / 'iterate'}"]


def _list(material: Material, folder: Path) -> list[object]:
    return ["episodes", "list", material.data]


BASES: dict[str, Words] = {
    "record": _record,
    "mark": _mark,
    "clone": _clone,
    "reward": _reward,
    "diagnose": _diagnose,
    "improve": _improve,
    "evaluate": _evaluate,
    "suite make": _suite_make,
    "demo": _demo,
    "iterate": _iterate,
    "episodes list": _list,
    "look": lambda material, folder: ["look", f"--data={material.data}", "--port=0"],
    "serve": lambda material, folder: ["serve", f"--data={folder}", "--port=0"],
}


def trials(material: Material, rng: random.Random) -> list[Trial]:
    """Every numeric setting of every command with every value."""
    return [
        Trial(f"{verb} {flag}={value}", _typed(material, base, [f"{flag}={value}"], value in NONE_OF_NUMBERS))
        for verb, base in BASES.items()
        for flag in numeric_settings(verb)
        for value in VALUES
    ]


def numeric_settings(verb: str) -> list[str]:
    """The flags of a command's settings that are numbers, or may be."""
    entry = VERBS[verb]
    kind = getattr(importlib.import_module(entry.module), entry.config)
    try:
        default = kind()
    except TypeError:  # it has positional arguments
        default = None
    return [setting.flag for setting in settings_of(kind, default) if _numeric(setting.hint)]


def _numeric(hint: Any) -> bool:
    if hint in (int, float):
        return True
    members = [member for member in get_args(hint) if member not in (type(None), Ellipsis)]
    return bool(members) and all(member in (int, float) for member in members)


def _typed(
    material: Material, base: Words, more: Sequence[object], must_fail: bool = True
) -> Callable[[Path], str | None]:
    """The trial of a command with ``more`` words."""

    def run(folder: Path) -> str | None:
        before = digest(make_outside(folder / "outside"))
        words = [*base(material, folder), *more]
        process = begin(folder, *words)
        ended = process.wait_or_send(AT_WORK_SEC, signal.SIGINT, STOP_SEC)
        process.kill_session()
        if ended.interrupted:
            if must_fail:
                return "is accepted, and the command works on"
            stopped = ended.status in (0, 130) and "Traceback" not in ended.err
            return None if stopped else fault(ended) or f"interrupted, exits with {ended.status}"
        return fault(ended, must_fail=must_fail) or touched(before, folder / "outside")

    return run


def names(material: Material, rng: random.Random) -> list[Trial]:
    """Names of nothing, and texts in which settings are hidden."""
    return [Trial(name, _typed(material, base, words)) for name, base, words in _wrong_names(material)]


def _wrong_names(material: Material) -> Iterator[tuple[str, Words, Sequence[object]]]:
    for verb, base in BASES.items():
        yield f"{verb}: an unknown setting", base, ["--no-such-setting=1"]
        yield f"{verb}: a word too many", base, ["stray"]
        yield f"{verb}: a setting without a value", base, ["--data"]
        if verb not in ("episodes list", "look", "serve"):
            yield f"{verb}: an unknown preset", base, ["--preset=nothing"]
            yield f"{verb}: a preset file that is not there", base, ["--preset=./nothing.py"]
    for base in (_record, _improve, _evaluate):
        yield f"{base.__name__[1:]}: an unknown world", base, ["--world.name=atlantis"]
        for settings in ('{"rooms": [0, 0]}', '{"rooms": "two"}', '{"rooms": [2, 1]}', '{"no": 1}', "[]", "{", "7"):
            yield f"{base.__name__[1:]}: --world.settings={settings}", base, [f"--world.settings={settings}"]
        for options in ('{"fov_y_deg": NaN}', '{"fov_y_deg": "wide"}', '{"no": 1}', '{"height": 3}', "[1]", '"x"'):
            yield f"{base.__name__[1:]}: --world.options={options}", base, [f"--world.options={options}"]
    for settings in (
        '{"room_size": [1e9, 1e9]}',
        '{"objects": [1000000000, 1000000000]}',
        '{"rooms": [100000, 100000]}',
    ):
        yield f"record: --world.settings={settings}", _record, [f"--world.settings={settings}"]
    for name in ("reaction", "hesitation", "motor_noise", "no_such"):
        for value in ("NaN", '"x"', "-1", "1e400", "null", "[1]"):
            words = [f'--players.solver={{"{name}": {value}}}']
            yield f"record: {words[0]}", _record, words
    for value in ("NaN", '"x"', "-1", "null", "Infinity"):
        words = [f'--players.setter={{"wander": {value}}}']
        yield f"record: {words[0]}", _record, words
        words = [f'--players.tasks={{"lift": {value}}}']
        yield f"record: {words[0]}", _record, words
    yield "record: no task at all", _record, ["--players.tasks={}"]
    yield "record: an unknown task", _record, ['--players.tasks={"fly": 1}']
    yield "record: settings nested deep", _record, ["--world.settings=" + "[" * 100_000]
    yield "record: an unknown split", _record, ["--split=test"]
    yield "record: an agent that is not there", _record, ["--solver=nowhere"]
    yield "record: an agent that is a reward model", _record, [f"--solver={material.reward_model}"]
    yield "record: an agent that is a dataset", _record, [f"--solver={material.data}"]
    yield "record: an unknown device", _agent_record, ["--device=tpu"]
    yield "record: shared control without an agent", _record, ["--shared-control"]
    yield "record: pictures of a million pixels a side", _record, ["--world.height=1000000", "--world.width=1000000"]
    yield "record: pictures without pixels", _record, ["--world.height=0"]
    yield "record: a dataset that is a file", _record, [f"--data={material.agent / 'config.json'}"]
    yield "record: a dataset that is another folder", _record, [f"--data={material.agent}"]
    yield "record: a device file", _record, ["--data=/dev/null/x"]
    yield "mark: an unknown solver", _mark, ["--solver=typo"]
    yield "mark: no dataset", _mark, ["--data=nowhere"]
    yield "clone: an unknown size", _clone, ["--size=huge"]
    yield "clone: an unknown solver", _clone, ["--solver=typo"]
    yield "clone: unknown kinds", _clone, ['--kinds={"ghost": 1}']
    yield "clone: kinds of no weight", _clone, ['--kinds={"scripted": 0}']
    yield "clone: kinds of weight NaN", _clone, ['--kinds={"scripted": NaN}']
    yield "clone: a name with a slash", _clone, ["--name=../elsewhere"]
    yield "clone: a name of two dots", _clone, ["--name=.."]
    yield "clone: an empty name", _clone, ["--name="]
    yield "clone: a run that is not there", _clone, ["--resume=nowhere"]
    yield "clone: a run that is a dataset", _clone, [f"--resume={material.data}"]
    yield "clone: a run of another command", _clone, [f"--resume={material.folder / 'reward'}"]
    yield "clone: no dataset", _clone, ["--data=nowhere"]
    yield "clone: a model that no memory can hold", _clone, ["--training.batch=100000000"]
    yield "reward: an unknown kind", _reward, ["--kind=magic"]
    yield "reward: an agent that is a reward model", _reward, [f"--agent={material.reward_model}"]
    yield "reward: a start that is an agent", _reward, [f"--start={material.agent}"]
    yield "improve: a reward model that is an agent", _improve, [f"--reward-model={material.agent}"]
    yield "improve: an unknown executor", _improve, ["--executor=cloud"]
    yield "improve: an unknown way to pay", _improve, ["--pays=gold"]
    yield "improve: nothing to replay", _improve, ["--replay=typo"]
    yield "improve: nothing to imitate", _improve, ["--imitate=typo"]
    yield "evaluate: an unknown probe", _evaluate, ["--probes=fly"]
    yield "evaluate: an agent twice", _evaluate, ["--agents", "a", "scripted", "a", "perfect"]
    yield "evaluate: a name without a folder", _evaluate, ["--agents", "a"]
    yield "evaluate: results into a folder", _evaluate, ["--out=."]
    yield "evaluate: results into the disk's devices", _evaluate, ["--out=/dev/null/x.json"]
    yield "report: no run", lambda m, f: ["report", f"--run={f / 'nowhere'}"], []
    yield "report: a run that is a dataset", lambda m, f: ["report", f"--run={m.data}"], []
    yield "reproduce: an unknown result", lambda m, f: ["reproduce", "magic"], []
    yield "episodes show: an unknown episode", lambda m, f: ["episodes", "show", m.data, "e99"], []
    yield "episodes show: a sheet into nothing", lambda m, f: ["episodes", "show", m.data, "e1", "--png=no/x.png"], []
    yield "episodes drop: an unknown episode", lambda m, f: ["episodes", "drop", m.copy("data", f), "e99"], []
    yield "episodes merge: with itself from nowhere", lambda m, f: ["episodes", "merge", f / "nowhere", f / "to"], []
    yield "episodes merge: another world", lambda m, f: ["episodes", "merge", m.data, m.copy("play", f)], []
    yield "suite make: no dataset", lambda m, f: ["suite", "make", f"--data={f / 'nowhere'}"], []
    yield "suite play: no suite", lambda m, f: ["suite", "play", f"--suite={f / 'nowhere.json'}"], []
    yield "suite play: a suite that is none", lambda m, f: ["suite", "play", f"--suite={m.agent / 'config.json'}"], []
    yield "marks export: over a file that is there", lambda m, f: ["marks", "export", m.data, m.agent / "x.csv"], []
    yield "no such command", lambda m, f: ["recrod"], []
    yield "half a command", lambda m, f: ["episodes"], []
    yield "a command in capitals", lambda m, f: ["RECORD"], []
    yield "an empty command", lambda m, f: [""], []


NUMBERS = Group(
    name="settings",
    tried=(
        "a numeric setting of a command, drawn from all of them, is given as nothing or as one of "
        + ", ".join(VALUES[:-1])
    ),
    expectation=(
        "what is no number is refused in one line; any other value is refused in one line, or the command works, ends "
        "well, and can be stopped"
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
