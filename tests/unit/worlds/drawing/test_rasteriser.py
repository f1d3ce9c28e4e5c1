"""The rasteriser's cache on disk."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
from numba.core import config

from worlds.drawing import kernels, rasteriser


def test_a_changed_kernel_file_changes_the_digest(tmp_path):
    folder = Path(shutil.copytree(Path(kernels.__file__).parent, tmp_path / "kernels"))
    digest = rasteriser.digest_of(folder)
    with (folder / "pixels.py").open("a") as file:
        file.write("# changed\n")
    assert rasteriser.digest_of(folder) != digest


def test_the_cache_is_used_for_the_same_kernels_only(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))

    def cache_hits(digest: str) -> int:
        develop = rasteriser.entry_points(digest).develop
        develop(np.zeros((1, 1), np.int64), np.zeros(1, np.int32), np.zeros((1, 1, 3), np.uint8))
        return sum(develop.stats.cache_hits.values())  # type: ignore[attr-defined]

    assert cache_hits("of the first kernels") == 0
    assert cache_hits("of the first kernels") == 1
    assert cache_hits("of the second kernels") == 0
