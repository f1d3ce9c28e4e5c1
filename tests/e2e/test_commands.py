"""Every stage by its command, as small as it can be: each takes what the one before has made."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.config import AgentConfig
from agents.folder import load_agent
from pipelines.cli.main import main
from pipelines.stages.evaluate import load_results
from rlhf.run.tracking import column, read_metrics
from rlhf.store import open_store

pytestmark = pytest.mark.e2e

FRIDGE = ["--world.name", "household", "--world.settings", '{"tasks": ["put_fridge"]}']
PICTURES = ["--world.picture", "true", "--world.height", "36", "--world.width", "48"]
ACTS = ["--players.setter", '{"acts": true}']
QUIET = ["--wandb", "disabled"]
TRAINING = ["--training.updates", "2", "--training.steps", "8", "--training.batch", "2", *QUIET]
IMPROVING = ["--slots", "2", "--steps", "4", "--batch", "2", "--updates", "2", "--evaluate-every", "2", "--anyway"]
# The preset, what `record` and `improve` are told beside it, the size of the agent's pictures, and a probe.
LOOPS = {
    "the preset flat": (["--preset", "flat"], ["--steps", "60"], [], (72, 96), "pick up"),
    "Alice sees pictures": ([], ["--steps", "120", *FRIDGE, *PICTURES], [], (36, 48), "put_fridge"),
    "Alice acts, and reacts": ([], ["--steps", "120", *FRIDGE, *ACTS], ["--setters", "live"], (0, 0), "put_fridge"),
}


@pytest.mark.parametrize("name", LOOPS)
def test_each_command_takes_what_the_one_before_has_made(name: str, tmp_path: Path) -> None:
    preset, recorded, improving, image_size, probe = LOOPS[name]
    data, runs, out = tmp_path / "data", tmp_path / "runs", tmp_path / "results.json"

    def command(verb: str, *words: str | Path) -> None:
        assert main([verb, *preset, *map(str, words)]) == 0, verb

    command("record", "--data", data, "--episodes", "5", "--held-out", "0.2", "--workers", "1", *recorded)
    command("mark", "--data", data, "--per-five-minutes", "1000", "--miss", "0")  # everything, in this little play
    assert len(open_store(data)) == 5 and open_store(data).marks()

    command("clone", "--data", data, "--runs", runs, "--held-out", "0.25", *TRAINING)
    agent, _ = load_agent(runs / "clone" / "agent")
    assert isinstance(agent.config, AgentConfig) and agent.config.image_size == image_size
    assert agent.config.marks_cuts or not preset

    folders = ["--data", data, "--agent", runs / "clone" / "agent", "--runs", runs]
    command("reward", *folders, "--validation", "0.4", *TRAINING)
    model = ["--reward-model", runs / "reward" / "reward_model", "--evaluation-episodes", "1"]
    command("improve", *folders, *model, *IMPROVING, *QUIET, *improving)
    returns = column(read_metrics(runs / "improve"), "held_out/modelled_return")[0]
    assert len(returns) >= 2, "before and after: held-out setters were replayed"

    agents = [f"bc={runs / 'clone' / 'agent'}", f"bc+rl={runs / 'improve' / 'agent'}", "perfect=perfect"]
    asked = ["--probes", probe, "--episodes", "2", "--slots", "2"]
    command("evaluate", "--agents", *agents, "--baseline", "bc", "--out", out, *asked)
    results = {result.agent: result for result in load_results(out)}
    assert set(results) == {"bc", "bc+rl", "perfect"} and {result.probe for result in results.values()} == {probe}
    assert preset or results["perfect"].success == (True, True), "requests can be fulfilled where they are asked"
