"""JSON from elsewhere is read, or refused by a ValueError, whatever is in it; so it is in every file of a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agents.folder import load_agent
from pipelines.report.data import load_report_data
from pipelines.stages.episodes.division import DIVISION_FILE, noted_division
from pipelines.stages.episodes.play_kinds import PlayKinds
from pipelines.stages.outcomes.results_file import load_results
from pipelines.stages.running.staged_run import STAGES_FILE, finished_stages
from pipelines.stages.settings.world_config import WorldConfig
from pipelines.suite.scenarios import load_suite
from reward_models.registry import load_reward_model
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.config import CONFIG_FILE, read_record
from rlhf.run.json_lines import read_rows
from rlhf.store.columns.json_text import from_json
from worlds.errors import UserError
from worlds.settings import validated

DEEP = '{"a":' * 100_000 + "1" + "}" * 100_000


@pytest.mark.parametrize(
    "text", [DEEP, "[" * 100_000, '"\\ud800"', '{"a": ["\\uDC00 \\uD83E"]}', b'{"\\udfff": 1}', "", "{"]
)
def test_text_that_is_no_json_or_cannot_be_written_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        from_json(text)


# The file that each reads, and how
READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "configuration": (CONFIG_FILE, read_record),
    "reward model": ("config.json", load_reward_model),
    "agent": ("config.json", load_agent),
    "checkpoint": ("checkpoints/step-000000001/checkpoint.json", lambda folder: Checkpoints(folder).latest()),
    "stages": (STAGES_FILE, finished_stages),
    "division": (DIVISION_FILE, noted_division),
    "metrics": ("file", lambda folder: read_rows(folder / "file")),
    "results": ("file", lambda folder: load_results(folder / "file")),
    "report": ("file", lambda folder: load_report_data(folder / "file")),
    "suite": ("file", lambda folder: load_suite(folder / "file")),
    "kinds": ("file", lambda folder: validated(PlayKinds, (folder / "file").read_text())),
    "world": ("file", lambda folder: WorldConfig(settings=(folder / "file").read_text()).sampling()),
}


@pytest.mark.parametrize(("name", "read"), READERS.values(), ids=READERS)
def test_endless_nesting_is_one_line_in_every_file(name: str, read: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(DEEP + "\n")
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(UserError) as caught:
        read(tmp_path)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 1000
