"""Registry of kinds of agents by name: the ``model_type`` of their configuration, which their folders note.

A kind registers itself with the decorator :func:`register`; a package outside this one names the module that does so
under the entry point group ``interactive_rlhf.agents``, with the ``model_type`` as the name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from worlds.foreign_code.plugins import Registry

if TYPE_CHECKING:
    from agents.agent import InteractiveAgent

ENTRY_POINT_GROUP = "interactive_rlhf.agents"
BUILT_IN = "interactive_agent"
SEPARATOR = "/"  # between a kind and its size

Kind = TypeVar("Kind", bound=type)

_registry: Registry[type] = Registry("agent", ENTRY_POINT_GROUP, {BUILT_IN: "agents.agent"}, ValueError)


def register(kind: Kind) -> Kind:
    """Register a class of agents under the ``model_type`` of its configuration; a decorator.

    Args:
      kind: a ``transformers.PreTrainedModel`` that keeps the contract of :class:`agents.agent.InteractiveAgent`, most
        easily a subclass of it. Its ``config_class`` derives from :class:`agents.config.AgentConfig`, with a
        ``model_type`` and ``presets`` of its own.

    Raises:
      ValueError: another kind has that name.
    """
    _registry.register(kind.config_class.model_type, kind)
    return kind


def get(name: str) -> type[InteractiveAgent]:
    """Return the kind of agent registered as ``name``.

    Raises:
      ValueError: there is none (the message lists the known ones), or its module does not register it.
    """
    if name == BUILT_IN:
        from agents.agent import InteractiveAgent  # imports PyTorch, which the names alone do not need

        register(InteractiveAgent)
    return _registry.get(name)


def names() -> list[str]:
    """Return the names of all kinds of agents; none is imported."""
    return _registry.names()


def find_size(size: str) -> tuple[type[InteractiveAgent], str]:
    """Return the kind of agent and the name of its size for ``size``, e.g. "nano" or "my_agent/small".

    Raises:
      ValueError: there is no such kind or size.
    """
    name, separator, preset = size.rpartition(SEPARATOR)
    kind: Any = get(name if separator else BUILT_IN)
    known: tuple[str, ...] = kind.config_class.preset_names()
    if preset not in known:
        raise ValueError(f"no agent size {size!r}; known: {', '.join(known)}")
    return kind, preset


def make(size: str, **sizes: Any) -> InteractiveAgent:
    """Return an untrained agent.

    Args:
      size: a named size of the built-in kind, e.g. "nano", or of another kind, e.g. "my_agent/small".

    Raises:
      ValueError: there is no such kind or size, or the settings do not fit together.
    """
    kind: Any
    kind, preset = find_size(size)
    return kind(kind.config_class.preset(preset, **sizes))
