"""MuJoCo's C functions for code that numba compiles: no interpreter and no lock between control and physics.

Arguments are addresses: ``model._address``, ``data._address``, ``array.ctypes.data``, 0 for null.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import llvmlite.binding as llvm
import mujoco
from numba import types


def _library() -> ctypes.CDLL:
    """The library that the bindings have loaded."""
    folder = Path(mujoco.__file__).parent
    for pattern in ("libmujoco.so.*", "libmujoco*.dylib", "mujoco.dll"):
        for path in sorted(folder.glob(pattern)):
            return ctypes.CDLL(str(path))
    raise ImportError(f"no MuJoCo library in {folder}; reinstall the package mujoco")


def _make_known(*names: str) -> None:
    """Let compiled code find these functions by name."""
    library = _library()
    for name in names:
        llvm.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)


_make_known("mj_step", "mj_kinematics", "mj_ray")
_pointer = types.intp
mj_step = types.ExternalFunction("mj_step", types.void(_pointer, _pointer))
mj_kinematics = types.ExternalFunction("mj_kinematics", types.void(_pointer, _pointer))
mj_ray = types.ExternalFunction(
    "mj_ray",
    types.float64(_pointer, _pointer, _pointer, _pointer, _pointer, types.uint8, types.int32, _pointer, _pointer),
)
