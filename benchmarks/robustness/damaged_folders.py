"""Damaged and hostile folders of agents, reward models and runs.

Whatever lies in them, a command that reads them succeeds or ends with one line; no pickle and no code in them is
executed; and nothing outside them is touched.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import random
import shutil
import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.robustness.commands import fault, rlhf
from benchmarks.robustness.damaged_datasets import WRONG_VALUES
from benchmarks.robustness.material import QUIET, UPDATES, WORLD, Material, improve_words, reward_words
from benchmarks.robustness.outside import digest, make_outside, touched
from benchmarks.robustness.trial import Group, Trial

EXECUTED = "executed"  # a file that hostile code would make
DEEP = "[" * 100_000 + "]" * 100_000

Damage = Callable[[Path], object]  # does it to one file


@dataclass(frozen=True)
class Target:
    """A file that is damaged, and the commands that read it.

    Args:
      words: words of a command on a copy of the piece in a folder.
      needed: True if the command needs the file.
    """

    piece: str
    file: str
    words: Callable[[Material, Path], list[object]]
    needed: bool = True


def trials(material: Material, rng: random.Random) -> list[Trial]:
    """Return a trial of every damage of every file, and of the hostile files."""
    found = []
    for target in TARGETS:
        path = material.folder / target.piece / target.file
        called = f"{target.words(material, Path())[0]} with {target.piece}/{target.file}"
        for name, damage in _damages(path, rng):
            must_fail = target.needed and name in ("missing", "empty", "a folder", "cut to half", "random bytes")
            found.append(Trial(f"{called}: {name}", _damaged(material, target, damage, must_fail, "link" in name)))
    for name, target, damage in _hostile(material):
        called = f"{target.words(material, Path())[0]} with {target.piece}/{target.file}"
        found.append(Trial(f"{called}: {name}", _damaged(material, target, damage)))
    return found


def _evaluate(material: Material, folder: Path) -> list[object]:
    agent = folder / "clone" / "agent"
    return ["evaluate", "--agents", "bc", agent, "--probes=go", "--episodes=1", f"--out={folder / 'out.json'}", *WORLD]


def _results(material: Material, folder: Path) -> list[object]:
    words = _evaluate(material, folder)
    return [f"--out={folder / 'improve' / 'results.json'}" if str(w).startswith("--out") else w for w in words]


def _resume(verb: str) -> Callable[[Material, Path], list[object]]:
    return lambda material, folder: [verb, f"--resume={folder / verb}"]


def _resume_unfinished(verb: str) -> Callable[[Material, Path], list[object]]:
    """Resuming a run that has more to do, so that it reads its whole state."""
    more = f"--updates={UPDATES + 1}" if verb == "improve" else f"--training.updates={UPDATES + 1}"
    return lambda material, folder: [verb, f"--resume={folder / verb}", more]


def _improve(material: Material, folder: Path) -> list[object]:
    """An improvement against the damaged reward model."""
    words = improve_words(material, folder / "runs")
    return ["improve", *words, f"--reward-model={folder / 'reward' / 'reward_model'}"]


def _reward(material: Material, folder: Path) -> list[object]:
    return ["reward", *reward_words(material, folder / "runs"), f"--agent={folder / 'clone' / 'agent'}"]


def _report(material: Material, folder: Path) -> list[object]:
    return ["report", f"--run={folder / 'improve'}"]


NEWEST = f"checkpoints/step-{UPDATES:09d}"
TARGETS = (
    Target("clone", "agent/config.json", _evaluate),
    Target("clone", "agent/model.safetensors", _reward),
    Target("clone", "agent/tokenizer.json", _evaluate),
    Target("reward", "reward_model/config.json", _improve),
    Target("reward", "reward_model/model.safetensors", _improve),
    Target("clone", f"{NEWEST}/state.pt", _resume_unfinished("clone")),
    Target("improve", f"{NEWEST}/state.pt", _resume_unfinished("improve")),
    Target("clone", f"{NEWEST}/checkpoint.json", _resume_unfinished("clone")),
    Target("clone", f"{NEWEST}/agent/model.safetensors", _resume_unfinished("clone")),
    Target("clone", "checkpoints/latest", _resume("clone"), needed=False),
    Target("improve", "checkpoints/latest", _resume("improve"), needed=False),
    Target("clone", "config.json", _resume("clone")),
    Target("improve", "config.json", _resume("improve")),
    Target("improve", "config.json", _report, needed=False),
    Target("clone", "division.json", _resume("clone"), needed=False),
    Target("improve", "metrics.jsonl", _resume_unfinished("improve"), needed=False),
    Target("improve", "metrics.jsonl", _report, needed=False),
    Target("improve", "results.json", _results, needed=False),
    Target("improve", "results.json", _report, needed=False),
)


def _damages(path: Path, rng: random.Random) -> Iterator[tuple[str, Damage]]:
    """Return damages of any file, and of the values of a JSON file."""
    size = path.stat().st_size if path.exists() else 100
    flipped = rng.randrange(8 * size)
    yield "missing", lambda path: path.unlink(missing_ok=True)
    yield "empty", lambda path: path.write_bytes(b"")
    yield "a folder", lambda path: (path.unlink(missing_ok=True), path.mkdir())
    yield "cut to half", lambda path: path.write_bytes(path.read_bytes()[: size // 2] if path.exists() else b"[")
    yield "random bytes", lambda path: path.write_bytes(random.Random(0).randbytes(500))
    yield "a link to a secret", _link_to("secret")
    yield "a link to nothing", _link_to("new-file")
    yield "a link to itself", lambda path: (path.unlink(missing_ok=True), path.symlink_to(path.name))
    if path.exists():
        yield f"bit {flipped} flipped", _flip(flipped)
    if path.suffix in (".json", ".jsonl"):
        for text in ("[]", "null", "7", "{}", '"x"', "[[]]", "[{}]", "NaN", DEEP, '{"a":' * 50_000, "\ufeff{}", "{}\0"):
            yield f"is {text[:12]!r}", lambda path, text=text: path.write_text(text, encoding="utf-8")
    if path.suffix == ".json" and path.exists():
        for name in json.loads(path.read_text(encoding="utf-8")):
            what = rng.choice(list(WRONG_VALUES))
            yield f"{name} is {what}", _set(name, WRONG_VALUES[what])
    if path.suffix == ".safetensors":
        yield from _safetensors()


def _link_to(name: str) -> Damage:
    def damage(path: Path) -> None:
        path.unlink(missing_ok=True)
        outside = next(parent / "outside" for parent in path.parents if (parent / "outside").is_dir())
        path.symlink_to(outside / name)

    return damage


def _flip(bit: int) -> Damage:
    def damage(path: Path) -> None:
        whole = bytearray(path.read_bytes())
        whole[bit // 8] ^= 1 << bit % 8
        path.write_bytes(whole)

    return damage


def _set(name: str, value: Any) -> Damage:
    def damage(path: Path) -> None:
        record = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(record | {name: value}), encoding="utf-8")

    return damage


def _safetensors() -> Iterator[tuple[str, Damage]]:
    def header(change: Callable[[dict[str, Any]], object]) -> Damage:
        def damage(path: Path) -> None:
            whole = path.read_bytes()
            (length,) = struct.unpack("<Q", whole[:8])
            fields = json.loads(whole[8 : 8 + length])
            change(fields)
            text = json.dumps(fields).encode()
            path.write_bytes(struct.pack("<Q", len(text)) + text + whole[8 + length :])

        return damage

    def first(fields: dict[str, Any]) -> dict[str, Any]:
        return fields[next(name for name in fields if name != "__metadata__")]

    yield "a header of 2^63 bytes", lambda path: path.write_bytes(struct.pack("<Q", 2**63) + path.read_bytes()[8:])
    yield "a header of 2^30 bytes", lambda path: path.write_bytes(struct.pack("<Q", 2**30) + path.read_bytes()[8:])
    yield "a tensor of 2^40 rows", header(lambda fields: first(fields).update(shape=[2**40, 2**20]))
    yield "a tensor of negative size", header(lambda fields: first(fields).update(shape=[-1]))
    yield "a tensor beyond the end", header(lambda fields: first(fields).update(data_offsets=[0, 2**40]))
    yield "tensors that overlap", header(lambda fields: first(fields).update(data_offsets=[0, 4]))
    yield "a tensor of unknown type", header(lambda fields: first(fields).update(dtype="F7"))
    yield "a tensor of whole numbers", header(lambda fields: first(fields).update(dtype="I32"))
    yield (
        "a tensor renamed",
        header(lambda fields: fields.update(other=fields.pop(next(n for n in fields if n[0] != "_")))),
    )
    yield "without its metadata", header(lambda fields: fields.pop("__metadata__", None))


class Exploit:
    """An object whose unpickling runs a command of the shell."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (self.command,)


def _hostile(material: Material) -> Iterator[tuple[str, Target, Damage]]:
    """Pickles that run a command when they are loaded, in every place where a pickle could be looked for."""
    states = [
        Target(piece, f"{NEWEST}/state.pt", _resume_unfinished(piece)) for piece in ("clone", "reward", "improve")
    ]
    for target in states:
        for protocol in (0, 2, 4):
            yield f"a hostile pickle of protocol {protocol}", target, _hostile_pickle(protocol)
        yield "a hostile pickle in PyTorch's archive", target, _hostile_archive
        yield "a hostile pickle inside a state", target, _hostile_inside
        yield "an archive that unpacks to 10 GB", target, _bomb
        yield "a state without keys", target, _other_state({})
        yield "a state of texts", target, _other_state({"optimizer": "x", "rng": "y", "update": "z"})
        yield "a state that is a list", target, _other_state([1, 2])
    weights = Target("clone", "agent/model.safetensors", _evaluate)
    yield "a hostile pickle", weights, _hostile_pickle(2)
    yield "replaced by a hostile pytorch_model.bin", weights, _hostile_beside("pytorch_model.bin")
    yield "an index that names a hostile pickle", weights, _hostile_index
    config = Target("clone", "agent/config.json", _evaluate)
    yield "an auto_map to hostile code", config, _hostile_code
    yield "a hostile name of a class", config, _set("architectures", ["os.system"])
    yield "an image of 10^9 pixels", config, _set("image_size", [10**9, 10**9])
    yield "a width of 10^9", config, _set("width", 10**9)
    yield "a vocabulary of 10^12", config, _set("vocab_size", 10**12)
    yield "a width of -1", config, _set("width", -1)
    yield "no heads", config, _set("heads", 0)
    model = Target("reward", "reward_model/config.json", _improve)
    yield "another kind of model", model, _set("model_type", "bert")
    yield "a kind that is a path", model, _set("model_type", "../../outside")
    yield "an agent's configuration", model, lambda path: shutil.copy(material.agent / "config.json", path)
    latest = Target("clone", "checkpoints/latest", _resume("clone"), needed=False)
    for name in (
        "../../outside",
        "/etc",
        "step-000000099",
        "",
        "a\0b",
        "x" * 5000,
        "\ud800".encode("utf-8", "replace"),
    ):
        text = name if isinstance(name, str) else name.decode()
        yield f"names {text[:20]!r}", latest, lambda path, text=text: path.write_text(text)


def _hostile_pickle(protocol: int) -> Damage:
    def damage(path: Path) -> None:
        path.write_bytes(pickle.dumps({"optimizer": Exploit(_command(path))}, protocol))
        _sign(path)

    return damage


def _hostile_archive(path: Path) -> None:
    _replace_in_archive(path, pickle.dumps({"optimizer": Exploit(_command(path))}, 2))


def _hostile_inside(path: Path) -> None:
    """The state as it was, with one value that is hostile."""
    import torch

    state = torch.load(path, weights_only=True)
    torch.save({**state, "more": [Exploit(_command(path))]}, path)
    _sign(path)


def _other_state(state: Any) -> Damage:
    def damage(path: Path) -> None:
        import torch

        torch.save(state, path)
        _sign(path)

    return damage


def _bomb(path: Path) -> None:
    """An archive with a storage that is far larger unpacked."""
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        root = archive.namelist()[0].split("/")[0]
        with archive.open(f"{root}/data/999", "w", force_zip64=True) as file:
            for _ in range(100):
                file.write(bytes(10_000_000))
    _sign(path)


def _replace_in_archive(path: Path, data: bytes) -> None:
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, data if name.endswith("data.pkl") else content)
    _sign(path)


def _hostile_beside(name: str) -> Damage:
    def damage(path: Path) -> None:
        path.unlink()
        _hostile_pickle(2)(path.with_name(name))

    return damage


def _hostile_index(path: Path) -> None:
    _hostile_beside("pytorch_model.bin")(path)
    index = {"metadata": {}, "weight_map": {"trunk.x": "pytorch_model.bin"}}
    path.with_name("model.safetensors.index.json").write_text(json.dumps(index))
    path.with_name("pytorch_model.bin.index.json").write_text(json.dumps(index))


def _hostile_code(path: Path) -> None:
    path.with_name("modeling.py").write_text(f"import os\nos.system({_command(path)!r})\nclass Config: pass\n")
    maps = {name: "modeling.Config" for name in ("AutoConfig", "AutoModel", "AutoTokenizer")}
    _set("auto_map", maps)(path)
    _set("trust_remote_code", True)(path)


def _command(path: Path) -> str:
    """A command of the shell that leaves a file behind."""
    outside = next(parent / "outside" for parent in path.parents if (parent / "outside").is_dir())
    return f"touch '{outside / EXECUTED}'"


def _sign(path: Path) -> None:
    """Give a checkpoint the checksum of its changed file, as an attacker would."""
    record = path.with_name("checkpoint.json")
    if record.is_file():
        fields = json.loads(record.read_text())
        fields["checksums"][path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
        record.write_text(json.dumps(fields))


def _damaged(
    material: Material, target: Target, damage: Damage, must_fail: bool = False, links: bool = False
) -> Callable[[Path], str | None]:
    """The trial of a damage. Runs follow links, e.g. to a larger disk: with ``links`` they may write outside."""

    def run(folder: Path) -> str | None:
        make_outside(folder / "outside")
        before = digest(folder / "outside")
        path = material.copy(target.piece, folder) / target.file
        if target.piece != "clone":
            material.copy("clone", folder)
        damage(path)
        ended = rlhf(folder, *target.words(material, folder), *([QUIET] if target.words is _improve else []))
        if (folder / "outside" / EXECUTED).exists():
            return "hostile code was executed"
        return fault(ended, must_fail=must_fail) or (None if links else touched(before, folder / "outside"))

    return run


GROUP = Group(
    name="damaged-folders",
    tried=(
        "a file of an agent, a reward model, a checkpoint or a run is cut, missing, linked elsewhere, of other types, "
        "of huge declared sizes, or a pickle or module that runs a command when it is loaded"
    ),
    expectation=(
        "the command succeeds or ends in one line; nothing is executed; nothing outside changes, but for what a link "
        "in a run's folder leads to"
    ),
    promises=(
        "No file in the folder of an agent, a reward model or a run is executed when a command reads it, pickles and "
        "modules included.",
        "A checkpoint whose files have changed since they were written is refused by name.",
        "No damaged folder ends a command in a traceback.",
    ),
    trials=trials,
    count=160,
)
