"""What encoders of equal cost learn to see: each is taught with the truth on frames of the demo's room.

    python -m benchmarks.eyes --seconds 60 --encoders nano windows convolutions
    python -m benchmarks.eyes --seconds 60 --height 72

Frames are drawn from random places in sampled rooms of the demo (3 or 4 things of 4 kinds and 4 colours, 36x48
pixels, or of another height). Every encoder, followed by one linear layer and a soft maximum over its tokens, is
taught which of the 16 combinations of colour and kind are in the picture, by Adam with the cloning's batch, learning
rate, decay and shifts of pictures. Each gets the same processor time on one thread. What is measured is on other
rooms, where exactly one thing is in view: how often the likeliest combination has its colour, and how often its kind;
chance is 25%. The 95% intervals resample rooms, and hold for this training.

Beside it stands what a whole agent with this encoder needs for an update of 192 frames, as more tokens make its
Transformer dearer, too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import torch
from torch import Tensor, nn

from agents.agent import InteractiveAgent
from agents.config import AgentConfig
from agents.networks.vision import VisionEncoder
from benchmarks.timing import options
from benchmarks.update import bare_step, synthetic_fragment
from pipelines.diagnose.eyes.network import SeenHead, eyes_loss, shifted_frames
from pipelines.presets.small import WORLD
from rlhf.run.statistics import episode_interval
from worlds.contract import SOLVER
from worlds.playhouse.physics import avatar
from worlds.playhouse.world import Playhouse

LEAST = 8  # pixels of a thing that has to be seen, of pictures of 36x48
BATCH, RATE, DECAY, SHIFT = 192, 1.5e-3, 0.3, 2  # as the demo's cloning has them
NEAR = 0.45  # metres that an eye keeps from things and walls
PER_ROOM = 24

ENCODERS: dict[str, dict[str, Any]] = {
    "nano": {},
    "windows": {"vision_stem": "windows"},
    "convolutions": {"vision_stem": "convolutions"},
    "normed": {"vision_norm": True},
    "windows, normed": {"vision_stem": "windows", "vision_norm": True},
    "convolutions, normed": {"vision_stem": "convolutions", "vision_norm": True},
    "fine": {"vision_strides": (3, 2), "vision_channels": (24, 48)},
    "fine convolutions": {
        "vision_stem": "convolutions", "vision_strides": (4, 2), "vision_channels": (32, 48), "vision_blocks": (0, 1),
    },
    "fine windows": {"vision_stem": "windows", "vision_strides": (4, 2), "vision_channels": (32, 48)},
}  # fmt: skip
LARGE: dict[str, dict[str, Any]] = {  # for pictures of 72x96, with as many tokens as "nano" has of 36x48
    "large, normed": {"vision_strides": (8, 3), "vision_norm": True},
    "large, three stages, normed": {
        "vision_strides": (4, 2, 3), "vision_channels": (16, 32, 64), "vision_blocks": (0, 1, 1), "vision_norm": True,
    },
}  # fmt: skip


@dataclass(frozen=True)
class Frames:
    """Pictures and the truth about them.

    Args:
      image: uint8 [N, height, width, 3].
      pixels: int64 [N, colours x kinds], that show things of each combination.
      room: int64 [N], the room of each.
    """

    image: np.ndarray
    pixels: np.ndarray
    room: np.ndarray

    def of(self, rows: np.ndarray) -> Frames:
        """Return some of them."""
        return Frames(self.image[rows], self.pixels[rows], self.room[rows])


def draw_frames(count: int, height: int) -> Frames:
    """Draw ``count`` frames of the demo's rooms, half of them turned towards a thing."""
    settings: dict[str, Any] = dict(WORLD.settings or {})
    world = Playhouse(height, height * 4 // 3, (SOLVER,), settings, **(WORLD.options or {}))
    colours, kinds = sorted(settings["colours"]), sorted(settings["kinds"])
    image, pixels = [], np.zeros((count, len(colours) * len(kinds)), np.int64)
    for number in range(count):
        if number % PER_ROOM == 0:
            world.reset(seed=number // PER_ROOM)
            rng = np.random.default_rng(number)
        look_around(world, rng)
        image.append(world.draw(SOLVER, world.height, world.width))
        for thing in world.things_in_view(SOLVER):
            pixels[number, colours.index(thing.colour) * len(kinds) + kinds.index(thing.kind)] += thing.pixels
    return Frames(np.stack(image), pixels, np.arange(count) // PER_ROOM)


def least(height: int) -> int:
    """Return how many pixels of a thing have to be seen in pictures of this height, for it to count as seen."""
    return round(LEAST * (height / 36) ** 2)


def look_around(world: Playhouse, rng: np.random.Generator) -> None:
    """Put the solver at a free place of the room, with a gaze in a random direction or near a thing."""
    scene, data, (room,) = world.state.scene, world.state.data, world.house.rooms
    things = np.array([world.object_position(thing.id)[:2] for thing in world.house.objects])
    while True:
        place = rng.uniform((room.x0 + NEAR, room.y0 + NEAR), (room.x1 - NEAR, room.y1 - NEAR))
        if (np.linalg.norm(things - place, axis=1) > NEAR).all():
            break
    at, player = scene.avatar_qpos[scene.agents.index(SOLVER)], world.state.players[scene.agents.index(SOLVER)]
    data.qpos[at : at + 2] = place
    yaw = rng.uniform(-np.pi, np.pi)
    if rng.random() < 0.5:
        way = things[rng.integers(len(things))] - place
        yaw = np.arctan2(way[1], way[0]) + rng.normal(0.0, 0.3)
    player[avatar.YAW], player[avatar.PITCH] = yaw, rng.uniform(-0.7, 0.1)
    mujoco.mj_forward(scene.model, data)


class Taught(nn.Module):
    """An encoder and the layer that names what is seen."""

    def __init__(self, sizes: dict[str, Any], height: int) -> None:
        super().__init__()
        self.config = AgentConfig.preset("nano", image_size=(height, height * 4 // 3), **sizes)
        self.eyes = VisionEncoder(self.config)
        self.head = SeenHead(self.config.width, 16)

    def forward(self, image: Tensor) -> Tensor:
        return self.head(self.eyes(image))


def teach(network: Taught, frames: Frames, seconds: float, seed: int) -> Iterator[tuple[float, int]]:
    """Teach ``network`` for some seconds of processor time; yield the share of them and the frames at every quarter."""
    rng = np.random.default_rng(seed)
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE, betas=(0.9, 0.99), fused=True)
    image, pixels = torch.from_numpy(frames.image), torch.from_numpy(frames.pixels)
    shift, enough = SHIFT * image.shape[1] // 36, least(image.shape[1])
    spent, updates, quarter = 0.0, 0, 1
    while spent < seconds:
        began = time.process_time()
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (1.0 - spent / seconds) / DECAY + 0.01)
        rows = torch.from_numpy(rng.integers(len(image), size=BATCH))
        loss = eyes_loss(network(shifted_frames(image[rows], shift, rng)), pixels[rows], enough)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 20.0)
        optimizer.step()
        updates += 1
        spent += time.process_time() - began
        if spent >= seconds * quarter / 4:
            yield quarter / 4, updates * BATCH
            quarter += 1


@torch.no_grad()
def measured(network: Taught, frames: Frames) -> str:
    """Return colour and kind right, with intervals over rooms, where exactly one thing is in view."""
    alone = ((frames.pixels > 0).sum(1) == 1) & (frames.pixels.max(1) >= least(frames.image.shape[1]))
    frames = frames.of(np.flatnonzero(alone))
    found = torch.cat([network(part).argmax(1) for part in torch.from_numpy(frames.image).split(1000)]).numpy()
    true, said = frames.pixels.argmax(1), ""
    _, room = np.unique(frames.room, return_inverse=True)
    number = np.bincount(room)
    for name, right in (("colour", found // 4 == true // 4), ("kind", found % 4 == true % 4)):
        own = np.bincount(room, right)
        interval = episode_interval(lambda weight, own=own: weight @ own / (weight @ number), len(number), seed=0)
        assert interval is not None
        said += f"  {name} {interval.estimate:.0%} ({interval.low:.0%} to {interval.high:.0%})"
    return f"{said}  of {len(true):,} frames"


def update_ms(config: AgentConfig, rounds: int = 7) -> float:
    """Processor time of a bare update of a whole agent on 192 frames, in milliseconds, the median."""
    torch.manual_seed(0)
    pair = (synthetic_fragment(config, 1, 48, 0), synthetic_fragment(config, 1, 48, 1))
    step, times = bare_step(InteractiveAgent(config), pair, torch.device("cpu")), []
    for _ in range(rounds):
        began = time.process_time()
        step()
        times.append(time.process_time() - began)
    return 1000 * float(np.median(times))


def main() -> None:
    arguments = options(
        __doc__,
        encoders=(None, "all of the height", {"nargs": "+", "choices": [*ENCODERS, *LARGE], "metavar": "NAME"}),
        height=(36, "of pictures, pixels; their width is 4/3 of it"),
        frames=(48_000, "a sixth of them are of rooms to measure on"),
        seconds=(20.0, "of processor time for each encoder"),
        seed=(0, "of weights and batches"),
        keep=(None, "an .npz file that keeps the frames, and their height, for the next time", Path),
    )
    torch.set_num_threads(1)
    if arguments.keep is not None and arguments.keep.exists():
        frames = Frames(**np.load(arguments.keep))
    else:
        frames = draw_frames(arguments.frames, arguments.height)
        if arguments.keep is not None:
            np.savez(arguments.keep, **vars(frames))
    others = frames.room % 6 == 5
    taught_on, measured_on = frames.of(np.flatnonzero(~others)), frames.of(np.flatnonzero(others))
    print(f"{len(taught_on.room):,} frames to learn from, seed {arguments.seed}")
    height = frames.image.shape[1]
    for name in arguments.encoders or (ENCODERS if height < 72 else LARGE):
        torch.manual_seed(arguments.seed)
        network = Taught((ENCODERS | LARGE)[name], height)
        count = sum(weight.numel() for weight in network.eyes.parameters())
        print(
            f"{name}: {count:,} parameters, {network.eyes.tokens} tokens, "
            f"{update_ms(network.config):.0f} ms an update of a whole agent",
            flush=True,
        )
        for share, seen in teach(network, taught_on, arguments.seconds, arguments.seed):
            print(
                f"  {share * arguments.seconds:4.0f} s, {seen:9,} frames seen:{measured(network, measured_on)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
