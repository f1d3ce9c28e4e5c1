"""An episode as pictures for people: replayed in its world where that draws, else as it was recorded.

A world that draws views of any size (:class:`worlds.contract.TickWise`) is replayed. In others, an episode with
pictures is shown as recorded; one without is replayed where the world draws a picture of itself, and where it does not,
what was observed is drawn plainly (:mod:`worlds.contract.plain_pictures`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from PIL import Image

from rlhf.records.episode import WORLD_OPTIONS, Episode
from rlhf.store.columns.compressed import CompressedEpisode
from worlds import registry
from worlds.contract import (
    SETTER,
    SOLVER,
    Filmed,
    SeenFromOutside,
    ThingInView,
    ThingsInView,
    TickWise,
    World,
    WorldError,
)
from worlds.contract.plain_pictures import SIZE, PlainPictures
from worlds.errors import UserError
from worlds.foreign_code.faults import named_failure
from worlds.foreign_code.trust import UntrustedError
from worlds.spaces.steps import observed_at

REPLAYED, RECORDED = "replayed", "as recorded"
DRAWN, PLAIN = "drawn by its world", "drawn from what was observed"
FIRST = "first"  # the angle of the solver's eyes
_ONLY_FIRST = "the world {world} draws no view of the kind {angle}; leave out --view"
PER_STEP = 4  # views a step of a world that draws between ticks, if they divide its ticks
_PAPER = 250  # grey level


class NoPictures(UserError):
    """The world of an episode is not known here, or it draws no pictures."""


@dataclass(frozen=True)
class EpisodeViews:
    """Pictures of an episode.

    Args:
      source: their source: ``REPLAYED``, ``RECORDED``, ``DRAWN`` or ``PLAIN``.
      per_step: pictures a step.
      pictures: the step and the picture, uint8 [height, width, 3], in order.
    """

    source: str
    per_step: int
    pictures: Iterator[tuple[int, np.ndarray]]


def views_of(
    episode: Episode, height: int, width: int, per_step: int | None = None, plain: bool = False, angle: str = FIRST
) -> EpisodeViews:
    """Return the best pictures of an episode that there are.

    Args:
      height: of the pictures, pixels.
      width: of the pictures, pixels.
      per_step: pictures a step, a divisor of its ticks; more than one only where the world draws between ticks. None
        takes ``PER_STEP`` there, or as many as divide the ticks.
      plain: show what was recorded or observed, without a replay.
      angle: ``FIRST`` from the solver's eyes, or one of :class:`worlds.contract.SeenFromOutside`.

    Raises:
      UserError: the world draws nothing from that angle, there cannot be so many pictures a step, or (also while they
        are drawn) the replay differs from the recording.
    """
    if not plain and _is_tick_wise(episode):
        number = per_step or math.gcd(PER_STEP, episode.spaces.solver.action.ticks)
        return EpisodeViews(REPLAYED, number, replayed_views(episode, height, width, number, angle))
    if angle != FIRST:
        raise NoPictures(_ONLY_FIRST.format(world=episode.world, angle=angle))
    if per_step not in (None, 1):
        raise UserError(f"the world {episode.world} draws one picture a step, not {per_step}")
    source, pictures = RECORDED, iter(()) if episode.image is None else enumerate(episode.rgb())
    if episode.image is None:
        source, pictures = PLAIN, plain_views(episode, (height, width))
        if not plain:
            drawn = recreated_views(episode)
            try:
                source, pictures = DRAWN, itertools.chain([next(drawn)], drawn)
            except NoPictures:
                pass
    return EpisodeViews(source, 1, ((step, fitted(picture, height, width)) for step, picture in pictures))


def replayed_views(
    episode: Episode, height: int, width: int, per_step: int = 1, angle: str = FIRST
) -> Iterator[tuple[int, np.ndarray]]:
    """The solver's view while both players do again what they did.

    The world is rebuilt from the episode's configuration, so views can be larger than the recorded images. The first
    view of a step is what the solver saw when it decided.

    Args:
      height: of the views, pixels.
      width: of the views, pixels.
      per_step: views a step, evenly spaced over its ticks; a divisor of their number.
      angle: ``FIRST``, or one of :class:`worlds.contract.SeenFromOutside`.

    Yields:
      The step, and the view uint8 [height, width, 3].

    Raises:
      UserError: if the world cannot draw views of other sizes, its replay differs from the recording, or ``per_step``
        does not divide the ticks of a step.
    """
    with closing(_world_of(episode)) as world:
        if not isinstance(world, TickWise):
            raise NoPictures(f"the world {episode.world} draws no views of other sizes; show its recorded images")
        ticks = world.spec(SOLVER).action.ticks
        if ticks % per_step:
            some = ", ".join(str(number) for number in range(1, ticks + 1) if ticks % number == 0)
            raise UserError(f"{per_step} views a step do not divide a step's {ticks} ticks; use one of {some}")
        look = partial(world.view, SOLVER, height, width)
        if angle != FIRST:
            if not isinstance(world, SeenFromOutside):
                raise NoPictures(_ONLY_FIRST.format(world=episode.world, angle=angle))
            look = partial(world.view_from, angle, SOLVER, height, width)
        yield from _views(world, world, episode, look, ticks // per_step)


def recreated_views(episode: Episode) -> Iterator[tuple[int, np.ndarray]]:
    """Pictures that the episode's world draws of itself while both players do again what they did.

    Yields:
      The step, and the picture uint8 [height, width, 3], of the world's own size.

    Raises:
      NoPictures: the world is not known here, or draws none.
      UserError: the replay differs from the recording.
    """
    try:
        world = _world_of(episode)
    except (WorldError, UntrustedError) as error:
        raise NoPictures(str(error)) from error
    with closing(world):
        for step in _replayed(world, episode):
            yield step, rendered(world, episode.world)


def filmed_views(episode: Episode) -> Iterator[tuple[int, np.ndarray]]:
    """Pictures of the setter, for people who watch it, while both players do again what they did.

    Yields:
      The step, and the picture uint8 [height, width, 3], of the world's own size.

    Raises:
      NoPictures: the world is not known here, or draws none of its setter.
      UserError: the replay differs from the recording.
    """
    try:
        world = _world_of(episode)
    except (WorldError, UntrustedError) as error:
        raise NoPictures(str(error)) from error
    with closing(world):
        if not isinstance(world, Filmed):
            raise NoPictures(f"the world {episode.world} draws no pictures of its setter")
        for step in _replayed(world, episode):
            with named_failure(episode.world, "film"):
                picture = world.film()
            yield step, picture


def things_seen(episode: Episode) -> Iterator[tuple[int, tuple[ThingInView, ...]]]:
    """The things that the solver's pictures show, while both players do again what they did.

    Yields:
      The step, and the things in the picture that the solver saw when it decided.

    Raises:
      UserError: the world is not known here, it does not say what its pictures show, or the replay differs from the
        recording.
    """
    with closing(_world_of(episode)) as world:
        if not isinstance(world, ThingsInView):
            raise UserError(
                f"the world {episode.world} does not say which things its pictures show; the Playhouse does"
            )
        for step in _replayed(world, episode):
            yield step, world.things_in_view(SOLVER)


def plain_views(
    episode: Episode | CompressedEpisode, size: tuple[int, int] = SIZE, begin: int = 0, end: int | None = None
) -> Iterator[tuple[int, np.ndarray]]:
    """What was observed in an episode without pictures, drawn plainly.

    Args:
      size: height and width, pixels.
      begin: first step.
      end: step after the last; None takes all.

    Yields:
      The step, and the picture uint8 [height, width, 3].
    """
    pictures = PlainPictures(episode.spaces.solver.observation, episode.seen)
    for step in range(begin, len(episode) if end is None else min(end, len(episode))):
        yield step, pictures.draw(observed_at(episode.seen, episode.texts, step), step, size)


def fitted(picture: np.ndarray, height: int, width: int, margin: int = _PAPER) -> np.ndarray:
    """Return ``picture`` in the middle of one of ``height`` x ``width`` pixels, enlarged by a whole number or reduced.

    Args:
      picture: uint8 [other height, other width, 3].
      height: pixels.
      width: pixels.
    """
    scale = min(height / picture.shape[0], width / picture.shape[1])
    if scale >= 1:
        scaled = np.kron(picture, np.ones((int(scale), int(scale), 1), np.uint8))
    else:
        size = max(1, int(scale * picture.shape[1])), max(1, int(scale * picture.shape[0]))
        scaled = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BOX))
    page = np.full((height, width, 3), margin, np.uint8)
    top, left = (height - scaled.shape[0]) // 2, (width - scaled.shape[1]) // 2
    page[top : top + scaled.shape[0], left : left + scaled.shape[1]] = scaled
    return page


def _replayed(world: World, episode: Episode) -> Iterator[int]:
    """Yield every step, with ``world`` as it was before it. Raises UserError where the replay differs."""
    observations, _ = world.reset(seed=episode.seed, options={"config": dict(episode.config)})
    for step in range(len(episode)):
        check_same(observations[SOLVER], episode, step)
        yield step
        actions = {SETTER: episode.setter_action(step), SOLVER: episode.solver_action(step)}
        if step + 1 < len(episode):
            observations = world.step(actions)[0]


def _world_of(episode: Episode) -> World:
    """Return a world in which ``episode`` can be played. Raises WorldError if it is not known here."""
    options: dict[str, Any] = dict(episode.notes.get(WORLD_OPTIONS) or {})
    if episode.image is not None:
        options |= {"height": episode.image.shape[1], "width": episode.image.shape[2]}
    return registry.get(episode.world).make(views=(SOLVER,), **options)


def _is_tick_wise(episode: Episode) -> bool:
    try:
        with closing(_world_of(episode)) as world:
            return isinstance(world, TickWise)
    except (WorldError, UntrustedError):
        return False


def rendered(world: World, name: str) -> np.ndarray:
    """Return the picture that a world draws of itself. Raises NoPictures if it draws none."""
    try:
        with named_failure(name, "render"):
            picture = world.render()
    except WorldError as error:
        raise NoPictures(str(error)) from error
    if not isinstance(picture, np.ndarray) or picture.ndim != 3:
        raise NoPictures(f"world {name!r} draws no pictures")
    return picture[..., :3]


def _views(
    world: World, screen: TickWise, episode: Episode, look: Callable[[], np.ndarray], ticks: int
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield a view every ``ticks`` ticks."""
    observations, _ = world.reset(seed=episode.seed, options={"config": dict(episode.config)})
    for step in range(len(episode)):
        check_same(observations[SOLVER], episode, step)
        for begin in range(0, len(episode.movement[step]), ticks):
            yield step, look()
            part = slice(begin, begin + ticks)
            screen.play_ticks({SETTER: episode.setter_movement[step][part], SOLVER: episode.movement[step][part]})
        said = {SETTER: episode.setter_utterance[step], SOLVER: episode.utterance[step]}
        observations = screen.end_step(said)[0]


def check_same(seen: Any, episode: Episode, step: int, hint: str = "`rlhf render --plain` does not replay it") -> None:
    """Refuse a replay whose observation differs from the recorded one.

    Args:
      hint: what the user can do, or what cannot be done.

    Raises:
      UserError: naming the step.
    """
    recorded = observed_at(episode.seen, episode.texts, step)
    if episode.image is not None:
        recorded["image"] = episode.image[step]
    if any(not np.array_equal(seen.get(name), value) for name, value in recorded.items()):
        raise UserError(
            f"episode {episode.episode_id} does not replay: step {step} looks different; it was recorded with "
            f"another version or other options of the world; {hint}"
        )
