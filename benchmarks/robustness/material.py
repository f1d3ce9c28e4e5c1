"""Material of the trials: small datasets, an agent, a reward model and their runs, created once by the commands."""

from __future__ import annotations

import json
import shutil
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from benchmarks.robustness.commands import fault, import_commands, rlhf
from rlhf.records.marks import Judgement, Mark
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode

EPISODES, STEPS, UPDATES = 8, 6, 6
HEIGHT, WIDTH = 12, 16
ROOM = json.dumps({"rooms": [1, 1], "furniture": [0, 1], "objects": [2, 3]})
WORLD = (f"--world.height={HEIGHT}", f"--world.width={WIDTH}", f"--world.settings={ROOM}")
QUIET = "--wandb=disabled"
TRAIN = (QUIET, f"--training.updates={UPDATES}", "--training.steps=3", "--training.batch=2", "--training.log-every=1")
KEEP = ("--training.evaluate-every=3", "--checkpoint-every=2")
IMPROVE = (
    QUIET,
    "--slots=2",
    "--steps=3",
    f"--updates={UPDATES}",
    "--evaluate-every=3",
    "--checkpoint-every=2",
    "--evaluation-episodes=2",
)


@dataclass(frozen=True)
class Material:
    """Folders of the material. Trials damage copies of it.

    Args:
      folder: folder of all pieces: the dataset ``data`` (synthetic play, with marks and a judgement), the dataset
        ``play`` (scripted play in one room, with held-out episodes) and the runs ``clone``, ``reward`` and ``improve``.
    """

    folder: Path

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def play(self) -> Path:
        return self.folder / "play"

    @property
    def agent(self) -> Path:
        return self.folder / "clone" / "agent"

    @property
    def reward_model(self) -> Path:
        return self.folder / "reward" / "reward_model"

    def copy(self, name: str, into: Path) -> Path:
        """Copy the piece ``name`` into the folder ``into``; return the copy."""
        return Path(shutil.copytree(self.folder / name, into / Path(name).name, symlinks=True))


def make_material(folder: Path) -> Material:
    """Create all material in the new folder ``folder``. Raises RuntimeError if a command fails."""
    folder.mkdir(parents=True)
    import_commands()
    warnings.simplefilter("ignore", DeprecationWarning)  # forks of a process with threads: ours do not hold locks
    torch.set_num_threads(1)
    material = Material(folder.resolve())
    _make_data(material.data)
    play = f"--data={material.play}"
    room = ("--steps=16", "--workers=1", *WORLD)
    _do(material, "record", play, "--episodes=4", *room)
    _do(material, "record", play, "--episodes=2", "--split=held_out", *room)
    _do(material, "mark", play, "--miss=0")
    _do(material, "clone", *clone_words(material, folder))
    _do(material, "reward", *reward_words(material, folder))
    _do(material, "improve", *improve_words(material, folder))
    return material


def clone_words(material: Material, runs: Path) -> list[str]:
    """Settings of `rlhf clone` on the dataset ``data``, with a run in ``runs``."""
    return [f"--data={material.data}", f"--runs={runs}", "--held-out=0.2", *TRAIN, *KEEP]


def reward_words(material: Material, runs: Path) -> list[str]:
    """Settings of `rlhf reward` on the dataset ``data``."""
    agent = f"--agent={material.agent}"
    return [f"--data={material.data}", f"--runs={runs}", agent, "--validation=0.3", "--mix-raters", *TRAIN, *KEEP]


def improve_words(material: Material, runs: Path) -> list[str]:
    """Settings of `rlhf improve` on the dataset ``play``."""
    agent, model = f"--agent={material.agent}", f"--reward-model={material.reward_model}"
    return [f"--data={material.play}", f"--runs={runs}", agent, model, *IMPROVE, *WORLD]


def _make_data(folder: Path) -> None:
    store = open_store(folder, create=True)
    for number in range(EPISODES):
        played = synthetic_episode(number, STEPS, HEIGHT, WIDTH, episode_id=f"e{number}")
        store.write(replace(played, solver="scripted", controller=np.zeros(STEPS, np.uint8)))
    store.write_marks(Mark(name, "ann", 3, 1 - 2 * (n % 2), True) for n, name in enumerate(store.ids()))
    store.write_marks([Mark("e1", "bob", 2, 1, scripted=False)])
    store.write_judgements([Judgement("e1", "cat", True, 3, scripted=False)])


def _do(material: Material, *words: object) -> None:
    ended = rlhf(material.folder, *words, limit_sec=600.0)
    if ended.status != 0:
        raise RuntimeError(f"rlhf {' '.join(map(str, words))}: {fault(ended)}: {ended.err[-500:]}")
