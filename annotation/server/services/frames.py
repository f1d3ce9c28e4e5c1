"""The pictures of an episode as browsers get them: all at once, or in chunks; as recorded, or drawn again and sharp.

Where none were recorded, what was observed is drawn plainly instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Request, Response
from starlette.responses import JSONResponse

from annotation.server.db.tables import EpisodeRecord
from annotation.server.errors import Refused
from annotation.server.routes.schema import FramesQuery
from annotation.server.study import Study
from annotation.viewer.drawing import CHUNK_STEPS, encode_plain
from annotation.viewer.frames_file import pack_frames, unpack_frames
from annotation.viewer.pictures import PictureRequest
from rlhf.replay.views import plain_views
from worlds.contract.plain_pictures import SIZE
from worlds.errors import UserError

CACHED = "private, max-age=604800, immutable"  # an address is of one record, and a record of one content
_PASSING = {"Cache-Control": "no-store"}  # of an answer that will be another one later
_FILE = "application/octet-stream"


@dataclass(frozen=True)
class ShownClip:
    """Consecutive steps of an episode, of which the pictures are shown."""

    record: EpisodeRecord
    begin: int
    steps: int


def frames_response(
    study: Study, record: EpisodeRecord, dataset: str, asked: FramesQuery, request: Request, tag: str
) -> Response:
    """Answer a request for an episode's pictures, see :func:`clips_response`."""
    return clips_response(study, [ShownClip(record, 0, record.steps)], dataset, asked, request, tag)


def clips_response(
    study: Study, clips: Sequence[ShownClip], dataset: str, asked: FramesQuery, request: Request, tag: str
) -> Response:
    """Answer a request for the pictures of clips, one clip after the other.

    Args:
      request: the request; its If-None-Match is honoured.

    Returns a file as :mod:`annotation.viewer.frames_file` describes it; 202 while sharp pictures are being drawn; 204
    if they cannot be drawn.

    Raises Refused if there are no such steps, or an episode was recorded again.
    """
    part = "" if asked.begin is None else f"-{asked.view}-{asked.begin}-{CHUNK_STEPS}"
    headers = _checked(study, clips, asked.begin, tag + part)
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    chosen = list(clips) if asked.begin is None else _cut(clips, asked.begin, asked.begin + CHUNK_STEPS)
    if asked.view == "sharp" and asked.begin is not None:
        try:
            frames = _sharp(study, chosen, dataset)
        except UserError:  # the log has the reason, which may name folders
            return Response(status_code=204, headers=_PASSING)
        if frames is None:
            return JSONResponse({"drawing": True}, 202, _PASSING)
    else:
        frames = []
        for clip in chosen:
            frames += _seen(study, clip, dataset)
    return Response(pack_frames(frames), media_type=_FILE, headers=headers)


def film_response(
    study: Study, record: EpisodeRecord, dataset: str, asked: FramesQuery, request: Request, tag: str
) -> Response:
    """Answer a request for the film of a demonstration, a chunk at a time.

    Returns a file as :mod:`annotation.viewer.frames_file` describes it; 202 while it is being drawn; 204 for sharper
    pictures.

    Raises Refused if there is no such chunk, the film cannot be drawn, or the episode was recorded again.
    """
    begin = asked.begin or 0
    headers = _checked(study, [ShownClip(record, 0, record.steps)], begin, f"{tag}-film-{begin}")
    if asked.view == "sharp":
        return Response(status_code=204, headers=_PASSING)
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    try:
        file = _drawn_chunk(study, record, dataset, begin // CHUNK_STEPS, film=True)
    except UserError as error:  # the log has the reason, which may name folders
        raise Refused(409, "this demonstration cannot be shown here; tell the study's leader") from error
    if file is None:
        return JSONResponse({"drawing": True}, 202, _PASSING)
    return Response(file, media_type=_FILE, headers=headers)


def _checked(study: Study, clips: Sequence[ShownClip], begin: int | None, tag: str) -> dict[str, str]:
    """Return the headers of an answer. Raises Refused if an episode was recorded again, or no chunk begins there."""
    for clip in clips:
        study.datasets.check(clip.record)
    steps = sum(clip.steps for clip in clips)
    if begin is not None and (begin % CHUNK_STEPS or begin >= steps):
        raise Refused(422, f"chunks begin at multiples of {CHUNK_STEPS} below {steps}, not at {begin}")
    return {"ETag": f'"{tag}"', "Cache-Control": CACHED}


def _seen(study: Study, clip: ShownClip, dataset: str) -> list[bytes]:
    """Return pictures as recorded or, where none were, what was observed, drawn plainly."""
    file = study.datasets.shown(clip.record).frames
    if file is not None:
        return unpack_frames(file, clip.begin, clip.steps)
    episode = study.datasets.store(dataset).read_compressed(clip.record.episode_id)
    views = plain_views(episode, SIZE, clip.begin, clip.begin + clip.steps)
    return [encode_plain(picture) for _, picture in views]


def _cut(clips: Sequence[ShownClip], begin: int, end: int) -> list[ShownClip]:
    """Return what of ``clips`` lies in the steps from ``begin`` to before ``end``, counted through all of them."""
    found, first = [], 0
    for clip in clips:
        inside = range(max(begin - first, 0), min(end - first, clip.steps))
        if inside:
            found.append(ShownClip(clip.record, clip.begin + inside.start, len(inside)))
        first += clip.steps
    return found


def _sharp(study: Study, clips: Sequence[ShownClip], dataset: str) -> list[bytes] | None:
    """Return sharp pictures; None while some are being drawn. Raises UserError if they cannot be drawn."""
    frames, missing = list[bytes](), False
    for clip in clips:
        end = clip.begin + clip.steps
        for number in range(clip.begin // CHUNK_STEPS, -(-end // CHUNK_STEPS)):
            file, before = _drawn_chunk(study, clip.record, dataset, number), number * CHUNK_STEPS
            missing |= file is None  # the others are asked for all the same, so that all are drawn
            first = max(clip.begin - before, 0)
            frames += unpack_frames(file, first, end - before - first) if file is not None else []
    return None if missing else frames


def _drawn_chunk(study: Study, record: EpisodeRecord, dataset: str, number: int, film: bool = False) -> bytes | None:
    """Return a chunk of sharp pictures, or of a film; None while it is drawn. Raises UserError if it cannot be."""
    folder = study.datasets.store(dataset).folder
    wanted = PictureRequest(folder, record.episode_id, record.fingerprint, film)
    return study.viewer.pictures.chunk(wanted, number)
