"""The text of a command's ``--help``: its settings in groups, each with its type, description and default."""

from __future__ import annotations

import shutil
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import MISSING
from typing import Any

from pipelines.cli import own_settings
from pipelines.cli.settings import Setting, form_of
from pipelines.cli.shown import SHOWN
from rlhf.records.json_records import to_json

_WIDEST = 110  # columns


def help_text(
    kind: type, every: Sequence[Setting], words: Sequence[str], command: str, default: Any, about: str
) -> str:
    """Return the text.

    Args:
      kind: class of the configuration.
      every: all its settings.
      words: words of the command line; with "all" among them, every setting is listed.
      command: the command, e.g. "rlhf record".
      default: configuration from which the command starts, or None.
      about: description of the command.
    """
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    places = [one for one in every if one.by_place]
    flags = [one for one in every if not one.by_place]
    names = SHOWN.get(kind.__name__) if "all" not in words else None
    shown = [one for one in flags if names is None or one.name in names]
    needed = [f" {one.flag} {form_of(one.hint)}" for one in flags if one.default is MISSING]
    usage = "".join([command, *(f" {form_of(one.hint)}" for one in places), *needed])
    lines = [f"usage: {usage}{' [--SETTING VALUE ...]' if flags else ''}", ""]
    lines += [*textwrap.wrap(about, width), ""] if about else []
    lines += [line for one in places for line in _entry(form_of(one.hint), one, width)]
    for group, members in _grouped(shown).items():
        if group:
            lines += ["", *textwrap.wrap(f"{group[-1][0]}: {group[-1][1]}", width)]
        lines += [line for one in members for line in _entry(f"{one.flag} {_words(one.hint)}", one, width)]
    lines += ["", *_own(flags, words, default, width)]
    if len(shown) < len(flags):
        hidden = Counter(one.group[0][0] if one.group else "others" for one in flags if one not in shown)
        groups = ", ".join(f"{group} ({count})" for group, count in hidden.items())
        lines += textwrap.wrap(f"{hidden.total()} more settings: {groups}", width)
        lines.append(f"{command} --help all shows them")
    return "\n".join(lines)


def _grouped(settings: Sequence[Setting]) -> dict[tuple[tuple[str, str], ...], list[Setting]]:
    found: dict[tuple[tuple[str, str], ...], list[Setting]] = {(): []}
    for one in settings:
        found.setdefault(one.group, []).append(one)
    return found


def _words(hint: Any) -> str:
    return "" if hint is bool else form_of(hint)


def _entry(head: str, setting: Setting, width: int) -> Iterator[str]:
    yield f"  {head}".rstrip()
    default = "required" if setting.default is MISSING else f"default: {_shown(setting.default)}"
    yield from _indented(f"{setting.about} ({default})", width)


def _own(flags: Sequence[Setting], words: Sequence[str], default: Any, width: int) -> Iterator[str]:
    """Yield the lines about own settings of the world, its players and an agent's network."""
    own = own_settings.Own([one.name for one in flags], words, default)
    for group in own_settings.PARTS:
        owners = sorted((one for one in own.owners if one.rpartition(".")[2] == group), key=len)
        if not owners:
            continue
        world = own.world(owners[0])
        whose = {"world": "the world", "players": "the scripted players of the world"}.get(group)
        others = f"; also --{', --'.join(one.replace('_', '-') + '.NAME' for one in owners[1:])}" if owners[1:] else ""
        noun = f"{whose} {world or 'playhouse'}" if whose else "the agent's network"
        yield from textwrap.wrap(f"own settings of {noun}{others}:", width)
        for setting in own_settings.declared(world, group).values():
            yield f"  --{owners[0].replace('_', '-')}.{setting.name.replace('_', '-')} {setting.form}"
            yield from _indented(f"{setting.about or 'no description'} (default: {_shown(setting.default)})", width)
        yield ""


def _indented(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=" " * 6, subsequent_indent=" " * 6, break_on_hyphens=False)


def _shown(value: Any) -> str:
    """Return a default as it would be typed."""
    try:
        value = to_json(value)
    except TypeError:
        return str(value)
    if isinstance(value, list):
        return " ".join(map(_shown, value)) or "none"
    if isinstance(value, dict):
        return " ".join(f"{name}={_shown(each)}" for name, each in value.items()) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
