"""The completion script, run by the shell it is for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from pipelines.cli.main import VERBS, main


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "rlhf.bash"
    with pytest.MonkeyPatch.context() as patch:
        written: list[str] = []
        patch.setattr("builtins.print", lambda text, **_: written.append(text))
        assert main(["--print-completion", "bash"]) == 0
    path.write_text(written[0])
    return path


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (["cl"], {"clone"}),
        (["runs", ""], {"list", "compare"}),
        (["clone", "--training.upd"], {"--training.updates"}),
        (["runs", "list", "--j"], {"--json"}),
        (["improve", "--slots", "4", "--learner.disc"], {"--learner.discount"}),
    ],
)
def test_bash_completes(script: Path, typed: list[str], expected: set[str]) -> None:
    words = " ".join(f"'{word}'" for word in ["rlhf", *typed])
    code = f"source {script}; COMP_WORDS=({words}); COMP_CWORD={len(typed)}; _rlhf; echo ${{COMPREPLY[@]}}"
    message = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True).stdout
    assert set(message.split()) == expected


def test_every_command_is_in_it_and_other_shells_are_refused(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = script.read_text()
    assert all(f'"{name}"' in text for name in VERBS)
    assert main(["--print-completion", "tcsh"]) == 2
    assert "one of bash, zsh, fish" in capsys.readouterr().err
