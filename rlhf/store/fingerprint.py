"""Fingerprints of recorded play: equal where the play is equal, however and wherever it is stored.

A fingerprint covers every field of an episode but ``created``: the same play recorded again has the same one. Marks and
judgements are no part of it. Frames enter as a checksum of their pixels each, which a PNG file of ours carries, so that
stored frames are not drawn for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from rlhf.records.episode import Episode
from rlhf.store.png import frame_checksums, stored_checksums
from rlhf.store.tables import TEXTS, episode_table, movement_of, values_of

_LEFT_OUT = ("created",)  # when it was recorded changes nothing of what was recorded
_BYTES = 16


def episode_fingerprint(episode: Episode) -> str:
    """Fingerprint of ``episode``, 32 hexadecimal digits; takes 12 us a frame of 72x96.

    Raises:
      UserError: if the episode cannot be recorded.
    """
    texts = {name: getattr(episode, name) for name in TEXTS}
    return _digest(
        episode_table(episode),
        texts,
        (episode.movement, episode.setter_movement, episode.controller),
        frame_checksums(episode.pictures()),
    )


def stored_fingerprint(about: pa.Table, steps: pa.Table) -> str:
    """The same of an episode as it is stored; takes 4 us a frame, as frames are not drawn.

    Args:
      about: its row of the table ``episodes``.
      steps: its rows of the table ``steps``.

    Raises:
      ValueError, TypeError or KeyError: if they are not such tables.
    """
    texts = {name: steps[name].to_pylist() for name in TEXTS}
    arrays = (movement_of(steps["movement"]), movement_of(steps["setter_movement"]), values_of(steps["controller"]))
    return _digest(about, texts, arrays, stored_checksums(values_of(steps["image"]).field("bytes").to_pylist()))


def _digest(
    about: pa.Table, texts: Mapping[str, Sequence[str]], arrays: Sequence[np.ndarray], checksums: np.ndarray
) -> str:
    """Digest of one episode; every part of it is preceded by its length, so that none runs into the next.

    Args:
      about: its row.
      texts: [T] each.
      arrays: movement and setter_movement int8 [T, 8, components], controller [T].
      checksums: uint32 [T], of the frames' pixels.
    """
    (row,) = about.to_pylist()
    parts = [_text({name: value for name, value in row.items() if name not in _LEFT_OUT})]
    parts += [_text(list(texts[name])) for name in TEXTS]
    parts += [np.ascontiguousarray(array, np.int8).tobytes() for array in arrays]
    parts.append(checksums.astype("<u4").tobytes())
    digest = hashlib.blake2b(digest_size=_BYTES)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def _text(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
