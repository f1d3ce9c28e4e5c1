"""``rlhf doctor``: checks of this machine and its installation, with hints."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from rlhf.run import machine
from worlds.ranges import Seconds
from worlds.settings import settings

Verdict = Literal["ok", "warn", "fail"]

_GIB = 2**30
_NEEDED = (
    "mujoco",
    "numba",
    "numpy",
    "scipy",
    "gymnasium",
    "pettingzoo",
    "transformers",
    "tokenizers",
    "safetensors",
    "datasets",
    "pyarrow",
    "pillow",
    "rich",
    "matplotlib",
)
_STEPS_WANTED = 500  # of a world on one core, per second


@dataclass(frozen=True)
class Check:
    """One check.

    Args:
      verdict: "ok", "warn" or "fail".
      what: name of the check.
      found: result.
      hint: what to do; "" if the verdict is "ok".
    """

    verdict: Verdict
    what: str
    found: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.verdict:<5} {self.what:<12} {self.found}" + (f"\n{'':<19}-> {self.hint}" if self.hint else "")


@settings
class DoctorConfig:
    """Settings of `rlhf doctor`.

    Args:
      folder: folder for runs, whose disk is checked.
      world: a world that is checked instead of this machine, as `rlhf world check` does.
      seconds: duration of the timing of a world, in seconds.
    """

    folder: Path = Path(".")
    world: str | None = None
    seconds: Seconds = 2.0


def doctor(config: DoctorConfig) -> int:
    """Print every check as soon as it is done; return 1 if one failed, else 0."""
    if config.world is not None:
        from pipelines.cli.world import WorldCheckConfig, check

        return check(WorldCheckConfig(config.world, seconds=config.seconds))
    verdicts = []
    for one in checks(config):
        print(one, flush=True)
        verdicts.append(one.verdict)
    failed, warned = verdicts.count("fail"), verdicts.count("warn")
    if failed:
        print(f"\n{failed} of {len(verdicts)} checks failed; fix those marked fail")
    else:
        print("\nready" + (f"; {warned} warning{'s' * (warned > 1)}" if warned else ""))
    return 1 if failed else 0


def checks(config: DoctorConfig) -> Iterable[Check]:
    """Yield all checks, the quick ones first."""
    yield check_python(sys.version_info[:3])
    yield check_processor(machine.cpu_name(), machine.usable_cores())
    yield check_memory(machine.usable_memory())
    yield check_disk(config.folder)
    yield check_packages(_NEEDED)
    yield _caught("torch", "pip install 'torch>=2.13,<2.14'", check_torch)
    yield from check_playhouse(config.seconds)
    yield Check("ok", "OpenGL", "not needed: frames are drawn on the processor")
    yield check_wandb(os.environ)
    yield check_ray()


def check_python(found: tuple[int, ...]) -> Check:
    """Check that this Python is new enough; ``found`` is (major, minor, micro)."""
    text = ".".join(map(str, found))
    if found < (3, 11):
        return Check("fail", "Python", text, "install Python 3.11 or later and recreate the environment")
    return Check("ok", "Python", text)


def check_processor(name: str, cores: int) -> Check:
    """Check that play and learning can run at the same time."""
    found = f"{name}, {cores} {'core' if cores == 1 else 'cores'} to use"
    return (
        Check("ok", "processor", found)
        if cores > 1
        else Check("warn", "processor", found, "two cores halve the waiting")
    )


def check_memory(size: int) -> Check:
    """Check that the demo (under 4 GiB) fits into ``size`` bytes."""
    found = f"{size / _GIB:.1f} GiB"
    if size < 2 * _GIB:
        return Check("fail", "memory", found, "the demo needs up to 4 GiB; use a larger machine")
    return (
        Check("ok", "memory", found)
        if size >= 4 * _GIB
        else Check("warn", "memory", found, "the demo needs up to 4 GiB")
    )


def check_disk(folder: Path) -> Check:
    """Check that ``folder`` can be written and its disk has space."""
    existing = next((path for path in (folder, *folder.resolve().parents) if path.is_dir()), Path("/"))
    if not os.access(existing, os.W_OK):
        return Check("fail", "disk", f"{existing} cannot be written", "choose another folder or fix its permissions")
    free = shutil.disk_usage(existing).free
    found = f"{free / _GIB:.1f} GiB free at {existing.resolve()}"
    if free < _GIB // 2:
        return Check("fail", "disk", found, "free at least 2 GiB, or run in a folder on another disk")
    return Check("ok", "disk", found) if free >= 2 * _GIB else Check("warn", "disk", found, "free at least 2 GiB")


def check_packages(names: tuple[str, ...]) -> Check:
    """Check that all packages that runs on one machine import are installed."""
    versions = machine.installed(names)
    missing = [name for name in names if name not in versions]
    if missing:
        return Check("fail", "packages", f"missing: {', '.join(missing)}", "pip install interactive-rlhf")
    return Check("ok", "packages", ", ".join(f"{name} {number}" for name, number in versions.items()))


def check_torch() -> Check:
    """Check that torch computes, and report its device."""
    import torch

    found = f"{torch.__version__}, {torch.get_num_threads()} threads"
    if torch.cuda.is_available():
        torch.ones(8, device="cuda").sum().item()
        return Check("ok", "torch", f"{found}, CUDA on {torch.cuda.get_device_name()}")
    if machine.gpu_names():
        hint = "the driver lists a GPU that torch cannot use: install a CUDA build of torch"
        return Check("warn", "torch", f"{found}, no CUDA", hint)
    return Check("ok", "torch", f"{found}, on the processor (no GPU)")


def check_playhouse(seconds: float) -> Iterable[Check]:
    """Check that the Playhouse keeps the contract, and its speed on one core.

    Args:
      seconds: duration of the timing, in seconds.
    """
    from pipelines.cli.world import try_briefly
    from worlds import registry
    from worlds.checks.parts import NO_ANSWER
    from worlds.checks.report import PICKLES

    hint = "pip install --force-reinstall mujoco numba"
    try:
        report, passed = try_briefly(registry.get("playhouse"), seconds)
    except Exception as error:
        yield Check("fail", "world", f"playhouse does not work: {' '.join(str(error).split())}", hint)
        return
    problems = [each for one in report.findings if one.part != PICKLES for each in one.problems]
    for problem in problems:
        if problem.found.startswith(NO_ANSWER) and machine.is_busy():
            yield Check("warn", "world", f"playhouse: {problem}", "run it again when the machine is idle")
        else:
            yield Check("fail", "world", f"playhouse: {problem}", hint)
    if problems or report.steps_per_sec is None:
        return
    yield Check("ok", "world", f"playhouse keeps the contract: {', '.join(passed)}")
    rate = report.steps_per_sec
    found = (
        f"playhouse: {rate:,.0f} steps a second and core (8 ticks and a frame each), {report.start_sec:.1f} s to start"
    )
    slow = f"{_STEPS_WANTED} or more are expected; is the machine busy?"
    yield Check("ok", "world", found) if rate >= _STEPS_WANTED else Check("warn", "world", found, slow)


def check_wandb(environment: os._Environ[str] | dict[str, str]) -> Check:
    """Check that metrics can also go to wandb; they are always written to a file."""
    try:
        found = f"{version('wandb')}, offline unless a run says otherwise: no account needed"
    except PackageNotFoundError:
        return Check("warn", "wandb", "not installed; metrics are only written to metrics.jsonl", "pip install wandb")
    if environment.get("WANDB_MODE"):
        found += f" (WANDB_MODE={environment['WANDB_MODE']} is not read)"
    return Check("ok", "wandb", found)


def check_ray() -> Check:
    """Check that runs can be distributed over machines."""
    if importlib.util.find_spec("ray") is None:
        return Check("ok", "Ray", "not installed, and not needed on one machine (pip install 'interactive-rlhf[ray]')")
    return Check("ok", "Ray", f"{version('ray')}, used by --executor ray")


def _caught(what: str, hint: str, check: Callable[[], Check]) -> Check:
    """Run the check; return a failed one with the reason if it raises."""
    try:
        return check()
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        return Check("fail", what, f"does not work: {reason}", hint)
