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
_SPECIAL = ["<pad>", "<bos>", "<eos>"]
_FILE = "tokenizer.json"


class Tokenizer:
    """Byte-level BPE learned from the recorded dialogue: no text is unknown, common words are one token."""

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
        """Tokens of ``text``, without padding or end. May be called from several threads."""
        ids = self._cache.get(text)
        if ids is None:
            ids = self._tokenizer.encode(text, add_special_tokens=False).ids if text else []
            if len(self._cache) > 100_000:
                self._cache.clear()
            self._cache[text] = ids
        return ids

    def encode(self, texts: Sequence[str], length: int, end: bool = False) -> np.ndarray:
        """int64 [len(texts), length], padded with PAD; longer texts lose their tail.

        Args:
          end: close every non-empty text with EOS (as utterances to be learned are), within ``length``.
        """
        tokens = np.full((len(texts), length), PAD_ID, dtype=np.int64)
        for row, text in zip(tokens, texts, strict=True):
            ids = self.ids(text)[: length - 1] + [EOS_ID] if end and text else self.ids(text)[:length]
            row[: len(ids)] = ids
        return tokens

    def decode(self, ids: Iterable[int]) -> str:
        """Text of ``ids`` up to the first EOS; special tokens are left out."""
        kept: list[int] = []
        for token in ids:
            if token == EOS_ID:
                break
            if token not in (PAD_ID, BOS_ID):
                kept.append(int(token))
        return self._tokenizer.decode(kept).strip()

    def cuts_like(self, other: Tokenizer) -> bool:
        """Whether both make the same tokens of every text."""
        return self._tokenizer.to_str() == other._tokenizer.to_str()

    def save(self, folder: str | Path) -> None:
        """Write ``tokenizer.json`` into ``folder``."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        self._tokenizer.save(str(Path(folder) / _FILE))

    @classmethod
    def load(cls, folder: str | Path) -> Tokenizer:
        """Read what :meth:`save` wrote.

        Raises:
          FileNotFoundError: if ``folder`` has none. ValueError: if it is damaged.
        """
        path = Path(folder) / _FILE
        if not path.is_file():
            raise FileNotFoundError(f"{path} is missing: an agent's folder holds its tokenizer beside its weights")
        try:
            return cls(_Tokenizer.from_str(path.read_text(encoding="utf-8")))
        except Exception as error:  # the library raises the bare class
            raise ValueError(f"{path} is damaged ({error}); restore it from a checkpoint") from error
