"""A causal language model in a folder, computed here with ``transformers``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import torch
from transformers.generation.stopping_criteria import StoppingCriteria, StoppingCriteriaList
from transformers.models.auto.modeling_auto import AutoModelForCausalLM
from transformers.models.auto.tokenization_auto import AutoTokenizer
from transformers.utils.logging import disable_progress_bar

from agents.computing import usable_device
from agents.language_models.config import ModelSource
from agents.language_models.model import Completion, Prompt, first_line
from agents.remote_code import refuse_remote_code
from worlds.errors import UserError

_NO_CODE = {"local_files_only": True, "trust_remote_code": False}  # nothing is downloaded, no code of a folder is run
_LARGEST_LIMIT = 10**8  # a tokenizer without a limit of its own declares a huge one


class LocalModel:
    """A language model whose weights are in safetensors. Nothing is downloaded, and no code of the folder is run.

    Args:
      device: "cpu", "cuda" or "cuda:1".
      seed: of sampling, with a temperature above 0.

    Raises:
      UserError: the folder is missing, holds no causal language model, or has its weights in pickles only.
    """

    def __init__(self, source: ModelSource, device: str = "cpu", seed: int = 0) -> None:
        assert source.folder is not None
        self._source, self._seed, self._calls = source, seed, 0
        self._device = usable_device(device)
        self._tokenizer, self._model = _load(source, self._device)

    @property
    def limit(self) -> int | None:
        places = getattr(self._model.config, "max_position_embeddings", None)
        known = [each for each in (places, self._tokenizer.model_max_length) if each and each < _LARGEST_LIMIT]
        return max(1, min(known) - self._source.answer_tokens) if known else None

    def count_tokens(self, text: str) -> int:
        return len(self._tokenizer(text)["input_ids"])

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return the continuations, all computed as one batch."""
        begun = time.monotonic()
        given = self._encode(prompts)
        length = given["input_ids"].shape[1]
        with torch.inference_mode(), torch.random.fork_rng():
            torch.manual_seed(self._seed + self._calls)
            self._calls += 1
            written = self._generate(given, length)[:, length:]
        seconds = (time.monotonic() - begun) / len(prompts)
        read = given["attention_mask"].sum(dim=1).tolist()
        ends = written.ne(self._tokenizer.pad_token_id).sum(dim=1).tolist()
        texts = self._tokenizer.batch_decode(written, skip_special_tokens=True)
        return [
            Completion(first_line(text), tokens, end, seconds)
            for text, tokens, end in zip(texts, read, ends, strict=True)
        ]

    def _encode(self, prompts: Sequence[Prompt]) -> Any:
        texts = [self._spoken(prompt) for prompt in prompts]
        limit = self.limit
        cut = {"truncation": True, "max_length": limit} if limit is not None else {}
        given = self._tokenizer(
            texts, return_tensors="pt", padding=True, add_special_tokens=not self._source.chat, **cut
        )
        return {name: given[name].to(self._device) for name in ("input_ids", "attention_mask")}

    def _spoken(self, prompt: Prompt) -> str:
        """Return the prompt as the model reads it: with a model for conversations, in its own form of these."""
        if not self._source.chat:
            return prompt.text
        messages = [{"role": "user", "content": prompt.text}]
        return self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)

    def _generate(self, given: Any, length: int) -> torch.Tensor:
        warm = self._source.temperature > 0
        chosen = {"do_sample": True, "temperature": self._source.temperature} if warm else {"do_sample": False}
        return self._model.generate(
            **given,
            **chosen,
            max_new_tokens=self._source.answer_tokens,
            pad_token_id=self._tokenizer.pad_token_id,
            stopping_criteria=StoppingCriteriaList([_AfterOneLine(self._tokenizer, length)]),
        )


class _AfterOneLine(StoppingCriteria):
    """End an answer after its first line that is not empty."""

    def __init__(self, tokenizer: Any, length: int) -> None:
        self._tokenizer, self._length = tokenizer, length

    def __call__(self, input_ids: torch.Tensor, scores: Any, **kwargs: Any) -> Any:
        texts = self._tokenizer.batch_decode(input_ids[:, self._length :], skip_special_tokens=True)
        return torch.tensor(["\n" in text.lstrip() for text in texts], device=input_ids.device)


def _load(source: ModelSource, device: torch.device) -> tuple[Any, Any]:
    folder = source.folder
    assert folder is not None
    if not (folder / "config.json").is_file():
        raise UserError(f"{folder} holds no language model (config.json is missing); give the folder of one")
    if not any(folder.glob("*.safetensors")):
        raise UserError(f"{folder} has no weights in safetensors; other files of weights may run code and are not read")
    disable_progress_bar()
    refuse_remote_code()
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="left", **_NO_CODE)
        dtype = torch.float32 if device.type == "cpu" else "auto"
        model = AutoModelForCausalLM.from_pretrained(folder, use_safetensors=True, dtype=dtype, **_NO_CODE)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, ImportError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UserError(f"{folder} holds no causal language model that can be read ({reason[:200]})") from error
    tokenizer.truncation_side = "left"  # what is newest is kept
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    if tokenizer.pad_token_id is None:
        raise UserError(f"{folder}: the tokenizer has neither a token for padding nor one for the end; add one")
    if source.chat and not getattr(tokenizer, "chat_template", None):
        raise UserError(f"{folder} has no template for conversations; leave out --model.chat")
    return tokenizer, torch.nn.Module.to(model, device).eval()
