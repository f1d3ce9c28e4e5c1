"""Arrays and fragments as checkpoints hold them: compressed without loss, in types that a safe loader reads."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from rlhf.replay.fragment import PER_SLOT, Fragment

_LEVEL = 1  # of rendered frames higher levels save a seventh for the same time, or a third for three times as much


def pack_array(array: np.ndarray, swap: bool = False) -> dict[str, Any]:
    """``array`` of numbers as plain values: type, shape and zlib's bytes.

    Args:
      array: of any shape and any type of numbers.
      swap: exchange the first two axes before compressing. Of frames [T, N, ...] those of one slot are then
        neighbours, which makes them smaller.

    Returns:
      What :func:`unpack_array` takes.
    """
    rows = array.swapaxes(0, 1) if swap else array.reshape(1, -1)
    packer = zlib.compressobj(_LEVEL)
    parts = [packer.compress(np.ascontiguousarray(row).data) for row in rows]
    data = bytearray(b"".join([*parts, packer.flush()]))
    return {
        "dtype": array.dtype.str,
        "shape": list(array.shape),
        "swap": swap,
        "zlib": torch.frombuffer(data, dtype=torch.uint8),
    }


def unpack_array(packed: Mapping[str, Any]) -> np.ndarray:
    """The array that :func:`pack_array` took; writable and contiguous."""
    shape = list(packed["shape"])
    if packed["swap"]:
        shape[:2] = shape[1::-1]
    data = zlib.decompress(packed["zlib"].numpy())
    array = np.frombuffer(data, np.dtype(packed["dtype"])).reshape(shape)
    return (array.swapaxes(0, 1) if packed["swap"] else array).copy(order="C")


def pack_fragment(fragment: Fragment) -> dict[str, Any]:
    """``fragment`` as plain values; about a thirtieth of its size where its frames are rendered."""
    return {name: pack_array(array, swap=name not in PER_SLOT) for name, array in fragment.arrays().items()}


def unpack_fragment(packed: Mapping[str, Any]) -> Fragment:
    """The fragment that :func:`pack_fragment` took, to the last bit.

    In those of older checkpoints every episode that ended counts as terminated.
    """
    arrays = {name: unpack_array(array) for name, array in packed.items()}
    return Fragment.of({"terminated": arrays["resets"]} | arrays)
