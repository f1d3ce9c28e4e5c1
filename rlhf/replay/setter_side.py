"""The setter's side of recorded play: what the setter saw, heard, did and said, in the form in which agents learn.

A recording has the setter's movement and words, and not what it observed. Where the world is exact, both players do
again what they did, and the setter's observations follow to the last bit. They become an episode of their own, in which
the one who acts is the setter: :func:`setter_side` of an episode is recorded play like all others, that an agent in the
role of the setter imitates. It belongs to a world that does not exist, so nothing replays it by mistake.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import Any

from agents.roles import heard_by_setter, read_as_setter
from rlhf.records.columns import Row, episode_columns
from rlhf.records.episode import AGENT, WORLD_OPTIONS, Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.replay.views import check_same
from worlds import registry
from worlds.contract import SETTER, SOLVER, World
from worlds.contract.tiers import EXACT
from worlds.errors import UserError
from worlds.foreign_code.faults import named_failure
from worlds.spaces.observation import ObservationSpec

SIDE_OF = "side_of"  # in the notes: the fingerprint of the episode of which this is the setter's side
PROMPT = "prompt"  # likewise: the words of the setter's prompt, "" without one

_HINT = "what its setter saw is not known, so learn from other episodes"


def setter_side(episode: Episode, fingerprint: str = "") -> Episode:
    """Return the setter's side of ``episode``.

    Row t has what the setter observed at step t and what it then did and said. What it hears are the words that the
    solver last said, after its prompt, if it was given one (:mod:`agents.roles`).

    Raises:
      UserError: its replay differs from the recording, or its setter observes nothing.
      WorldError: its world is not known here, or is not exact.
    """
    entry = registry.get(episode.world)
    entry.check_tier(EXACT, "learning from its setters")
    with named_failure(entry.name, f"replaying episode {episode.episode_id}"):
        world = entry.make(views=(SETTER, SOLVER), **_options(episode))
    with closing(world):
        spec = world.spec(SETTER)
        if spec.observation == ObservationSpec():
            raise UserError(
                f"setters of the world {episode.world} observe nothing but words, so that no agent can learn from "
                "them what to ask for; record play in a world whose setters see it, such as the playhouse"
            )
        spaces = EpisodeSpaces(spec, world.spec(SOLVER).action)
        prompt = prompt_of(episode.notes)
        columns = episode_columns(_rows(world, episode, prompt), [AGENT] * len(episode), spaces)
    columns["setter_utterance"] = _heard(episode, prompt)
    return Episode(
        episode_id=episode.episode_id,
        world=f"{episode.world}, seen by its setter",
        config=episode.config,
        setter=episode.solver,
        solver=episode.setter,
        seed=episode.seed,
        created=episode.created,
        split=episode.split,
        notes={SIDE_OF: fingerprint, PROMPT: prompt},
        **columns,
    )


def prompt_of(notes: Mapping[str, Any]) -> str:
    """Return the words of the prompt that the setter of an episode was given; "" without one.

    Args:
      notes: of the episode, with the prompt as people get it (`docs/play.md`).
    """
    noted = notes.get("prompt")
    if not isinstance(noted, Mapping):
        return ""
    return " ".join(filter(None, (str(noted.get("text") or ""), str(noted.get("modifier") or ""))))


def _options(episode: Episode) -> dict[str, Any]:
    """Return the keywords with which the world of ``episode`` is made."""
    options: dict[str, Any] = dict(episode.notes.get(WORLD_OPTIONS) or {})
    if episode.image is not None:
        options |= {"height": episode.image.shape[1], "width": episode.image.shape[2]}
    return options


def _rows(world: World, episode: Episode, prompt: str) -> list[Row]:
    """Replay ``episode``, and return the setter's observation and both players' actions of every step."""
    rows: list[Row] = []
    seen, _ = world.reset(seed=episode.seed, options={"config": dict(episode.config)})
    for step in range(len(episode)):
        check_same(seen[SOLVER], episode, step, hint=_HINT)
        actions = {SETTER: episode.setter_action(step), SOLVER: episode.solver_action(step)}
        rows.append((read_as_setter(seen[SETTER], prompt), actions[SETTER], actions[SOLVER]))
        if step + 1 < len(episode):
            seen = world.step(actions)[0]
    return rows


def _heard(episode: Episode, prompt: str) -> tuple[str, ...]:
    """Return what begins to be heard at every step: the prompt at the first one, then what the solver says."""
    heard = [heard_by_setter(prompt, words) if words else "" for words in episode.utterance]
    return (heard[0] or prompt, *heard[1:])
