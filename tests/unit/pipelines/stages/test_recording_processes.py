"""Recording in several processes: from any script, stopped at any time, and with a process that dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

from rlhf.store import open_store
from tests.patience import PATIENCE_SEC

ROOM = json.dumps({"rooms": [1, 1], "furniture": [0, 1], "objects": [2, 3]})
WORLD = ["--world.height=12", "--world.width=16", f"--world.settings={ROOM}"]
SCRIPT = """
    from pathlib import Path
    from pipelines.stages.settings.world_config import WorldConfig
    from pipelines.stages.record import RecordConfig, record
    world = WorldConfig({name!r}, 12, 16, settings='{settings}')
    print(len(record(RecordConfig(Path({data!r}), episodes=4, steps=3, workers=2, world=world))))
"""


def run(script: str, folder: Path, name: str = "playhouse", settings: str = ROOM) -> subprocess.CompletedProcess[str]:
    file = folder / "script.py"
    file.write_text(textwrap.dedent(script.format(data=str(folder / "data"), name=name, settings=settings)))
    return subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=PATIENCE_SEC)


def test_a_script_without_a_main_guard_records_in_several_processes(tmp_path: Path) -> None:
    done = run(SCRIPT, tmp_path)
    assert (done.returncode, done.stdout) == (0, "4\n"), done.stderr
    assert len(open_store(tmp_path / "data").ids()) == 4


def test_a_world_of_the_script_itself_is_played_in_one_process(tmp_path: Path) -> None:
    own = """
    from dataclasses import replace
    from worlds import registry

    def make(**given):
        return registry.get("playhouse").make(**given)

    registry.register(replace(registry.get("playhouse"), name="mine", make=make))
    """
    done = run(own + SCRIPT, tmp_path, name="mine")
    assert (done.returncode, done.stdout) == (0, "4\n"), done.stderr
    assert "the world mine is defined in the script that runs" in done.stderr


def recording(folder: Path) -> subprocess.Popen[str]:
    """A recording without end that has stored its first episodes, in a session of its own."""
    words = ["record", f"--data={folder}", "--episodes=100000", "--steps=5", "--workers=2", *WORLD]
    process = subprocess.Popen(
        [sys.executable, "-m", "pipelines.cli.main", *words], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while not (folder / "steps").exists() or len(list((folder / "steps").glob("*.parquet"))) < 3:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    return process


def children(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=,ppid=", "-A"], capture_output=True, text=True, check=True).stdout
    return [int(child) for child, parent in map(str.split, listed.splitlines()) if int(parent) == pid]


def test_ctrl_c_ends_a_recording_with_one_line_and_keeps_every_episode(tmp_path: Path) -> None:
    process = recording(tmp_path / "data")
    os.killpg(process.pid, signal.SIGINT)
    message = process.communicate(timeout=PATIENCE_SEC)[1]  # nobody holds the pipe any more
    assert process.returncode == 130 and "Traceback" not in message
    assert message.splitlines()[-1].startswith("stopped; every finished episode is kept in the dataset")
    assert open_store(tmp_path / "data").verify() == []


def test_a_recording_process_that_is_killed_is_one_line_with_signal_and_episode(tmp_path: Path) -> None:
    process = recording(tmp_path / "data")
    workers = children(process.pid)
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    message = process.communicate(timeout=PATIENCE_SEC)[1]
    assert process.returncode == 1 and "Traceback" not in message
    last = message.splitlines()[-1]
    assert last.startswith(f"error: process {workers[0]} was killed by SIGKILL")
    assert "while playing episode scripted-" in last and "every finished episode is kept in the dataset" in last
    assert "the same command" in last
    assert open_store(tmp_path / "data").verify() == []
