"""Names of raters: one spelling for what is typed in many ways, and when two names are one rater."""

from __future__ import annotations

import unicodedata

# Zero-width spaces and soft hyphens come with text that is copied from pages; they are part of no name.
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))


def rater_name(name: str) -> str:
    """Return ``name`` as it is kept: composed characters (NFC), and single spaces between its words."""
    return " ".join(unicodedata.normalize("NFC", name.translate(_UNSEEN)).split())


def rater_key(name: str) -> str:
    """Return a text that is equal for all spellings of one rater's name; letter case does not matter."""
    return rater_name(name).lower()
