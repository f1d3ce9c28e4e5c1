"""The pictures of an episode as browsers get them: all at once, or in chunks; as recorded, or drawn again and sharp."""

from __future__ import annotations

from fastapi import Request, Response
from starlette.responses import JSONResponse

from annotation.server.db.tables import EpisodeRecord
from annotation.server.errors import Refused
from annotation.server.routes.schema import FramesQuery
from annotation.server.study import Study
from annotation.viewer.drawing import CHUNK_STEPS
from annotation.viewer.frames_file import pack_frames, unpack_frames
from annotation.viewer.pictures import PictureRequest
from worlds.errors import UserError

CACHED = "private, max-age=604800, immutable"  # an episode's frames never change
_FILE = "application/octet-stream"


def frames_response(
    study: Study, record: EpisodeRecord, dataset: str, asked: FramesQuery, request: Request, tag: str
) -> Response:
    """Answer a request for an episode's pictures.

    Args:
      study: the study.
      record: the episode.
      dataset: name of its dataset.
      asked: which pictures.
      request: the request; its If-None-Match is honoured.
      tag: what names the episode to this browser.

    Returns:
      A file as :mod:`annotation.viewer.frames_file` describes it; 202 while sharp pictures are being drawn; 204 if they
      cannot be drawn.

    Raises:
      Refused: if there are no such steps.
    """
    part = "" if asked.begin is None else f"-{asked.view}-{asked.begin}-{CHUNK_STEPS}"
    headers = {"ETag": f'"{tag}{part}"', "Cache-Control": CACHED}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    if asked.begin is not None and (asked.begin % CHUNK_STEPS or asked.begin >= record.steps):
        raise Refused(422, f"chunks begin at multiples of {CHUNK_STEPS} below {record.steps}, not at {asked.begin}")
    if asked.view == "sharp" and asked.begin is not None:
        try:
            file = _sharp(study, record, dataset, asked.begin // CHUNK_STEPS)
        except UserError:  # the log has the reason, which may name folders
            return Response(status_code=204, headers={"Cache-Control": "no-store"})
        if file is None:
            return JSONResponse({"drawing": True}, 202, {"Cache-Control": "no-store"})
        return Response(file, media_type=_FILE, headers=headers)
    file = study.datasets.shown(dataset, record.episode_id).frames
    if asked.begin is not None:
        file = pack_frames(unpack_frames(file, asked.begin, CHUNK_STEPS))
    return Response(file, media_type=_FILE, headers=headers)


def _sharp(study: Study, record: EpisodeRecord, dataset: str, number: int) -> bytes | None:
    """A chunk of sharp pictures; None while it is being drawn. Raises UserError if it cannot be drawn."""
    store = study.datasets.store(dataset)
    created = next((row.created for row in store.rows() if row.episode_id == record.episode_id), None)
    if created is None:
        raise Refused(404, "there is no such episode")
    return study.viewer.pictures.chunk(PictureRequest(store.folder, record.episode_id, created), number)
