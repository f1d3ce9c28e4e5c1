"""LeRobot datasets that another program wrote, as episodes of the recorded tier.

Every frame is a step of one tick. The action is continuous components with the bounds of ``meta/stats.json``, widened
by what is there; states are the vector; the pictures of one camera are the image; tasks and interjections are what the
setter says. Frames of an intervention are a co-pilot's.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from PIL import Image as Picture

from pipelines.exchange.arrow_columns import to_numpy, to_texts
from pipelines.exchange.formats import Imported
from pipelines.exchange.lerobot.arrow import files_of
from pipelines.exchange.lerobot.films import Films
from pipelines.exchange.lerobot.layout import ACTION, EVENTS, INTERVENTION, NUMBERED, STATE, STATS, Feature
from pipelines.exchange.lerobot.reader import Place, Source
from pipelines.exchange.lerobot.tasks import Tasks
from pipelines.exchange.lerobot.words import said
from pipelines.exchange.pictures import NOT_PLAIN, plain_mode
from pipelines.exchange.settings import LeRobotImport
from pipelines.exchange.source_files import read_json
from rlhf.records.episode import AGENT, CO_PILOT, Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import ParquetStore
from worlds.errors import UserError
from worlds.spaces.action import ActionSpec, Continuous, FreeText
from worlds.spaces.names import check_names
from worlds.spaces.observation import Image, ObservationSpec, PlayerSpec, Vector

REWARD = "next.reward"
REWARDS = "rewards"  # in the notes of an episode: the environment's own, one a step; for evaluation only
_STATES = (STATE, "observation.environment_state")
_MOST_CHARS = 4096  # of an utterance


def import_foreign(source: Source, store: ParquetStore, settings: LeRobotImport) -> Imported:
    """Write the episodes of ``source`` into the empty ``store``.

    Raises UserError if it has no actions or nothing to observe, or a camera has to be chosen; or a file is damaged.
    """
    plan = _plan(source, settings)
    films = Films(source, plan.camera, settings.tolerance_sec) if plan.camera and plan.film else None
    others, silent = list[int](), list[bool]()

    def read(place: Place) -> Episode:
        episode, left_out = _episode(source, plan, place, films)
        others.append(left_out)
        silent.append(not any(text.strip() for text in episode.setter_text))
        return episode

    reads = ((place.name, partial(read, place)) for place in source.episodes)
    steps = source.bad.write_all(store, reads, len(source.episodes))
    return Imported(len(store), steps, notes=tuple(_notes(source, plan, films, sum(others), sum(silent))))


@dataclass(frozen=True)
class _Plan:
    """The reading of a dataset.

    Args:
      tasks: what the episodes ask for; None where the feature ``asked`` says it.
      asked: feature of texts that the episodes ask for; None without.
      states: features of the vector, in order.
      camera: feature of the pictures; None without.
    """

    spaces: EpisodeSpaces
    world: str
    solver: str
    columns: tuple[str, ...]
    tasks: Tasks | None
    asked: str | None
    states: tuple[str, ...]
    camera: str | None
    film: bool
    pixels: tuple[int, int]
    name: str


def _plan(source: Source, settings: LeRobotImport) -> _Plan:
    """Return how ``source`` is understood. Raises UserError if it is not."""
    features, path = source.features, source.folder
    if ACTION not in features:
        raise UserError(f"{path} declares no {ACTION}; it has {', '.join(features)}")
    states, camera = _states(source, settings), _camera(source, settings)
    if not states and camera is None:
        raise UserError(f"{path} has neither pictures nor states, so there is nothing to observe")
    pixels = (0, 0) if camera is None else _size(features[camera])[:2]
    image = None if camera is None else Image(settings.height or pixels[0], settings.width or pixels[1])
    length = sum(int(np.prod(features[name].shape)) for name in states)
    names = tuple(part for name in states for part in features[name].names or ())
    vector = Vector(length, names if len(names) == length else ()) if states else None
    speech = FreeText(_MOST_CHARS)
    action = ActionSpec(tuple(_components(source)), tick_sec=1 / source.rate, speech=speech)
    solver = PlayerSpec(ObservationSpec(image, vector=vector), action)
    film = camera is not None and features[camera].dtype == "video"
    columns = [ACTION, *states] + ([camera] if camera and not film else [])
    columns += [name for name in (EVENTS, INTERVENTION, REWARD) if name in features]
    named = settings.instruction_column
    asked = named if named is not None and named in features and features[named].dtype == "string" else None
    columns += [asked] if asked else []
    return _Plan(
        EpisodeSpaces(solver, ActionSpec((), speech=speech)),
        settings.world or source.robot or "lerobot",
        settings.solver,
        tuple(columns),
        None if asked else Tasks.read(source.folder, named),
        asked,
        states,
        camera,
        film,
        pixels,
        source.folder.resolve().name,
    )


def _states(source: Source, settings: LeRobotImport) -> tuple[str, ...]:
    """Features of the vector. Raises UserError if one that is named is not there."""
    for name in settings.state:
        if name not in source.features or source.features[name].dtype in ("string", "image", "video", "language"):
            raise UserError(f"{source.folder} has no numbers {name}; it has {', '.join(source.features)}")
    return settings.state or tuple(name for name in _STATES if name in source.features)[:1]


def _camera(source: Source, settings: LeRobotImport) -> str | None:
    """Feature of the pictures. Raises UserError if there are several and none is named, or another one."""
    pictured = [name for name, feature in source.features.items() if feature.dtype in ("image", "video")]
    cameras = [name for name in pictured if name not in source.depth_maps and _size(source.features[name])[2] in (1, 3)]
    if settings.camera == "none" or (settings.camera is None and not cameras):
        return None
    if settings.camera is None and len(cameras) > 1:
        raise UserError(
            f"{source.folder} has several cameras, {', '.join(cameras)}; name one with --lerobot.camera, or none"
        )
    if settings.camera is not None and settings.camera not in cameras:
        raise UserError(f"{source.folder} has no camera {settings.camera}; it has {', '.join(cameras) or 'none'}")
    return settings.camera or cameras[0]


def _size(feature: Feature) -> tuple[int, int, int]:
    """(height, width, channels) of pictures, which some programs declare with the channels first; zeros of others."""
    if len(feature.shape) != 3:
        return (0, 0, 0)
    first, second, third = feature.shape
    return (second, third, first) if third not in (1, 3) and first in (1, 3) else (first, second, third)


def _components(source: Source) -> Iterator[Continuous]:
    """Yield a component for each number of an action. Raises UserError if an action is not finite."""
    feature = source.features[ACTION]
    size = int(np.prod(feature.shape))
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    for place in source.episodes:
        values = source.bad.read(place.name, partial(_actions, source, place))
        if values is not None:
            low, high = np.minimum(low, values.min(axis=0)), np.maximum(high, values.max(axis=0))
    source.bad.check_some(source.folder)
    known = _bounds(source, size)
    low, high = np.minimum(low, known[0]), np.maximum(high, known[1])
    names = feature.names or ()
    try:
        check_names("an action", "components", names, ValueError)
    except ValueError:
        names = ()
    for number in range(size):
        name = names[number] if names else f"action {number}"
        least, most = float(low[number]), float(high[number])
        if least == most:  # a component has some range
            least, most = least - 1, most + 1
        yield Continuous(name, least, most, min(max(0.0, least), most))


def _actions(source: Source, place: Place) -> np.ndarray:
    """Return the actions of an episode: float32 [T, numbers]."""
    return _numbers(source, place, source.rows(place, [ACTION]), ACTION).reshape(place.steps, -1)


def _bounds(source: Source, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of actions in ``meta/stats.json``; none where it has none."""
    path = source.folder / STATS
    try:
        found = read_json(path, "")[ACTION]
        low, high = (np.asarray(found[key], np.float32).reshape(-1) for key in ("min", "max"))
        if low.shape == high.shape == (size,) and np.isfinite(low).all() and np.isfinite(high).all():
            return low, high
    except (UserError, KeyError, OverflowError, TypeError, ValueError):
        pass
    return np.full(size, np.inf), np.full(size, -np.inf)


def _episode(source: Source, plan: _Plan, place: Place, films: Films | None) -> tuple[Episode, int]:
    """Return an episode, and how many events of language are left out."""
    steps, rows = place.steps, source.rows(place, plan.columns)
    tasks = _tasks(source, plan, place, rows)
    interjected, spoken, left_out = [""] * steps, [""] * steps, 0
    if EVENTS in plan.columns:
        with source.explained(place, EVENTS):
            interjected, spoken, left_out = said(rows[EVENTS].to_pylist())
    controller = np.full(steps, AGENT, np.uint8)
    if INTERVENTION in plan.columns:
        taken = _numbers(source, place, rows, INTERVENTION).reshape(steps, -1).any(axis=1)
        controller[taken] = CO_PILOT
    pictures = None if plan.camera is None else _pictures(source, plan, place, rows, films)
    vector = [_numbers(source, place, rows, name).reshape(steps, -1) for name in plan.states]
    notes = {"lerobot_episode": place.number}
    if REWARD in plan.columns:
        notes |= {REWARDS: _numbers(source, place, rows, REWARD).reshape(steps).tolist()}
    with source.explained(place, "its steps"):
        episode = Episode(
            episode_id=f"{plan.name}-{place.number:06d}",
            world=plan.world,
            config={},
            setter="instruction",
            solver=plan.solver,
            image=pictures,
            setter_text=tasks,
            solver_text=_last_said(spoken),
            movement=np.zeros((steps, 1, 0), np.int8),
            utterance=tuple(text[:_MOST_CHARS] for text in spoken),
            setter_movement=np.zeros((steps, 1, 0), np.int8),
            setter_utterance=tuple(text[:_MOST_CHARS] for text in _asked(tasks, interjected)),
            controller=controller,
            continuous=_numbers(source, place, rows, ACTION).reshape(steps, 1, -1),
            spaces=plan.spaces,
            seen={"vector": np.concatenate(vector, axis=1)} if vector else {},
            notes=notes,
        )
    return episode, left_out


def _asked(tasks: Sequence[str], interjected: Sequence[str]) -> Iterator[str]:
    """Yield what the setter says at each frame: interjections, and every new task that was not just interjected."""
    task, last = "", ""
    for text, words in zip(tasks, interjected, strict=True):
        yield " ".join(filter(None, [text if text not in (task, last, words) else "", words]))
        task, last = text, words or (last if text in (task, last) else "")


def _last_said(spoken: Sequence[str]) -> tuple[str, ...]:
    """Return what had last been said before each step; "" before the first word."""
    texts, last = [], ""
    for text in spoken:
        texts.append(last)
        last = text or last
    return tuple(texts)


def _numbers(source: Source, place: Place, rows: pa.Table, name: str) -> np.ndarray:
    """Finite numbers float32 [T, *shape] of an episode's column. Raises UserError if they are not."""
    with source.explained(place, name):
        values = to_numpy(rows[name], source.features[name].shape).astype(np.float32)
        if not np.isfinite(values).all():
            raise ValueError("a number is not finite")
        return values


def _tasks(source: Source, plan: _Plan, place: Place, rows: pa.Table) -> tuple[str, ...]:
    """Return what is asked for at each frame of an episode."""
    if plan.tasks is not None:
        return plan.tasks.of(source.task_numbers(place, rows), place.name)
    assert plan.asked is not None
    with source.explained(place, plan.asked):
        return to_texts(rows[plan.asked])


def _pictures(source: Source, plan: _Plan, place: Place, rows: pa.Table, films: Films | None) -> np.ndarray:
    """Return the pictures of an episode in the size of the spaces: uint8 [T, height, width, 3]."""
    assert plan.camera is not None
    with source.explained(place, plan.camera):
        if films is None:
            return _drawn(files_of(rows[plan.camera]), plan)
        frames = films.read(place)
        if frames.shape[1:3] != plan.pixels:
            raise ValueError(f"its film has {_times(*frames.shape[1:3])} pixels, not {_times(*plan.pixels)}")
        return np.stack([_sized(Picture.fromarray(frame), plan) for frame in frames])


def _drawn(files: Sequence[bytes], plan: _Plan) -> np.ndarray:
    """Pictures of files: uint8 [T, height, width, 3]. Raises ValueError if one cannot be read."""
    frames = []
    for number, file in enumerate(files):
        try:
            with Picture.open(io.BytesIO(file), formats=("PNG", "JPEG")) as picture:
                if (picture.height, picture.width) != plan.pixels:
                    size = _times(picture.height, picture.width)
                    raise ValueError(f"the picture of frame {number} has {size} pixels, not {_times(*plan.pixels)}")
                if plain_mode(picture, file) is None:
                    raise ValueError(f"the picture of frame {number} {NOT_PLAIN}")
                frames.append(_sized(picture.convert("RGB"), plan))
        except (OSError, SyntaxError, Picture.DecompressionBombError) as error:
            raise ValueError(f"the picture of frame {number} is damaged, or too large") from error
    return np.stack(frames)


def _times(height: int, width: int) -> str:
    return f"{height}x{width}"


def _sized(picture: Picture.Image, plan: _Plan) -> np.ndarray:
    """``picture`` in the size of the spaces, uint8 [height, width, 3]."""
    image: Any = plan.spaces.solver.observation.image
    size = (image.width, image.height)
    return np.asarray(picture if picture.size == size else picture.resize(size, Picture.Resampling.BOX))


def _notes(source: Source, plan: _Plan, films: Films | None, others: int, silent: int) -> Iterator[str]:
    yield from () if plan.tasks is None else plan.tasks.notes()
    if silent:
        yield f"what is asked for is empty in {silent} episode{'s' * (silent > 1)}"
    known = {*plan.columns, *NUMBERED} | ({plan.camera} if plan.camera else set())
    left_out = [name for name in source.features if name not in known]
    if left_out:
        yield f"left out: {', '.join(left_out)}"
    if others:
        yield f"left out: {others} language events that are neither interjections nor spoken words"
    if films is not None:
        yield from films.notes()
        yield "pictures come from video, which has lost details"
