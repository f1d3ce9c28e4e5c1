"""A causal language model of some thousand weights, made and taught in seconds, and a service with a rule."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

END = "<end>"


def make_model(folder: Path, pairs: Sequence[tuple[str, str]] = (), places: int = 512, rounds: int = 150) -> Path:
    """Write a model into ``folder`` that has learned to answer each of ``pairs``, and return the folder."""
    letters = {letter: number for number, letter in enumerate(sorted(ByteLevel.alphabet()))}
    tokens = Tokenizer(BPE(vocab=letters, merges=[]))
    tokens.pre_tokenizer, tokens.decoder = ByteLevel(add_prefix_space=False), ByteLevelDecoder()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokens, eos_token=END)
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=len(tokenizer), n_positions=places, n_embd=32, n_layer=1, n_head=2,
        bos_token_id=tokenizer.eos_token_id, eos_token_id=tokenizer.eos_token_id,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
    )  # fmt: skip
    model = GPT2LMHeadModel(config)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(rounds if pairs else 0):
        loss = torch.stack([_loss(model, tokenizer, *pair) for pair in pairs]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _loss(model: Any, tokenizer: Any, prompt: str, answer: str) -> torch.Tensor:
    """Cross-entropy of the answer, a line, after the prompt."""
    read, written = (tokenizer(text, return_tensors="pt")["input_ids"] for text in (prompt, answer + "\n"))
    whole = torch.cat([read, written], dim=1)[:, -model.config.n_positions :]
    labels = whole.clone()
    labels[:, : whole.shape[1] - written.shape[1]] = -100
    return model(input_ids=whole, labels=labels).loss


Reply = tuple[int, Any]  # a status and a body


@contextmanager
def service(answer: Callable[[str, dict[str, Any], dict[str, str]], Reply]) -> Iterator[str]:
    """Serve OpenAI's protocol on this machine and yield the address.

    Args:
      answer: returns the reply to a request's path, body and headers.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, reply = answer(self.path, body, dict(self.headers))
            content = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "http://127.0.0.1:9/elsewhere")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def completion(text: str, read: int = 7, written: int = 3) -> Reply:
    """Return a service's reply with one answer."""
    return 200, {"choices": [{"text": text}], "usage": {"prompt_tokens": read, "completion_tokens": written}}
