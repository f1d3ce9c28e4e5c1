"""What the steps of the loop say at the end: how good the result is, where it is, and what usually follows."""

from __future__ import annotations

import json
import re
import shlex
import warnings
from collections import Counter
from pathlib import Path

import pytest
import torch

from pipelines.cli.main import NEXT, VERBS, main
from rlhf.store import open_store

ROOM = json.dumps({"rooms": [1, 1], "furniture": [0, 1], "objects": [2, 3]})
WORLD = ["--world.height=12", "--world.width=16", f"--world.settings={ROOM}"]
QUICK = ["--wandb=disabled", "--training.updates=6", "--training.steps=3", "--training.batch=2"]
QUICK += ["--training.log-every=1", "--training.evaluate-every=2"]
INTERVAL = r"\d+% \(\d+ to \d+%\)"


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)  # which ``main`` sets


def test_the_last_line_of_a_stage_has_its_result_its_folder_and_the_next_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, runs = tmp_path / "the data", tmp_path / "runs"
    clone, reward, improve = (runs / name for name in ("clone/agent", "reward/reward_model", "improve/agent"))

    def message(*words: object) -> list[str]:
        capsys.readouterr()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert main([str(word) for word in words]) == 0, words
        return capsys.readouterr().err.splitlines()

    shown = shlex.quote(str(data))
    lines = message("record", "--data", data, "--episodes=10", "--steps=24", "--workers=1", "--held-out=0.2", *WORLD)
    assert [line for line in lines if re.fullmatch(rf"recorded 8 episodes into {re.escape(str(data))}: .+", line)]
    assert re.search(rf"recorded 2 episodes .*: {INTERVAL} of their \d+ requests were fulfilled", " ".join(lines))
    store = open_store(data)
    by_task = next(line for line in lines if line.startswith("fulfilled by task: ")).removeprefix("fulfilled by task: ")
    found = re.findall(r"(\w+) (\d+)% of (\d+)", by_task)
    asked, done = Counter[str](), Counter[str]()
    for episode in map(store.read, store.ids(split="train")):
        for request, step in zip(episode.requests, episode.success_step, strict=True):
            asked[request.task.name] += 1
            done[request.task.name] += step is not None
    assert all((share, int(count)) == (f"{100 * done[t] / asked[t]:.0f}", asked[t]) for t, share, count in found)
    assert len(found) == min(8, len(asked))
    assert [int(share) for _, share, _ in found] == sorted(int(share) for _, share, _ in found)
    assert lines[-1] == f"next: rlhf mark --data {shown}"
    marked = message("mark", "--data", data, "--miss=0", "--raters=2")
    assert marked[-1] == f"next: rlhf clone --data {shown}"

    lines = message("clone", "--data", data, f"--runs={runs}", "--held-out=0.3", *QUICK)
    assert re.fullmatch(r"cloning an agent of [\d,]+ parameters: 6/6 updates, .*, done", lines[-4])
    assert re.fullmatch(
        r"The loss of a step's movement on held-out play \(2 episodes\) went from [\d.]+ to [\d.]+ nats; "
        r"a constant prediction has [\d.]+\.",
        lines[-3],
    )
    assert lines[-2:] == [f"agent: {clone}", f"next: rlhf reward --data {shown} --agent {clone}"]

    lines = message("reward", "--data", data, f"--agent={clone}", f"--runs={runs}", "--validation=0.3", *QUICK)
    assert any(
        re.match(rf"{INTERVAL} of the pairs of moments in held-out play \(\d+ episodes?\) are", o) for o in lines
    )
    assert lines[-2:] == [
        f"reward model: {reward}",
        f"next: rlhf improve --data {shown} --agent {clone} --reward-model {reward}",
    ]

    lines = message(
        *("improve", "--data", data, f"--runs={runs}", f"--agent={clone}", f"--reward-model={reward}", "--updates=4"),
        *("--slots=2", "--steps=4", "--threads=1", "--evaluate-every=2", "--wandb=disabled", *WORLD),
    )
    assert lines[-3].startswith("Too few finished requests on held-out replays (2) to compare beginning and end")
    assert lines[-2:] == [f"agent: {improve}", f"next: rlhf evaluate --agents BC={clone} BC+RL={improve}"]

    out = tmp_path / "results.json"
    lines = message("evaluate", "--agents", "A=scripted", "--probes=go", "--episodes=2", f"--out={out}", *WORLD)
    assert lines[-1] == f"results: {out}" and re.search(r"go +A +\d+% \(\d+ to \d+\)", " ".join(lines))


def test_the_next_step_is_a_command() -> None:
    for name, words in NEXT.items():
        assert name in VERBS and words.split()[1] in VERBS
