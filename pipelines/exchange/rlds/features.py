"""The columns of an RLDS dataset: their types, as ``features.json`` has them, and their values in examples.

Names of columns are paths, e.g. "steps/observation/image".
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pipelines.exchange.pictures import picture
from pipelines.exchange.rlds.tfrecord import Values
from rlhf.store.columns.png import encode_frames
from worlds.errors import UserError

STEPS = "steps"
_CORE = "tensorflow_datasets.core.features"
_CLASSES = {"tensor": "tensor_feature.Tensor", "image": "image_feature.Image", "text": "text_feature.Text"}
_DTYPES = frozenset(
    ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float16", "float32", "float64")
)
_PNG_CHANNELS = (1, 3, 4)
_DEEPEST = 16
_MOST_SIDES, _MOST_NUMBERS = 8, 1 << 27  # of a row


@dataclass(frozen=True)
class Feature:
    """The type of one column.

    Args:
      kind: "tensor", "image", "text", "label" (one of ``classes``), or "unknown", which cannot be read.
      classes: number of classes of a label; 0 if it is not known.
    """

    kind: str
    dtype: str = "int64"
    shape: tuple[int, ...] = ()
    classes: int = 0

    @classmethod
    def of(cls, column: Any) -> Feature:
        """Return the type of a column: an array [rows, ...], or a list of texts."""
        if isinstance(column, list):
            return cls("text")
        shape = column.shape[1:]
        is_picture = column.dtype == np.uint8 and len(shape) == 3 and shape[2] in _PNG_CHANNELS
        return cls("image" if is_picture else "tensor", str(column.dtype), shape)

    @property
    def size(self) -> int:
        """Number of values of one row in an example."""
        return int(np.prod(self.shape)) if self.kind == "tensor" else 1

    def encode(self, column: Any) -> Values:
        """Return a column as it is in an example."""
        if self.kind == "text":
            return [text.encode() for text in column]
        return encode_frames(column) if self.kind == "image" else column

    def decode(self, values: Values, where: str) -> Any:
        """Return a column: an array [rows, ...], or a list of texts.

        Raises UserError if the values are not of this type.
        """
        if self.kind == "unknown":
            raise UserError(f"{where} is of a type that this program does not read; leave it out")
        if isinstance(values, list) != (self.kind in ("text", "image")):
            raise UserError(f"{where} is {'bytes' if isinstance(values, list) else 'numbers'}, not {self.kind}")
        if isinstance(values, list):
            return self._decode_bytes(values, where)
        if (values.dtype.kind == "f") != (np.dtype(self.dtype).kind == "f"):
            raise UserError(f"{where} has values of type {values.dtype}, not {self.dtype}")
        if len(values) % self.size:
            raise UserError(f"{where} has {len(values)} values, which are no rows of {list(self.shape)}")
        found = values.astype(self.dtype)
        if not np.array_equal(found, values, equal_nan=values.dtype.kind == "f"):
            raise UserError(f"{where} has values that are not of its type, {self.dtype}")
        return found.reshape(-1, *self.shape)

    def _decode_bytes(self, values: list[bytes], where: str) -> Any:
        if self.kind == "image":
            return np.stack([picture(file, self.shape, f"{where}, row {row}") for row, file in enumerate(values)])
        try:
            return [text.decode() for text in values]
        except UnicodeDecodeError as error:
            raise UserError(f"{where} is not text in UTF-8") from error


def is_within(path: str, part: str) -> bool:
    """Return whether the column ``path`` is ``part``, or in it."""
    return path == part or path.startswith(f"{part}/")


def features_json(features: Mapping[str, Feature]) -> dict[str, Any]:
    """Return ``features.json`` of columns; those below "steps" have a row for every step."""
    tree: dict[str, Any] = {}
    for path, feature in features.items():
        *folders, name = path.split("/")
        place = tree
        for folder in folders:
            place = place.setdefault(folder, {})
        place[name] = feature
    steps = {"feature": _described(tree.pop(STEPS)), "length": "-1"}
    said = _described(tree)
    said["featuresDict"]["features"][STEPS] = {
        "pythonClassName": f"{_CORE}.dataset_feature.Dataset",
        "sequence": steps,
    }
    return said


def _described(one: Feature | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(one, Mapping):
        inner = {"features": {name: _described(part) for name, part in one.items()}}
        return {"pythonClassName": f"{_CORE}.features_dict.FeaturesDict", "featuresDict": inner}
    shape = {"dimensions": [str(side) for side in one.shape]} if one.shape else {}
    own: dict[str, dict[str, Any]] = {
        "text": {},
        "tensor": {"dtype": one.dtype, "encoding": "none", "shape": shape},
        "image": {"dtype": "uint8", "encodingFormat": "png", "shape": shape},
    }
    return {"pythonClassName": f"{_CORE}.{_CLASSES[one.kind]}", one.kind: own[one.kind]}


def read_features(said: Any, where: str) -> dict[str, Feature]:
    """Return the columns that ``features.json`` describes. Classes that it names are not imported.

    Raises UserError if it is of another version, or has no steps.
    """
    if not isinstance(said, Mapping) or "featuresDict" not in said:
        raise UserError(f"{where} is none that tensorflow_datasets 4.5 or later writes")
    try:
        found = dict(_columns(said, "", 0))
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise UserError(f"{where} is damaged: {type(error).__name__} {error}"[:400]) from error
    if not any(path.startswith(f"{STEPS}/") for path in found):
        raise UserError(f"{where} has no steps; it is no dataset of episodes")
    return found


def _columns(said: Mapping[str, Any], path: str, depth: int) -> Iterator[tuple[str, Feature]]:
    if depth > _DEEPEST:
        raise ValueError("it is nested too deeply")
    if "featuresDict" in said:
        for name, part in said["featuresDict"].get("features", {}).items():
            if "/" in name:
                raise ValueError(f"the name {name!r}")
            yield from _columns(part, f"{path}/{name}" if path else name, depth + 1)
    elif "sequence" in said and path == STEPS:
        yield from _columns(said["sequence"]["feature"], path, depth + 1)
    else:
        yield path, _feature(said)


def _feature(said: Mapping[str, Any]) -> Feature:
    if "text" in said:
        return Feature("text")
    if "classLabel" in said:
        return Feature("label", classes=int(said["classLabel"].get("numClasses", 0)))
    kind = next((kind for kind in ("tensor", "image") if kind in said), None)
    if kind is None:
        return Feature("unknown")
    own = said[kind]
    shape = tuple(int(side) for side in own.get("shape", {}).get("dimensions", ()))
    dtype = own.get("dtype") or "uint8"
    if kind == "tensor" and dtype in ("string", "object"):
        return Feature("text") if not shape else Feature("unknown")
    sized = min(shape, default=1) > 0 and len(shape) <= _MOST_SIDES  # a side of no fixed length is -1
    sized = sized and math.prod(shape) <= _MOST_NUMBERS
    known = dtype == "uint8" and len(shape) == 3 if kind == "image" else dtype in _DTYPES
    fits = sized and known and own.get("encoding", "none") == "none"
    return Feature(kind, dtype, shape) if fits else Feature("unknown")
