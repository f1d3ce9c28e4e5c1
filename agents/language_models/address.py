"""A language model behind an address that speaks OpenAI's protocol: ``/completions`` and ``/chat/completions``."""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

from agents.language_models.config import LOOPBACK, ModelSource
from agents.language_models.model import Completion, Prompt, first_line
from worlds.errors import UserError
from worlds.foreign_code.trust import check_address

_CHARS_OF_TOKEN = 4  # on average in English text; a service counts its own tokens
_LONGEST_WAIT_SEC = 60.0
_MOST_BYTES = 1 << 20  # of a reply
_TRANSIENT = (408, 409, 425, 429, 500, 502, 503, 504)  # statuses after which a request is sent again


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A key is sent to the address that was given, and to no other."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class RemoteModel:
    """A language model that a service computes.

    Args:
      seed: of sampling, which a service may ignore.
      wait: waits for a number of seconds.

    Raises:
      UserError: the key would be sent without encryption to another machine.
      UntrustedError: the user has neither named nor trusted the address with this variable.
    """

    limit = None  # the protocol does not say

    def __init__(self, source: ModelSource, seed: int = 0, wait: Callable[[float], None] = time.sleep) -> None:
        assert source.address is not None
        check_address(source.address, source.key_variable)
        self._source, self._seed, self._wait = source, seed, wait
        self._url = source.address.rstrip("/") + ("/chat/completions" if source.chat else "/completions")
        self._key = os.environ.get(source.key_variable, "")
        parts = urlsplit(self._url)
        if self._key and parts.scheme != "https" and parts.hostname not in LOOPBACK:
            raise UserError(
                f"{source.address} is not encrypted, and the key in {source.key_variable} is not sent there"
            )
        self._open = urllib.request.build_opener(_NoRedirect).open

    def count_tokens(self, text: str) -> int:
        """Estimate the number of tokens of ``text``."""
        return -(-len(text) // _CHARS_OF_TOKEN)

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return the continuations; several are asked for at once."""
        with ThreadPoolExecutor(self._source.parallel) as pool:
            return list(pool.map(self._one, prompts))

    def _one(self, prompt: Prompt) -> Completion:
        begun = time.monotonic()
        reply = self._reply(json.dumps(self._question(prompt)).encode())
        try:
            choice = reply["choices"][0]
            text = choice["message"]["content"] if self._source.chat else choice["text"]
            text = "" if text is None else text
            if not isinstance(text, str):
                raise TypeError("the answer is no text")
        except (KeyError, IndexError, TypeError) as error:
            raise UserError(f"{self._url} answers, but not as OpenAI's protocol has it ({error!r})") from None
        used = reply.get("usage")
        used = used if isinstance(used, dict) else {}
        read = used.get("prompt_tokens")
        written = used.get("completion_tokens")
        return Completion(
            first_line(text),
            read if isinstance(read, int) else self.count_tokens(prompt.text),
            written if isinstance(written, int) else self.count_tokens(text),
            time.monotonic() - begun,
        )

    def _question(self, prompt: Prompt) -> dict[str, Any]:
        source = self._source
        common = {
            "model": source.name, "temperature": source.temperature, "max_tokens": source.answer_tokens,
            "seed": self._seed,
        }  # fmt: skip
        if not source.chat:
            return common | {"prompt": prompt.text, "stop": ["\n"]}
        system = [{"role": "system", "content": prompt.fixed.strip()}] if prompt.fixed.strip() else []
        return common | {"messages": [*system, {"role": "user", "content": prompt.present}]}

    def _reply(self, body: bytes) -> Any:
        """Return the service's reply. Raises UserError once all retries have failed, or at once where none helps."""
        reason, asked_sec = "", None
        for attempt in range(1 + self._source.retries):
            if attempt:
                self._wait(min(_LONGEST_WAIT_SEC, 2.0 ** (attempt - 1) if asked_sec is None else asked_sec))
            asked_sec = None
            try:
                with self._open(self._request(body), timeout=self._source.timeout_sec) as answer:
                    return json.loads(answer.read(_MOST_BYTES))
            except urllib.error.HTTPError as error:
                reason = f"status {error.code}{_said(error, self._key)}"
                if error.code not in _TRANSIENT:
                    raise UserError(f"{self._url} refuses the request ({reason}); {self._hint(error.code)}") from None
                asked_sec = _seconds(error.headers.get("Retry-After"))
            except (OSError, http.client.HTTPException) as error:
                reason = str(getattr(error, "reason", None) or error) or type(error).__name__
            except ValueError as error:
                reason = f"the reply is no JSON: {error}"
        times = f"{1 + self._source.retries} attempt{'s' * bool(self._source.retries)}"
        raise UserError(f"{self._url} cannot be used ({reason}; {times}): start the service, or check --model.address")

    def _hint(self, status: int) -> str:
        if status in (401, 403):
            return f"put the service's key into the environment variable {self._source.key_variable}"
        return "check --model.address, --model.name and --model.chat"

    def _request(self, body: bytes) -> urllib.request.Request:
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        return urllib.request.Request(self._url, body, headers, method="POST")


def _said(error: urllib.error.HTTPError, key: str) -> str:
    """Return the reason that a service gives, without the key, e.g. ": no such model"; "" without one."""
    try:
        said = json.loads(error.read(_MOST_BYTES))
        found = said["error"]["message"] if isinstance(said["error"], dict) else said["error"]
        text = " ".join(str(found).split())[:200]
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
        return ""
    return f": {text.replace(key, '...') if key else text}"


def _seconds(text: str | None) -> float | None:
    """Return the seconds of a header ``Retry-After``; None where it has none, or a date."""
    try:
        return None if text is None else max(0.0, float(text))
    except ValueError:
        return None
