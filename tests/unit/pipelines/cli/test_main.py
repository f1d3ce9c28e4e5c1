"""The command line: fast, and one clear line for whatever is wrong."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import pytest

from pipelines.cli.main import VERBS, Verb, main
from rlhf.learning.local_executor import RunStalled
from rlhf.records.json_records import from_json, to_json
from rlhf.replay.runner import RunnerError
from rlhf.run.config import save_config
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from worlds.contract import WorldError
from worlds.errors import UserError, set_resume_hint


@pytest.fixture(autouse=True)
def own_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    """``main`` sets how the process shows warnings; put that back for other tests."""
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)


HEAVY = "torch mujoco ray transformers wandb matplotlib datasets numba numpy pydantic rich"


@dataclass(frozen=True)
class Network:
    """The network.

    Args:
      width: of its layers.
      sizes: height and width.
    """

    width: int = 64
    sizes: tuple[int, int] = (36, 48)

    def __post_init__(self) -> None:
        if self.width < 0:
            raise ValueError(f"width is the number of features, never as small as {self.width}")


@dataclass(frozen=True)
class PlayConfig:
    """Settings of a made-up verb.

    Args:
      data: folder of the dataset.
    """

    data: Path = Path("data")
    steps: int = 10
    learning_rate: float = 1e-3
    tasks: tuple[str, ...] = ("go",)
    mode: Literal["fast", "slow"] = "fast"
    greedy: bool = False
    limit: int | None = None
    resume: Path | None = None
    network: Network = field(default_factory=Network)

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise UserError(f"steps is at least 1, not {self.steps}")


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Registers the verb ``play``; yields the configurations it was called with. ``module.error`` is raised if set."""
    seen: list[Any] = []
    module: Any = ModuleType("made_up_play")

    def run(config: PlayConfig) -> int:
        seen.append(config)
        if module.error is not None:
            raise module.error
        return 7

    module.error, module.PlayConfig, module.play = None, PlayConfig, run
    monkeypatch.setitem(sys.modules, "made_up_play", module)
    monkeypatch.setitem(VERBS, "play", Verb("play", "made_up_play:play", "play", "all games are kept"))
    yield seen


def fail_with(error: BaseException) -> None:
    sys.modules["made_up_play"].error = error  # type: ignore[attr-defined]


def python(code: str, **how: Any) -> subprocess.CompletedProcess[str]:
    """Run ``code`` in a process of its own, after the import of ``main``."""
    code = f"import os, sys, warnings; from pipelines.cli.main import main; {code}"
    return subprocess.run([sys.executable, "-u", "-c", code], text=True, **how)


def test_help_comes_in_well_under_a_second_and_imports_nothing_heavy() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = python(f"main(['--help']); print([m for m in {HEAVY.split()} if m in sys.modules])", capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)  # wall time depends on the load of the machine
    assert (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime) < 0.5
    assert done.stdout.splitlines()[-1] == "[]"
    assert all(f"  {verb} " in done.stdout for verb in VERBS)


def test_help_by_any_name(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["help"], ["-h"]):
        assert main(words) == 0
        assert "usage: rlhf" in capsys.readouterr().out


NAMED_BY_PLACE = (
    "render",
    "episodes ",
    "marks ",
    "people ",
    "preferences ",
    "household check",
    "household people",
    "world ",
)  # verbs whose configurations have no defaults


@pytest.mark.parametrize(
    "verb", [verb for verb in VERBS.values() if not verb.name.startswith(NAMED_BY_PLACE)], ids=lambda verb: verb.name
)
def test_every_configuration_survives_being_written_beside_its_run(verb: Verb) -> None:
    kind = verb.load()[0]
    assert from_json(kind, json.loads(json.dumps(to_json(kind())))) == kind()


# Words and settings


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("recrod", "no command recrod; did you mean record?"),
        ("episodes shw", "no command episodes shw; did you mean episodes show?"),
        ("episodes", "episodes needs one of list, show, verify, merge, drop"),
        ("play --stps 3", "no setting stps; did you mean steps?"),
        ("play --network.wdth=3", "no setting network.wdth; did you mean network.width?"),
        ("play --width=3", "no setting width; did you mean network.width?"),
        ("play --steps many", "--steps is a whole number, not many"),
        ("play --steps", "--steps needs a value"),
        ("play --steps 3 stray", "stray belongs to no setting"),
        ("play --greedy=maybe", "--greedy is true or false, not maybe"),
        ("play --mode medium", "--mode is one of 'fast' or 'slow', not medium"),
        ("play --network.sizes 3", "--network.sizes is INT INT, not 3"),
        ("play --network.width -1", "width is the number of features, never as small as -1"),
        ("play --preset ./no_such.py", "no preset file no_such.py; "),
        ("play --preset zzz", "no preset zzz; "),
        ("episodes drop", "rlhf episodes drop needs DATASET and EPISODE ..."),
        ("episodes push data", "rlhf episodes push needs --to"),
        ("preferences import file.jsonl data", "rlhf preferences import needs --kind"),
    ],
)
def test_words_that_cannot_be_parsed_are_one_line_and_status_2(
    play: list[Any], words: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    message = capsys.readouterr()
    assert message.out == "" and len(message.err.splitlines()) == 1
    assert message.err.startswith(f"error: {line}")
    assert play == []


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ([], {}),
        (["--steps=3", "--network.width", "8"], {"steps": 3, "network": Network(width=8)}),
        (["--learning_rate=1e-4"], {"learning_rate": 1e-4}),
        (["--tasks", "go", "lift"], {"tasks": ("go", "lift")}),
        (["--tasks=go,lift"], {"tasks": ("go", "lift")}),
        (["--network.sizes=3,4"], {"network": Network(sizes=(3, 4))}),
        (["--greedy"], {"greedy": True}),
        (["--no-greedy"], {}),
        (["--limit", "4", "--mode", "slow", "--data=x/y"], {"limit": 4, "mode": "slow", "data": Path("x/y")}),
    ],
)
def test_settings_reach_the_function(play: list[Any], words: list[str], settings: dict[str, Any]) -> None:
    assert main(["play", *words]) == 0  # what the function returned is no status
    assert play == [PlayConfig(**settings)]


PRESET = "from made_up_play import PlayConfig\n"


def test_a_preset_file_is_overridden_by_settings(play: list[Any], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PRESET + "def play(): return PlayConfig(steps=99, limit=5)\n")
    assert main(["play", "--preset", str(tmp_path / "mine.py"), "--limit", "6"]) == 0
    assert play == [PlayConfig(steps=99, limit=6)]


@pytest.mark.parametrize(
    ("source", "status", "complaint"),
    [
        ("x = 1", 2, "has no settings for this command"),
        ("def play(): return 3", 2, "returned a int, not a PlayConfig"),
        ("x = 1\ndef play(:\n", 1, "mine.py, line 2: SyntaxError: invalid syntax"),
        ("import no_such_package\n", 1, "mine.py, line 1: ModuleNotFoundError"),
        ("import json\njson.loads('{')\n", 1, "mine.py, line 2: JSONDecodeError"),
        (PRESET + "def play():\n    return PlayConfig(stps=3)\n", 1, "mine.py, line 3: TypeError"),
        (PRESET + "def play(): return PlayConfig(steps=0)\n", 1, "mine.py, line 2: steps is at least 1, not 0"),
    ],
)
def test_a_broken_preset_file_is_one_line(
    play: list[Any], tmp_path: Path, source: str, status: int, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(source)
    assert main(["play", "--preset", str(tmp_path / "mine.py")]) == status
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and complaint in line and play == []


def test_resume_takes_only_the_runs_folder(play: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_config(tmp_path, PlayConfig(steps=42, network=Network(width=9)))
    assert main(["play", "--resume", str(tmp_path)]) == 0
    assert play == [PlayConfig(steps=42, network=Network(width=9), resume=tmp_path)]
    assert main(["play", "--resume", str(tmp_path / "nowhere")]) == 1
    assert "is not a run's folder" in capsys.readouterr().err
    assert main(["play", "--resume", str(tmp_path), "--preset", "x"]) == 2


# Errors


class OfItsOwn(BaseException):
    """As foreign code may raise it."""


class OutOfMemoryError(RuntimeError):
    """Of the name of PyTorch's."""


def wrapped(cause: BaseException) -> RuntimeError:
    error = RuntimeError("could not write the checkpoint")
    error.__cause__ = cause
    return error


NO_SPACE = OSError(errno.ENOSPC, "No space left on device", "data/x.parquet")
CUDA_FULL = "CUDA out of memory. Tried to allocate 2.00 GiB.\nGPU 0 has a total capacity of 8 GiB"
GPU_IS_FULL = "the GPU's memory is full; use a smaller batch"
NOT_FINITE = "loss of update 3\nis not finite"


@pytest.mark.parametrize(
    ("error", "line", "says_what_is_kept"),
    [
        (NO_SPACE, "the disk is full", True),
        (RuntimeError("I/O error: No space left on device (os error 28)"), "the disk is full", True),
        (RuntimeError("PytorchStreamWriter failed writing file data/0"), "the disk is full", True),
        (wrapped(NO_SPACE), "the disk is full", True),
        (OutOfMemoryError(CUDA_FULL), GPU_IS_FULL, True),
        (wrapped(OutOfMemoryError(CUDA_FULL)), GPU_IS_FULL, True),
        (GeneratorExit("done"), "GeneratorExit", True),
        (OfItsOwn("done"), "OfItsOwn", True),
        (RunStalled(NOT_FINITE), "loss of update 3 is not finite", True),
        (RunnerError(NOT_FINITE), "loss of update 3 is not finite", True),
        (FloatingPointError(NOT_FINITE), "loss of update 3 is not finite", True),
        (UserError("data/x is damaged;\n drop it"), "data/x is damaged; drop it", False),
        (WorldError("rooms is at least 1, not 0"), "rooms is at least 1, not 0", False),
        (PermissionError(errno.EACCES, "Permission denied", "/readonly/x"), "no permission for /readonly/x", False),
        (IsADirectoryError(errno.EISDIR, "Is a directory", "out"), "out: Is a directory", False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_errors_are_one_line_and_say_what_is_kept(
    error: BaseException, line: str, says_what_is_kept: bool, play: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    fail_with(error)
    assert main(["play"]) == 1
    (message,) = capsys.readouterr().err.splitlines()
    assert message.startswith("error: ") and line in message
    assert ("all games are kept" in message) == says_what_is_kept


def test_an_interruption_names_what_is_kept(play: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    fail_with(KeyboardInterrupt())
    assert main(["play"]) == 130
    assert capsys.readouterr().err.strip() == "stopped; all games are kept"


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt(), FloatingPointError()])
def test_the_end_of_a_run_names_the_command_that_resumes_it(
    error: BaseException, play: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    set_resume_hint(error, "resume with: rlhf play --resume runs/a")
    fail_with(error)
    assert main(["play"]) in (1, 130)
    message = capsys.readouterr().err
    assert "resume with: rlhf play --resume runs/a" in message
    assert "run the command again" not in message and "all games are kept" not in message


@pytest.mark.parametrize("error", [ZeroDivisionError(), OutOfMemoryError("of the node"), RuntimeError(CUDA_FULL)])
def test_bugs_keep_their_tracebacks(play: list[Any], error: BaseException) -> None:
    fail_with(error)
    with pytest.raises(type(error)) as caught:
        main(["play"])
    assert caught.value is error


def test_debug_shows_every_traceback(play: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLHF_DEBUG", "1")
    fail_with(UserError("x"))
    with pytest.raises(UserError):
        main(["play"])


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # `import ray` fails
    monkeypatch.setitem(VERBS, "play", Verb("play", "ray:play", "play"))
    assert main(["play"]) == 1
    assert "the package ray is not installed; pip install 'interactive-rlhf[ray]'" in capsys.readouterr().err


# Processes


def test_warnings_are_one_line() -> None:
    done = python("main(['xyzzy']); warnings.warn('no wandb')", capture_output=True)
    assert done.stderr.splitlines()[1:] == ["warning: no wandb"]


@pytest.mark.parametrize("words", [["--help"], ["evaluate", "--help"]])
def test_a_reader_that_leaves_early_is_no_error(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer) as closed:
        ended = python(f"sys.exit(main({words!r}))", stdout=closed, stderr=subprocess.PIPE)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_command_whose_progress_nobody_reads_has_not_finished(tmp_path: Path) -> None:
    open_store(tmp_path, create=True).write(synthetic_episode(0, steps=5, height=6, width=8))
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer) as closed:
        ended = python(f"sys.exit(main(['episodes', 'compact', {str(tmp_path)!r}]))", stdout=closed, stderr=closed)
    assert ended.returncode == 141


def test_text_that_the_terminal_cannot_show_is_escaped() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii:strict", "LC_ALL": "C"}
    done = python("sys.exit(main(['episodes', 'list', 'no-\U0001f600']))", capture_output=True, env=environment)
    assert done.returncode in (1, 2) and "Traceback" not in done.stderr and "\\U0001f600" in done.stderr


@pytest.mark.parametrize(
    ("chosen", "spins"), [({}, "10000"), ({"GOMP_SPINCOUNT": "7"}, "7"), ({"OMP_WAIT_POLICY": "active"}, "None")]
)
def test_threads_wait_briefly_for_each_other_unless_the_user_says_how(chosen: dict[str, str], spins: str) -> None:
    """The setting is read where PyTorch's library of threads is loaded, so it must be there before."""
    ours = {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"}
    environment = {name: value for name, value in os.environ.items() if name not in ours} | chosen
    code = "main(['--help']); print('torch' in sys.modules, os.environ.get('GOMP_SPINCOUNT'), file=sys.stderr)"
    assert python(code, env=environment, capture_output=True).stderr.split() == ["False", spins]
