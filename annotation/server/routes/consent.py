"""The consent text: read and agreed to by everybody, written by admins."""

from __future__ import annotations

from typing import Any

from annotation.server.clock import now
from annotation.server.routes.schema import AgreeBody, ConsentBody
from annotation.server.security import consent
from annotation.server.security.policies import ADMINS, ARRIVING, Asking, Routes, Served

ROUTES = Routes("/api/consent")


@ROUTES.add("GET", "", ARRIVING)
def text(study: Served, visitor: Asking) -> dict[str, Any]:
    """What has to be agreed to (version 0: nothing), and whether and when one has."""
    with study.database.reading() as session:
        found = consent.present(session)
        agreed = consent.agreed(session, visitor.person_id)
        return {
            "version": found.version if found else 0,
            "text": found.text if found else "",
            "agreed": agreed.agreed if agreed else None,
        }


@ROUTES.add("POST", "", ARRIVING)
def agree(body: AgreeBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Agree to the version that one has read."""
    with study.database.writing() as session:
        consent.agree(session, visitor.person_id, body.version, now())
    return {}


@ROUTES.add("PUT", "", ADMINS)
def publish(body: ConsentBody, study: Served) -> dict[str, Any]:
    """Write the next version of the text: everybody, admins too, has to agree to it anew."""
    with study.database.writing() as session:
        return {"version": consent.publish(session, body.text, now())}
