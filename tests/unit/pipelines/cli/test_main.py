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
from rlhf.records.json_records import from_json, to_json
from rlhf.run.config import save_config
from worlds.errors import RunError, UserError, set_resume_hint


@pytest.fixture(autouse=True)
def own_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    """``main`` sets how the process shows warnings; put that back for other tests."""
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)


HEAVY = ("torch", "mujoco", "ray", "transformers", "wandb", "matplotlib", "datasets", "numba", "numpy", "tyro", "rich")


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
            raise ValueError(f"width is the number of features of every layer, which is never as small as {self.width}")


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


def test_help_comes_in_well_under_a_second_and_imports_nothing_heavy() -> None:
    loaded = f"print([m for m in {HEAVY} if m in sys.modules])"
    code = f"import sys; from pipelines.cli.main import main; main(['--help']); {loaded}"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)  # wall time depends on the load of the machine
    assert (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime) < 0.5
    assert done.stdout.splitlines()[-1] == "[]"
    for verb in VERBS:
        assert f"  {verb} " in done.stdout


@pytest.mark.parametrize("words", [[], ["help"], ["-h"]])
def test_help_by_any_name(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert "usage: rlhf" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ("preferences import file.jsonl data", "--kind"),
        ("preferences export data file.jsonl", "--kind"),
        ("episodes push data", "--to"),
        ("episodes export data file", "--to"),
        ("episodes import file data", "--from"),
    ],
)
def test_a_setting_without_a_default_is_asked_for_by_its_name(
    words: str, missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    assert f"needs {missing} (see rlhf" in capsys.readouterr().err


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_every_verb_leads_to_a_configuration_and_its_help(verb: Verb, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*verb.name.split(), "--help"]) == 0
    assert f"usage: rlhf {verb.name}" in capsys.readouterr().out


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


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["recrod"], "error: no command recrod; did you mean record?"),
        (["xyzzy"], "error: no command xyzzy; rlhf --help lists them"),
        (["episodes", "shw"], "error: no command episodes shw; did you mean episodes show?"),
        (["episodes"], "error: episodes needs one of list, show, verify, merge, drop"),
        (["play", "--stps", "3"], "error: no setting stps; did you mean steps?"),
        (["play", "--network.wdth=3"], "error: no setting network.wdth; did you mean network.width?"),
        (["play", "--width=3"], "error: no setting width; did you mean network.width?"),
        (["play", "--learning-rat=3"], "error: no setting learning-rat; did you mean learning-rate?"),
        (["play", "--qqqqq"], "error: no setting qqqqq; rlhf play --help lists them"),
        (
            ["play", "--steps", "many"],
            "error: --steps is a whole number, not 'many' (see rlhf play --help)",
        ),
        (["play", "--greedy=maybe"], "error: --greedy is [true|false], not maybe"),
        (["play", "--preset"], "error: --preset needs a value"),
        (["play", "--preset", "./no_such.py"], "error: no preset file no_such.py; "),
        (["play", "--preset", "zzz"], "error: no preset zzz; "),
    ],
)
def test_words_that_cannot_be_parsed_are_one_line_and_status_2(
    play: list[Any], words: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    message = capsys.readouterr()
    assert message.out == "" and len(message.err.splitlines()) == 1
    assert message.err.startswith(line)
    assert play == []


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("play --mode medium", "--mode is {fast,slow}, not medium"),
        ("play --steps", "--steps needs a value"),
        ("play --network.sizes 3", "--network.sizes is INT INT, not 3"),
        ("play --limit=x", "--limit is a whole number, not 'x' (see rlhf play --help)"),
        ("play --steps 3 stray", "stray belongs to no setting (see rlhf play --help)"),
        ("render", "rlhf render needs EPISODE"),
        ("episodes show --data", "no setting data; rlhf episodes show --help lists them"),
        ("episodes show", "rlhf episodes show needs DATASET and EPISODE"),
        ("episodes drop", "rlhf episodes drop needs DATASET"),
    ],
)
def test_values_of_the_wrong_type_are_one_line_too(
    play: list[Any], words: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    assert capsys.readouterr().err == f"error: {line}\n"


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ([], {}),
        (["--steps=3", "--network.width", "8"], {"steps": 3, "network": Network(width=8)}),
        (["--learning-rate", "1e-4"], {"learning_rate": 1e-4}),
        (["--learning_rate=1e-4"], {"learning_rate": 1e-4}),
        (["--tasks", "go", "lift"], {"tasks": ("go", "lift")}),
        (["--tasks=go,lift"], {"tasks": ("go", "lift")}),
        (["--network.sizes=3,4"], {"network": Network(sizes=(3, 4))}),
        (["--greedy"], {"greedy": True}),
        (["--greedy=true"], {"greedy": True}),
        (["--greedy=false"], {}),
        (["--no-greedy"], {}),
        (["--limit", "4", "--mode", "slow", "--data=x/y"], {"limit": 4, "mode": "slow", "data": Path("x/y")}),
    ],
)
def test_settings_reach_the_function(play: list[Any], words: list[str], settings: dict[str, Any]) -> None:
    assert main(["play", *words]) == 0  # what the function returned is no status
    assert play == [PlayConfig(**settings)]


def test_a_preset_file_is_overridden_by_settings(play: list[Any], tmp_path: Path) -> None:
    preset = tmp_path / "mine.py"
    preset.write_text("from made_up_play import PlayConfig\ndef play(): return PlayConfig(steps=99, limit=5)\n")
    assert main(["play", "--preset", str(preset), "--limit", "6"]) == 0
    assert play == [PlayConfig(steps=99, limit=6)]


@pytest.mark.parametrize(
    ("source", "complaint"),
    [("x = 1", "has no settings for this command"), ("def play(): return 3", "returned a int, not a PlayConfig")],
)
def test_a_preset_that_is_none(
    play: list[Any], tmp_path: Path, source: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(source)
    assert main(["play", "--preset", str(tmp_path / "mine.py")]) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("x = 1\ndef play(:\n", "mine.py, line 2: SyntaxError: invalid syntax"),
        ("x = 1\n\ny = nothing\n", "mine.py, line 3: NameError: name 'nothing' is not defined"),
        ("import no_such_package\n", "mine.py, line 1: ModuleNotFoundError: No module named 'no_such_package'"),
        ("import json\njson.loads('{')\n", "mine.py, line 2: JSONDecodeError: Expecting property name"),
        (
            "from made_up_play import PlayConfig\ndef play():\n    return PlayConfig(stps=3)\n",
            "mine.py, line 3: TypeError: PlayConfig.__init__() got an unexpected keyword argument 'stps'",
        ),
        (
            "from made_up_play import PlayConfig\ndef play(): return PlayConfig(steps=0)\n",
            "mine.py, line 2: steps is at least 1, not 0",
        ),
    ],
)
def test_a_broken_preset_file_is_one_line_that_names_its_place(
    play: list[Any], tmp_path: Path, source: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(source)
    assert main(["play", "--preset", str(tmp_path / "mine.py")]) == 1
    message = capsys.readouterr().err
    assert message.startswith(f"error: preset file {tmp_path}/{complaint}") and len(message.splitlines()) == 1


def test_resume_takes_only_the_runs_folder(play: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_config(tmp_path, PlayConfig(steps=42, network=Network(width=9)))
    assert main(["play", "--resume", str(tmp_path)]) == 0
    assert play == [PlayConfig(steps=42, network=Network(width=9), resume=tmp_path)]
    assert main(["play", "--resume", str(tmp_path / "nowhere")]) == 1
    assert "is not a run's folder" in capsys.readouterr().err
    assert main(["play", "--resume", str(tmp_path), "--preset", "x"]) == 2


def wrapped(cause: BaseException) -> RuntimeError:
    error = RuntimeError("could not write the checkpoint")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device", "data/x.parquet"),
        OSError(errno.EDQUOT, "Disk quota exceeded"),
        RuntimeError("Error while serializing: I/O error: No space left on device (os error 28)"),
        RuntimeError("[enforce fail at inline_container.cc:672] . PytorchStreamWriter failed writing file data/0"),
        wrapped(OSError(errno.ENOSPC, "No space left on device")),
    ],
)
def test_a_full_disk_is_named_with_what_is_kept(
    play: list[Any], error: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    fail_with(error)
    assert main(["play"]) == 1
    message = capsys.readouterr().err
    assert message.startswith("error: the disk is full") and message.endswith("all games are kept\n")
    assert len(message.splitlines()) == 1


class OfItsOwn(BaseException):
    """As foreign code may raise it."""


@pytest.mark.parametrize("error", [GeneratorExit("done"), OfItsOwn("done")])
def test_what_foreign_code_raises_is_one_line(
    play: list[Any], error: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    fail_with(error)
    assert main(["play"]) == 1
    (message,) = capsys.readouterr().err.splitlines()
    assert type(error).__name__ in message and "all games are kept" in message


class OutOfMemoryError(RuntimeError):
    """Of the name of PyTorch's."""


CUDA_FULL = "CUDA out of memory. Tried to allocate 2.00 GiB.\nGPU 0 has a total capacity of 8 GiB"


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt(), FloatingPointError("nan")]
)
def test_the_end_of_a_run_names_the_command_that_resumes_it(
    error: BaseException, play: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    set_resume_hint(error, "resume with: rlhf play --resume runs/a")
    fail_with(error)
    assert main(["play"]) in (1, 130)
    message = capsys.readouterr().err
    assert "resume with: rlhf play --resume runs/a" in message
    assert "run the command again" not in message and "all games are kept" not in message


@pytest.mark.parametrize("error", [OutOfMemoryError(CUDA_FULL), wrapped(OutOfMemoryError(CUDA_FULL))])
def test_a_full_gpu_is_reported_with_a_remedy(
    play: list[Any], error: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    fail_with(error)
    assert main(["play"]) == 1
    message = capsys.readouterr().err
    assert message.startswith("error: the GPU's memory is full; use a smaller batch or fewer slots")
    assert "bf16" in message and "checkpoint-activations" in message
    assert message.endswith("all games are kept\n") and len(message.splitlines()) == 1


@pytest.mark.parametrize("error", [OutOfMemoryError("the node is low on memory"), RuntimeError(CUDA_FULL)])
def test_other_errors_about_memory_are_raised_as_they_are(play: list[Any], error: BaseException) -> None:
    fail_with(error)
    with pytest.raises(RuntimeError) as caught:
        main(["play"])
    assert caught.value is error


def test_user_and_world_errors_are_one_line(play: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    from worlds.contract import WorldError

    for error in (UserError("data/x is damaged;\n drop it"), WorldError("rooms is at least 1, not 0")):
        fail_with(error)
        assert main(["play"]) == 1
        assert capsys.readouterr().err == f"error: {' '.join(str(error).split())}\n"
    assert main(["play", "--steps", "0"]) == 1  # raised by the configuration itself
    assert capsys.readouterr().err == "error: steps is at least 1, not 0\n"


def test_permission_is_one_line(play: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    fail_with(PermissionError(errno.EACCES, "Permission denied", "/readonly/x"))
    assert main(["play"]) == 1
    assert "no permission for /readonly/x" in capsys.readouterr().err


def test_a_file_that_cannot_be_used_is_one_line(play: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    for error in (IsADirectoryError(errno.EISDIR, "Is a directory", "out"), NotADirectoryError(20, "No folder", "out")):
        fail_with(error)
        assert main(["play"]) == 1
        assert capsys.readouterr().err == f"error: out: {error.strerror}\n"


def test_a_run_that_fails_is_one_line_with_what_is_kept(play: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    from rlhf.distributed.watch import RunStalledOnRay, WorkerDied
    from rlhf.learning.local_executor import RunStalled
    from rlhf.replay.runner import RunnerError

    assert issubclass(RunStalled, RunError) and issubclass(RunnerError, RunError)
    for kind in (RunStalled, RunStalledOnRay, WorkerDied, RunnerError, FloatingPointError):
        fail_with(kind("loss of update 3\nis not finite"))
        assert main(["play"]) == 1
        message = capsys.readouterr().err
        assert message.startswith("error: loss of update 3 is not finite") and len(message.splitlines()) == 1
        assert "all games are kept" in message


def test_an_interruption_names_what_is_kept(play: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    fail_with(KeyboardInterrupt())
    assert main(["play"]) == 130
    assert capsys.readouterr().err.strip() == "stopped; all games are kept"


def test_warnings_are_one_line() -> None:
    code = "import warnings; from pipelines.cli.main import main; main(['xyzzy']); warnings.warn('no wandb')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[1:] == ["warning: no wandb"]


def test_bugs_keep_their_tracebacks(play: list[Any]) -> None:
    fail_with(ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        main(["play"])


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


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["help"], ["evaluate", "--help"]])
def test_a_reader_that_leaves_early_is_no_error(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    code = f"import sys; from pipelines.cli.main import main; sys.exit(main({words!r}))"
    with os.fdopen(writer) as closed:
        ended = subprocess.run([sys.executable, "-u", "-c", code], stdout=closed, stderr=subprocess.PIPE, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_command_whose_progress_nobody_reads_has_not_finished(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    data = tmp_path / "play"
    words = [f"--data={data}", "--episodes=1", "--steps=4", "--workers=1", "--world.height=6", "--world.width=8"]
    code = f"import sys; from pipelines.cli.main import main; sys.exit(main({['record', *words]!r}))"
    with os.fdopen(writer) as closed:
        ended = subprocess.run([sys.executable, "-u", "-c", code], stdout=closed, stderr=closed)
    assert ended.returncode == 141


@pytest.mark.parametrize("words", [["episodes", "list", "no-such-\U0001f600"], ["recr\U0001f600rd"]])
def test_text_that_the_terminal_cannot_show_is_escaped(words: list[str]) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii:strict", "LC_ALL": "C"}
    done = subprocess.run([sys.executable, "-m", "pipelines.cli.main", *words], capture_output=True, env=environment)
    assert done.returncode in (1, 2) and b"Traceback" not in done.stderr
    assert b"\\U0001f600" in done.stderr


def test_a_refusal_of_a_configuration_is_reported_as_it_was_raised(
    play: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", "--network.width", "-1"]) == 2
    message = capsys.readouterr().err
    assert "width is the number of features of every layer, which is never as small as -1 (see" in message
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize("chosen", [{}, {"GOMP_SPINCOUNT": "7"}, {"OMP_WAIT_POLICY": "active"}], ids=str)
def test_threads_wait_briefly_for_each_other_unless_the_user_says_how(chosen: dict[str, str]) -> None:
    """The setting is read where PyTorch's library of threads is loaded, so it must be there before."""
    ours = {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"}
    environment = {name: value for name, value in os.environ.items() if name not in ours} | chosen
    code = (
        "import os, sys; from pipelines.cli.main import main; main(['--help']); assert 'torch' not in sys.modules\n"
        "print(os.environ.get('GOMP_SPINCOUNT'), file=sys.stderr)"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, env=environment, check=True, capture_output=True, text=True)
    expected = {"OMP_WAIT_POLICY": "None", "GOMP_SPINCOUNT": "7"}.get(next(iter(chosen), ""), "10000")
    assert done.stderr.strip() == expected
