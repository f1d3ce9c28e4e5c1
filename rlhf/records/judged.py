"""What a mark or a judgement is about, and what it says of that: two that differ in nothing else are one."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from rlhf.records.marks import Mark, rater_key
from rlhf.records.preferences import ClipPair, Statement, Stretch, swapped

# What the record is about, and how long it took, which programs round differently.
_NOT_SAID = {"episode_id", "rater", "step", "sign", "seconds", *Stretch._fields}
_NOT_SAID |= {f"{name}_{clip}" for name in ("episode", "begin", "end") for clip in "ab"}


def subject(record: Mark | Statement) -> tuple[Any, ...]:
    """Return who judged what; a rater has one opinion of it. Both signs at one step are two marks."""
    rater = rater_key(record.rater)
    if isinstance(record, Mark):
        return rater, record.episode_id, record.step, record.sign
    return rater, *sorted(record.stretches)


def opinion(record: Mark | Statement) -> tuple[Any, ...]:
    """Return what the record says of its subject; of a clip pair, as if the earlier clip were A."""
    if isinstance(record, ClipPair) and record.stretches[0] > record.stretches[1]:
        record = swapped(record)
    return tuple(getattr(record, field.name) for field in fields(record) if field.name not in _NOT_SAID)
