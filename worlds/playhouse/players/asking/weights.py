"""How often a setter asks for which task or game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from worlds.contract import WorldError
from worlds.playhouse.games.registry import PROBES, get, language_games
from worlds.playhouse.players.asking.settings import Tasks
from worlds.playhouse.players.setting_numbers import is_number

ALL_GAMES = "all games"  # in place of a name: every language game


def weights_of(tasks: Tasks) -> dict[str, float]:
    """Return the weight of each task and game asked for; see :class:`SetterSettings`.

    Raises:
      WorldError: for tasks that do not exist and impossible weights.
    """
    if isinstance(tasks, str) and tasks != ALL_GAMES:
        raise WorldError(f"setter setting tasks: {tasks!r} is not a list of names; give [{tasks!r}]")
    names = [tasks] if isinstance(tasks, str) else PROBES if tasks is None else tasks
    weights = dict(names) if isinstance(names, Mapping) else dict.fromkeys(names, 1.0)
    for name in weights:
        if name != ALL_GAMES:
            get(name)
    wrong = next((name for name, weight in weights.items() if not is_number(weight)), None)
    if wrong is not None:
        raise WorldError(f"setter setting tasks: the weight of {wrong} is a number, not {weights[wrong]!r}")
    if not weights or min(weights.values()) < 0 or sum(weights.values()) <= 0:
        raise WorldError("setter setting tasks: give at least one task with a weight above 0")
    if ALL_GAMES in weights:
        share = weights.pop(ALL_GAMES)
        weights = {name: share * weight for name, weight in all_games().items()} | weights
    return weights


def all_games() -> dict[str, float]:
    """Return weights of all language games that make every prompt of the paper (A.8) equally likely."""
    of_prompt = Counter(game.prompt for game in language_games().values())
    return {name: 1.0 / of_prompt[game.prompt] for name, game in language_games().items()}
