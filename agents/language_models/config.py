"""Settings of a language model that acts: the model, its prompts, and what it may cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field

from worlds.errors import UserError
from worlds.foreign_code.trust import DEFAULT_KEY_VARIABLE
from worlds.ranges import Count, CountFromZero, Positive, Seconds, Weight
from worlds.settings import settings

LOOPBACK = ("localhost", "127.0.0.1", "::1")
Requests = Annotated[int, Field(ge=1, le=64)]


@settings
class ModelSource:
    """A language model: a folder on this machine, or an address that speaks OpenAI's protocol.

    Nothing is sent anywhere unless an address is given.

    Args:
      folder: folder of a causal language model as transformers saves it, with weights in safetensors.
      address: address of an OpenAI-compatible service, e.g. http://localhost:8000/v1; None uses no network.
      name: name of the model at the address.
      key_variable: environment variable that holds the service's key. The key itself is never stored.
      chat: send prompts as messages of a conversation, which instruction-tuned models expect.
      temperature: 0 always takes the likeliest token; above, tokens are sampled.
      answer_tokens: longest answer, in tokens.
      timeout_sec: seconds after which a request has failed.
      retries: how often a request that failed is sent again.
      parallel: requests that are under way at once.

    Raises:
      UserError: a number outside its range, both a folder and an address or none, an address without a model's name or
        one that is none.
    """

    folder: Path | None = None
    address: str | None = None
    name: str = ""
    key_variable: str = DEFAULT_KEY_VARIABLE
    chat: bool = False
    temperature: Weight = 0.0
    answer_tokens: Count = 24
    timeout_sec: Seconds = 60.0
    retries: CountFromZero = 4
    parallel: Requests = 4

    def __post_init__(self) -> None:
        if self.address is not None:
            _check_address(self.address)
            if not self.name:
                raise UserError(f"{self.address} serves several models; give the name of one with --model.name")

    def check_given(self) -> None:
        """Refuse a source that names no model, or two. Raises UserError."""
        if (self.folder is None) == (self.address is None):
            what = "no language model is given" if self.folder is None else "a folder and an address are given"
            raise UserError(f"{what}; give --model.folder FOLDER or --model.address URL --model.name NAME")

    @property
    def label(self) -> str:
        """The model in a few words."""
        return str(self.folder) if self.address is None else f"{self.name} at {self.address}"


@settings
class PromptConfig:
    """What a prompt shows.

    Args:
      history: steps of the present episode that are shown before the present one; None shows all.
      instructions: first lines of every prompt; None describes the actions of the world.
    """

    history: CountFromZero | None = 3
    instructions: str | None = None


@settings
class Budget:
    """What all calls of a model may cost together; None is no limit.

    Args:
      calls: number of answers.
      tokens: tokens of prompts and answers.
      seconds: seconds of waiting for answers.
    """

    calls: Count | None = None
    tokens: Count | None = None
    seconds: Positive | None = None


def _check_address(address: str) -> None:
    try:
        parts = urlsplit(address)
        host = parts.hostname
        _ = parts.port  # refuses what is no number
    except ValueError as error:
        raise UserError(f"address {address!r} is no URL ({error}); give e.g. http://localhost:8000/v1") from None
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise UserError(f"address {address!r} is no URL of a service; give e.g. http://localhost:8000/v1")
    if "@" in parts.netloc:
        raise UserError("the address has a name or a password in it; put the key into an environment variable")
