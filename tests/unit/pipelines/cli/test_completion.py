"""The completion script, run by the shell it is for."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from pipelines.cli.main import VERBS, main


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--print-completion", "bash"]) == 0
    script = capsys.readouterr().out
    assert all(f'"{name}"' in script for name in VERBS)
    for typed, expected in (
        (["cl"], {"clone"}),
        (["runs", ""], {"list", "compare"}),
        (["clone", "--training.upd"], {"--training.updates"}),
        (["runs", "list", "--j"], {"--json"}),
        (["improve", "--slots", "4", "--learner.disc"], {"--learner.discount"}),
    ):
        words = " ".join(f"'{word}'" for word in ["rlhf", *typed])
        code = f"{script}\nCOMP_WORDS=({words}); COMP_CWORD={len(typed)}; _rlhf; echo ${{COMPREPLY[@]}}"
        done = subprocess.run(["bash", "-s"], input=code, capture_output=True, text=True, check=True)
        assert set(done.stdout.split()) == expected


def test_other_shells_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--print-completion", "tcsh"]) == 2
    assert "one of bash, zsh, fish" in capsys.readouterr().err
