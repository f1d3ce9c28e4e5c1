"""Text to tokens and back. Worlds and recordings keep text; only the agent knows tokens."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer as _Tokenizer
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

PAD_ID, BOS_ID, EOS_ID = 0, 1, 2
CUT_ID = BOS_ID  # as the last token of an observed text, which never begins with BOS: the rest of it was cut
_SPECIAL = ["<pad>", "<bos>", "<eos>"]
_FILE = "tokenizer.json"


class Tokenizer:
    """Byte-level BPE, learned from the recorded dialogue. No text is unknown; common words are one token."""

    def __init__(self, tokenizer: _Tokenizer) -> None:
        self._tokenizer = tokenizer
        tokenizer.encode_special_tokens = True  # a typed "<pad>" is text like any other
        self._cache: dict[str, list[int]] = {}

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int = 512) -> Tokenizer:
        """Learn at most ``vocab_size`` tokens from ``texts``; the 256 bytes and 3 special tokens are always in."""
        tokenizer = _Tokenizer(models.BPE())
        tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size,
            special_tokens=_SPECIAL,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        tokenizer.train_from_iterator(sorted(set(texts)), trainer)
        return cls(tokenizer)

    @property
    def vocab_size(self) -> int:
        """Number of tokens, special ones included."""
        return self._tokenizer.get_vocab_size()

    @property
    def digest(self) -> str:
        """SHA-256 of the tokens, their numbers and the merges, in hexadecimal.

        It does not depend on how a version of the library writes its file.
        """
        merges = json.loads(self._tokenizer.to_str())["model"].get("merges", [])
        pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in merges]
        tokens = sorted(self._tokenizer.get_vocab().items())
        return hashlib.sha256(json.dumps([tokens, pairs]).encode()).hexdigest()

    def ids(self, text: str) -> list[int]:
        """Return the tokens of ``text``, without padding or end. May be called from several threads."""
        ids = self._cache.get(text)
        if ids is None:
            ids = self._tokenizer.encode(text, add_special_tokens=False).ids if text else []
            if len(self._cache) > 100_000:
                self._cache.clear()
            self._cache[text] = ids
        return ids

    def encode(self, texts: Sequence[str], length: int, end: bool = False, mark_cuts: bool = False) -> np.ndarray:
        """Return the tokens of texts, padded with PAD: int64 [len(texts), length]. Longer texts lose their tail.

        Args:
          length: number of tokens of each.
          end: close texts with EOS, as utterances to be learned are. The last place is then kept for it; a text that
            is cut has PAD there, as it did not end.
          mark_cuts: the last token of a text that is cut is CUT_ID; not for texts that ``end``.
        """
        tokens = np.full((len(texts), length), PAD_ID, dtype=np.int64)
        for row, text in zip(tokens, texts, strict=True):
            ids = self.ids(text)
            if end and ids:
                ids = [*ids, EOS_ID] if len(ids) < length else ids[: length - 1]
            elif mark_cuts and len(ids) > length:
                ids = [*ids[: length - 1], CUT_ID]
            row[: min(len(ids), length)] = ids[:length]
        return tokens

    def knows(self, word: str) -> bool:
        """Return True if ``word`` is one token; others are spelled from several, down to single bytes."""
        return len(self.ids(word)) == 1

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ``ids`` up to the first EOS, without special tokens."""
        kept: list[int] = []
        for token in ids:
            if token == EOS_ID:
                break
            if token not in (PAD_ID, BOS_ID):
                kept.append(int(token))
        return self._tokenizer.decode(kept).strip()

    def cuts_like(self, other: Tokenizer) -> bool:
        """Return True if both make the same tokens of every text."""
        return self._tokenizer.to_str() == other._tokenizer.to_str()

    def save(self, folder: str | Path) -> None:
        """Write ``tokenizer.json`` into ``folder``."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        self._tokenizer.save(str(Path(folder) / _FILE))

    @classmethod
    def load(cls, folder: str | Path) -> Tokenizer:
        """Read what :meth:`save` wrote.

        Raises:
          FileNotFoundError: ``folder`` has none.
          ValueError: it is damaged.
        """
        path = Path(folder) / _FILE
        if not path.is_file():
            raise FileNotFoundError(f"{path} is missing: an agent's folder holds its tokenizer beside its weights")
        try:
            return cls(_Tokenizer.from_str(path.read_text(encoding="utf-8")))
        except Exception as error:  # the library raises the bare class
            raise ValueError(f"{path} is damaged ({error}); restore it from a checkpoint") from error
