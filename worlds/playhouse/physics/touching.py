"""Where MuJoCo keeps its contacts, for compiled code, and what touches what.

MuJoCo's Python bindings build arrays of contacts anew at every look, which needs the interpreter. Compiled code reads
them in place instead. The places inside MuJoCo's structures are found once, by looking for known values.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache

import mujoco
import numpy as np

TOUCHING = 0.002  # metres between things that touch; those that rest are asleep and have no contacts
_BOXES = "".join(
    f'<body pos="{3 * i} 0 0.099"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>' for i in range(3)
)
_PROBE = f'<mujoco><worldbody><geom type="plane" size="0 0 1"/>{_BOXES}</worldbody></mujoco>'


@dataclass(frozen=True)
class _Layout:
    """Bytes from the beginning of MuJoCo's data to the number of contacts and to the pointer to them; of a contact."""

    count: int
    pointer: int
    size: int
    geoms: int


@cache
def _layout() -> _Layout:
    """Return the layout, by three boxes of four contacts each, of which one after the other is lifted.

    The number of contacts is between two arrays of the header, and the pointers to buffers follow the second one.

    Raises:
      ImportError: this version of MuJoCo keeps its contacts in another way.
    """
    model = mujoco.MjModel.from_xml_string(_PROBE)
    data = mujoco.MjData(model)
    begin, end = (array.ctypes.data - data._address for array in (data.solver_fwdinv, data.energy))
    counts, pointers = set(range(begin, end, 4)), set(range(end, end + 64, 8))
    for lifted in range(3):
        data.qpos[2 : 7 * lifted : 7] = 5.0
        mujoco.mj_forward(model, data)
        first = data.contact.dist.ctypes.data  # a contact begins with its distance
        counts = {at for at in counts if _word(data, at, ctypes.c_int32) == 12 - 4 * lifted}
        pointers = {at for at in pointers if _word(data, at, ctypes.c_int64) == first}
    if len(counts) != 1 or len(pointers) != 1:
        raise ImportError(f"contacts of MuJoCo {mujoco.__version__} are not where they were; install mujoco 4.0")
    return _Layout(counts.pop(), pointers.pop(), data.contact.dist.strides[0], data.contact.geom.ctypes.data - first)


def _word(data: mujoco.MjData, at: int, kind: type[ctypes.c_int64] | type[ctypes.c_int32]) -> int:
    return kind.from_address(data._address + at).value


def contact_views(data: mujoco.MjData) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of contacts, int32 [1], and their pairs of geoms, int32 [most, words]; the first two columns.

    They are views, which live no longer than ``data``.
    """
    layout = _layout()
    most = data.narena // layout.size - 1
    words = layout.size // 4
    count = (ctypes.c_int32 * 1).from_address(data._address + layout.count)
    first = _word(data, layout.pointer, ctypes.c_int64) + layout.geoms
    pairs = (ctypes.c_int32 * (most * words)).from_address(first)
    return np.frombuffer(count, np.int32), np.frombuffer(pairs, np.int32).reshape(most, words)


def are_near(model: mujoco.MjModel, data: mujoco.MjData, some: np.ndarray, others: np.ndarray, within: float) -> bool:
    """Return True if a geom of ``some`` is no farther than ``within`` metres from one of ``others``."""
    for one in some.tolist():
        for other in others.tolist():
            if mujoco.mj_geomDistance(model, data, one, other, 2 * within, None) <= within:
                return True
    return False
