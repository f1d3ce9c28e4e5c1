"""Kind of a request, an instruction or a question (paper, Figure 6A), inferred from its words.

People write instructions with question marks and questions without. The rules use the first word after politeness and
a few phrases. They were written with the 162 requests of the paper's appendix B in view, so that accuracy on those is
no evidence; `rlhf suite make --kinds` overrides them.
"""

from __future__ import annotations

import re

INSTRUCTION, QUESTION = "instruction-following", "question-answering"
KINDS = (INSTRUCTION, QUESTION)

_WORD = re.compile(r"[a-z']+")
_POLITE = frozenset(["please", "now", "then", "and", "ok", "okay", "hey", "hi", "well", "so", "just", "kindly"])
_ASKED_TO = re.compile(r"^(can|could|will|would) (you|u) (please |kindly )?(?!see\b|notice\b|hear\b)")
_OPENINGS = frozenset(
    """what what's whats which who whose where where's wheres when why how is isn't are aren't am was were do does did
    has have whether wether count tell name describe say identify guess explain compare can could there any
    list""".split()
)
_TURNS = re.compile(
    r"\b(how many|how much|give me the (count|number|names?|colou?rs?)|same( \w+)? or (different|not)|"
    r"larger,? ?smaller|true or false|yes or no|tell me)\b"
)


def kind_of(words: str) -> str:
    """Return ``QUESTION`` or ``INSTRUCTION``."""
    text = " ".join(_WORD.findall(words.lower()))
    if _TURNS.search(text):
        return QUESTION
    spoken = text.split()
    while spoken and spoken[0] in _POLITE:
        spoken = spoken[1:]
    asked_to = _ASKED_TO.match(" ".join(spoken) + " ")
    if asked_to:
        spoken = " ".join(spoken)[asked_to.end() :].split()
    return QUESTION if spoken and spoken[0] in _OPENINGS else INSTRUCTION
