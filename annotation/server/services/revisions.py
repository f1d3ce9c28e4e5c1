"""Revisions of edits, which may arrive twice, in any order, and from two windows of one person."""

from __future__ import annotations

from annotation.server.errors import Refused


def is_newer(revision: int, kept: int, same: bool) -> bool:
    """Return whether an edit is to be saved: of two edits the one with the higher revision counts.

    Args:
      revision: the edit's, from 1.
      kept: revision of what is saved, 0 if nothing is.
      same: whether the edit says the same as what is saved.

    Raises:
      Refused: if another edit of this revision is saved: of two windows, this one shows what does not count.
    """
    if revision == kept and not same:
        raise Refused(409, "you have said something else of this in another window; load the page again")
    return revision > kept
