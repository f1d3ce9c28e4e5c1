"""Description of this machine, for reports, benchmarks and run records. Imports nothing heavy."""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("torch", "mujoco", "numba", "numpy", "ray")
_GIB = 2**30
_MOST_PROCESSES, _MOST_THREADS = 16, 8


@dataclass(frozen=True)
class Machine:
    """The facts that speed depends on.

    Args:
      cores: that this process may use, counting limits of containers; may be less than the machine has.
      gpu: names of the graphics processors, "" if there is none.
    """

    cpu: str
    cores: int
    memory_gib: float
    gpu: str
    system: str
    python: str
    packages: dict[str, str]

    def __str__(self) -> str:
        hardware = f"{self.cpu}, {self.cores} {'core' if self.cores == 1 else 'cores'}, {self.memory_gib:.0f} GiB"
        software = [
            self.system,
            f"Python {self.python}",
            *(f"{name} {number}" for name, number in self.packages.items()),
        ]
        return f"{hardware}, {self.gpu or 'no GPU'}; {', '.join(software)}"


def describe() -> Machine:
    """This machine."""
    return Machine(
        cpu=cpu_name(),
        cores=usable_cores(),
        memory_gib=round(usable_memory() / _GIB, 1),
        gpu=gpu_names(),
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        packages=installed(_PACKAGES),
    )


def cpu_name() -> str:
    """The processor's marketing name where the system reports it, else its architecture."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.lower().startswith(("model name", "hardware")):
                return " ".join(line.partition(":")[2].split())
    except OSError:
        pass
    if platform.system() == "Darwin":
        return _output("sysctl", "-n", "machdep.cpu.brand_string") or platform.machine()
    return platform.processor() or platform.machine() or "unknown processor"


def usable_cores() -> int:
    """Cores that this process may use: its affinity, and a container's quota where one is set."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota, _, period = _read("/sys/fs/cgroup/cpu.max").partition(" ")
    if quota.isdigit() and period.strip().isdigit():
        cores = min(cores, max(1, round(int(quota) / int(period))))
    return cores


def is_busy() -> bool:
    """Whether more than two processes wait for each usable core, on average over the last minute."""
    return os.getloadavg()[0] > 2 * usable_cores()


def playing_processes(chosen: int | None = None) -> int:
    """Processes that play: ``chosen``, or one a usable core, but not so many that they fill the memory."""
    return chosen or min(usable_cores(), _MOST_PROCESSES)


def playing_threads(chosen: int | None = None) -> int:
    """Threads that step environments: ``chosen``, or one a usable core, as far as Python's lock lets them run."""
    return chosen or min(usable_cores(), _MOST_THREADS)


def usable_memory() -> int:
    """Bytes of memory that this process may use: the machine's, or a container's limit if that is less."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limits = [_read(path) for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")]
    return min([total, *(int(limit) for limit in limits if limit.isdigit())])


def gpu_names() -> str:
    """Names of NVIDIA's processors as their driver lists them, "" without a driver; asked without importing torch."""
    if shutil.which("nvidia-smi") is None:
        return ""
    return ", ".join(_output("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").splitlines())


def installed(packages: tuple[str, ...]) -> dict[str, str]:
    """Versions of those of ``packages`` that are installed."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def release_memory() -> None:
    """Give memory that this process no longer uses back to the system.

    The GNU C library keeps what many small arrays have filled, more than a gigabyte after reading some thousand
    episodes; elsewhere nothing needs to be done.
    """
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _output(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


if __name__ == "__main__":
    print(describe())
