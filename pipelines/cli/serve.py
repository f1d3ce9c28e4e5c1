"""`rlhf serve` and `rlhf look`: the web app, with reward models for its utility traces."""

from __future__ import annotations

import sys

from annotation.server import serve as server
from annotation.server.serve import LookConfig, ServeConfig

__all__ = ["TRACER", "LookConfig", "ServeConfig", "look", "serve"]

TRACER = (sys.executable, "-P", "-m", "reward_models.scores.tracing")


def serve(config: ServeConfig) -> None:
    """Serve the study until Ctrl-C. Raises UserError as :func:`annotation.server.serve.serve` does."""
    server.serve(config, TRACER)


def look(config: LookConfig) -> None:
    """Show the datasets until Ctrl-C. Raises UserError as :func:`annotation.server.serve.look` does."""
    server.look(config, TRACER)
