"""Every command, over folders that name code which someone else has put beside them: none runs it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pipelines.cli.main import VERBS
from tests.processes import rlhf

SHELF = Path(__file__).parents[2] / "examples" / "own_world" / "shelf.py"
AGENT, MODEL, EPISODE = "runs/clone/agent", "runs/reward/reward_model", "scripted-train-000000000"
TINY = "--training.updates 1 --training.steps 4 --training.batch 2 --training.evaluate-every 1"
IMPROVE = f"--data data --agent {AGENT} --reward-model {MODEL} --updates 1 --slots 2 --steps 4 --batch 2 --threads 1"
LOOP = (
    "record --world.name world.py --data data --episodes 8 --steps 20 --held-out 0.2 --workers 1",
    "mark --data data",
    f"clone --data data {TINY}",
    f"reward --data data --agent {AGENT} {TINY}",
    f"improve {IMPROVE} --world.name world.py",
    "suite make --data data --scenarios 2 --steps 4 --room 1",
)
REFUSED = "refused"  # the command needs the code, and names `rlhf trust`
OPENED = "opened"  # it succeeds without
LACKING = "lacking"  # it fails for want of something else, such as judgements

# Words of every command that reads a folder, in a folder with {data} and {runs} that name a world's file.
COMMANDS = {
    "record": (f"record --data more --solver {AGENT} --episodes 1", REFUSED),
    "mark": ("mark --data data --raters 2", OPENED),
    "clone": (f"clone --data data --name again {TINY}", OPENED),
    "reward": (f"reward --data data --agent {AGENT} --name again-reward {TINY}", OPENED),
    "diagnose": (f"diagnose --data data --reward-model {MODEL} --traces 0 --episodes 2", OPENED),
    "refine": (f"refine --data data --agent {AGENT} --reward-model {MODEL} {TINY}", OPENED),
    "improve": (f"improve {IMPROVE} --name again-improve", REFUSED),
    "improve in our world": (f"improve {IMPROVE} --name ours --world.name playhouse", REFUSED),
    "improve --resume": ("improve --resume runs/improve --updates 2", REFUSED),
    "evaluate": (f"evaluate --agents one={AGENT} --episodes 1", REFUSED),
    "evaluate in our world": (f"evaluate --agents one={AGENT} --world.name playhouse --out ours.json", REFUSED),
    "report": ("report --run runs/improve", OPENED),
    "language-model make": (f"language-model make --out lm --model.folder {AGENT} --data data", LACKING),
    "language-model mark": (f"language-model mark --model.folder {AGENT} --data data", LACKING),
    "iterate": (f"iterate --run rounds --rounds 1 --data data --agent {AGENT}", REFUSED),
    "teach": (f"teach --run lessons --data data --agent {AGENT}", REFUSED),
    "suite make": ("suite make --data data --out other.json --scenarios 2 --steps 4 --room 1", OPENED),
    "suite play": (f"suite play --suite suite.json --data played --agents one {AGENT}", REFUSED),
    "suite judge": ("suite judge --data data", LACKING),
    "suite live": (f"suite live --data live --agents one {AGENT} --episodes 1", REFUSED),
    "suite report": ("suite report --data data", LACKING),
    "episodes list": ("episodes list data", OPENED),
    "episodes show": (f"episodes show data {EPISODE}", OPENED),
    "render": (f"render {EPISODE} --data data --out one.png", OPENED),
    "episodes verify": ("episodes verify data", OPENED),
    "episodes merge": ("episodes merge data merged", OPENED),
    "episodes drop": (f"episodes drop copy {EPISODE}", OPENED),
    "episodes compact": ("episodes compact copy", OPENED),
    "episodes export": ("episodes export data exported --to rlds", OPENED),
    "marks export": ("marks export data marks.jsonl", OPENED),
    "preferences export": ("preferences export data verdicts.jsonl --kind verdicts", OPENED),
    "runs list": ("runs list runs", OPENED),
    "runs compare": ("runs compare runs/clone runs/reward", OPENED),
    "world check": ("world check nothing-but-a-name", LACKING),
}
# These read no folder that names a world or an agent, wait for people (tests of the server), or add only to a dataset.
OTHERS = {
    "demo", "reproduce", "serve", "look", "people link", "people delete", "household people", "marks collect",
    "episodes push", "episodes import", "marks import", "preferences import", "household tasks",
    "household demonstrate", "household inferred", "household check", "school tree", "trust", "doctor",
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the whole loop ran in a harmless world, whose file someone then exchanged."""
    folder = tmp_path_factory.mktemp("foreign")
    source = SHELF.read_text().replace('entry("shelf"', 'entry("another shelf"')  # other tests may know the example
    (folder / "world.py").write_text(source)
    for words in LOOP:
        status, errors = run(folder, words)
        assert status == 0, errors
    shutil.copytree(folder / "data", folder / "copy")
    (folder / "world.py").write_text(f"{source}\nopen({str(folder / 'canary')!r}, 'w').close()\n")
    return folder


def run(place: Path, words: str) -> tuple[int, str]:
    """Run a command in a folder; return its status and its standard error."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        process = rlhf(place, *words.split())
    return process.wait(), process.errors()


def test_every_command_is_tried() -> None:
    tried = {name for name in VERBS if any(words.startswith(f"{name} ") for words, _ in COMMANDS.values())}
    assert tried | OTHERS == set(VERBS) and not tried & OTHERS


@pytest.mark.e2e
@pytest.mark.parametrize("name", COMMANDS)
def test_code_that_a_folder_names_is_not_run(name: str, place: Path) -> None:
    words, expected = COMMANDS[name]
    status, errors = run(place, words)
    assert not (place / "canary").exists()
    assert status == (0 if expected == OPENED else 1), errors
    assert ("rlhf trust" in errors) == (expected == REFUSED), errors


@pytest.mark.e2e
def test_an_agent_of_a_kind_that_a_file_registers(place: Path, tmp_path: Path) -> None:
    for folder, command in ((AGENT, "evaluate --agents one={folder}"), (MODEL, "diagnose --data data --reward-model")):
        shutil.copytree(place / folder, tmp_path / folder)
        config = tmp_path / folder / "config.json"
        settings = json.loads(config.read_text()) | {"model_type": str(place / "world.py")}
        config.write_text(json.dumps(settings))
        status, errors = run(place, command.format(folder=tmp_path / folder) + f" {tmp_path / folder}")
        assert status and not (place / "canary").exists(), errors


@pytest.mark.e2e
def test_what_is_trusted_is_run(place: Path) -> None:
    assert run(place, "trust data")[0] == 0
    assert run(place, f"evaluate --agents one={AGENT} --episodes 1 --out trusted.json")[0] == 0
    assert (place / "canary").exists()
