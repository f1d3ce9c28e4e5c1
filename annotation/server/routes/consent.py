"""Routes of the consent text: everybody reads it and agrees, admins write it."""

from __future__ import annotations

from typing import Any

from annotation.server.clock import now
from annotation.server.routes.schema import AgreeBody, ConsentBody
from annotation.server.security import consent
from annotation.server.security.policies import ADMINS, ARRIVING, Asking, Routes, Served

ROUTES = Routes("/api/consent")


@ROUTES.add("GET", "", ARRIVING)
def text(study: Served, visitor: Asking) -> dict[str, Any]:
    """Return the text to agree to (version 0: none), and when the visitor agreed."""
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
    """Agree to the version that the visitor has read."""
    with study.database.writing() as session:
        consent.agree(session, visitor.person_id, body.version, now())
    return {}


@ROUTES.add("PUT", "", ADMINS)
def publish(body: ConsentBody, study: Served) -> dict[str, Any]:
    """Write the next version of the text; everybody, admins too, has to agree again."""
    with study.database.writing() as session:
        return {"version": consent.publish(session, body.text, now())}
