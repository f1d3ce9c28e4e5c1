"""Fingerprints of recorded play: equal where the play is equal, however and wherever it is stored.

A fingerprint covers every field of an episode but ``created``: the same play recorded again has the same one. Marks and
judgements are no part of it. Frames enter as a checksum of their pixels each, which a PNG file of ours carries, so that
stored frames are not drawn for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from rlhf.records.episode import Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store.columns.png import frame_checksums, stored_checksums
from rlhf.store.columns.schemas import spaces_of
from rlhf.store.columns.steps import TEXTS, play_fields
from rlhf.store.columns.tables import EPISODE_COLUMNS, episode_row, files_of
from worlds.spaces.steps import step_arrays

_BYTES = 16


def episode_fingerprint(episode: Episode, pictures: bool = True) -> str:
    """Fingerprint of ``episode``, 32 hexadecimal digits; takes 12 us a frame of 72x96.

    Args:
      pictures: cover its frames, too; without, an episode whose pictures have changed has the same one.

    Raises:
      UserError: if the episode cannot be recorded.
    """
    drawn = episode.image if pictures else None
    checksums = np.zeros(0, np.uint32) if drawn is None else frame_checksums(drawn)
    return _digest(episode_row(episode), vars(episode), checksums)


def stored_fingerprint(about: pa.Table, steps: pa.Table) -> str:
    """The same of an episode as it is stored; takes 4 us a frame, as frames are not drawn.

    Args:
      about: its row of the table ``episodes``.
      steps: its rows of the table ``steps``.

    Raises:
      ValueError, TypeError or KeyError: if they are not such tables.
    """
    spaces = spaces_of(steps.schema)
    fields = play_fields(steps, spaces) | {name: steps[name].to_pylist() for name in TEXTS}
    (row,) = about.to_pylist()
    image = spaces.solver.observation.image
    checksums = np.zeros(0, np.uint32) if image is None else stored_checksums(files_of(steps), image.channels)
    return _digest(row, fields, checksums)


def _digest(row: Mapping[str, Any], fields: Mapping[str, Any], checksums: np.ndarray) -> str:
    """Return the digest of one episode; every part of it is preceded by its length, so that none runs into the next.

    Args:
      row: of the table ``episodes``.
      fields: its spaces, and its fields that have a row for every step, by name.
      checksums: uint32 [T], of the frames' pixels; [0] without frames.
    """
    spaces: EpisodeSpaces = fields["spaces"]
    parts = [_text({name: value for name, value in row.items() if EPISODE_COLUMNS[name].in_fingerprint})]
    parts += [_text(list(fields[name])) for name in TEXTS]
    parts += [_numbers(fields[name]) for name in ("movement", "setter_movement", "controller")]
    parts += [checksums.astype("<u4").tobytes(), spaces.text.encode()]
    parts += [_numbers(fields[name]) for name in ("continuous", "setter_continuous") if fields.get(name) is not None]
    parts += [_numbers(fields["seen"][name]) for name in step_arrays(spaces.solver) if name != "image"]
    parts += [_text(list(fields["texts"][name])) for name in spaces.solver.observation.texts]
    digest = hashlib.blake2b(digest_size=_BYTES)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def _numbers(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()


def _text(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
