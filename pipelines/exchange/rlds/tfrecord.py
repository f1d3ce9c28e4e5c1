"""TFRecord files of ``tf.train.Example`` records, written and read without TensorFlow.

A file is records one after the other: the length, its checksum, the bytes, their checksum. An example is a mapping of
names to lists of bytes, floats or whole numbers.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

from pipelines.exchange.source_files import regular
from worlds.errors import UserError

Values = list[bytes] | np.ndarray
_MASK = 0xA282EAD8
_HEAD, _CHECK = struct.Struct("<QI"), struct.Struct("<I")
_LISTS = {"bytes_list": "BytesList", "float_list": "FloatList", "int64_list": "Int64List"}


def _example_class() -> Any:
    """Return the class of the message ``Example``, in a pool of its own, beside TensorFlow's where that is imported."""
    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="rlhf/example.proto", package="rlhf", syntax="proto3")
    kinds = (field.TYPE_BYTES, field.TYPE_FLOAT, field.TYPE_INT64)
    for name, kind in zip(_LISTS.values(), kinds, strict=True):
        file.message_type.add(name=name).field.add(name="value", number=1, type=kind, label=field.LABEL_REPEATED)
    feature = file.message_type.add(name="Feature")
    feature.oneof_decl.add(name="kind")
    for number, (name, kind) in enumerate(_LISTS.items(), 1):
        _message_field(feature, name, number, kind).oneof_index = 0
    features = file.message_type.add(name="Features")
    entry = features.nested_type.add(name="FeatureEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
    _message_field(entry, "value", 2, "Feature")
    _message_field(features, "feature", 1, "Features.FeatureEntry").label = field.LABEL_REPEATED
    _message_field(file.message_type.add(name="Example"), "features", 1, "Features")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("rlhf.Example"))


def _message_field(message: Any, name: str, number: int, kind: str) -> Any:
    field = descriptor_pb2.FieldDescriptorProto
    return message.field.add(
        name=name, number=number, type=field.TYPE_MESSAGE, type_name=f".rlhf.{kind}", label=field.LABEL_OPTIONAL
    )


_Example = _example_class()


def to_example(columns: Mapping[str, Values]) -> bytes:
    """Return an example of lists of bytes, and of arrays of floats or whole numbers, which are flattened."""
    example = _Example()
    for name, column in columns.items():
        feature = example.features.feature[name]
        if isinstance(column, list):
            feature.bytes_list.value.extend(column)
        elif column.dtype.kind == "f":
            feature.float_list.value.extend(column.ravel().tolist())
        else:
            feature.int64_list.value.extend(column.ravel().astype(np.int64).tolist())
    return example.SerializeToString()


def from_example(record: bytes, where: str) -> dict[str, Values]:
    """Return the columns of an example: lists of bytes, float32 or int64 [values]. Raises UserError if it is none."""
    try:
        example = _Example.FromString(record)
    except DecodeError as error:
        raise UserError(f"{where} is no tf.train.Example") from error
    found: dict[str, Values] = {}
    for name, feature in example.features.feature.items():
        kind = feature.WhichOneof("kind")
        values = getattr(feature, kind).value if kind else []
        if kind == "bytes_list":
            found[name] = list(values)
        else:
            found[name] = np.array(values, np.float32 if kind == "float_list" else np.int64)
    return found


def record_bytes(record: bytes) -> bytes:
    """Return ``record`` as it is in a file."""
    length = struct.pack("<Q", len(record))
    return length + _CHECK.pack(_masked(length)) + record + _CHECK.pack(_masked(record))


def read_records(path: Path) -> Iterator[bytes | UserError]:
    """Yield the records of a file; in the place of one whose checksum is wrong the error that says so.

    Raises UserError if the file is missing or cut short, or the length of a record is wrong, so that no other is found.
    """
    try:
        with regular(path).open("rb") as file:
            rest = os.fstat(file.fileno()).st_size
            while rest:
                head = file.read(_HEAD.size)
                rest -= _HEAD.size + _CHECK.size
                length, check = _HEAD.unpack(head.ljust(_HEAD.size, b"\0"))
                if len(head) < _HEAD.size or check != _masked(head[:8]) or length > rest:
                    raise UserError(f"{path} is damaged: a record has a wrong length")
                record = file.read(length)
                rest -= length
                is_whole = _CHECK.unpack(file.read(_CHECK.size)) == (_masked(record),)
                yield record if is_whole else UserError(f"{path} is damaged: a record has a wrong checksum")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}") from error


def _masked(data: bytes) -> int:
    """Return the masked checksum of ``data``, as TFRecord has it."""
    checksum = google_crc32c.value(data)
    return ((checksum >> 15 | checksum << 17) + _MASK) & 0xFFFFFFFF
