"""A world of one's own: a room of coloured discs, seen from above, in which the setter says which disc to go to.

docs/own-world.md explains it. Try it with `rlhf world check examples/own_world/discs.py`.
"""

import numpy as np

from worlds.contract import SETTER, SOLVER, TaskSpec, neutral_movement, silent
from worlds.contract.requests import Goal
from worlds.contract.tick_world import TickWorld
from worlds.registry import WorldEntry, register

DISCS = {"red": (220, 50, 40), "green": (60, 170, 70), "blue": (50, 90, 220), "yellow": (235, 200, 60)}
COLOURS = DISCS | {SETTER: (90, 90, 90), SOLVER: (255, 255, 255)}
FLOOR = (200.0, 200.0, 200.0)
HELD_OUT = "yellow"  # a disc that nobody is sent to in training
ROOM, RADIUS, SPEED = 10.0, 0.8, 0.05  # metres, metres, metres a tick


class DiscRoom(TickWorld):
    """A square room; its state is where discs and players are, float64 [2] in metres by name."""

    @staticmethod
    def sample(seed, discs=4):
        rng = np.random.default_rng(seed)
        names = [SETTER, SOLVER, *rng.permutation(list(DISCS))[:discs].tolist()]
        squares = rng.permutation(25)[: len(names)].tolist()
        return {name: [2.0 * (i // 5) + 1.0, 2.0 * (i % 5) + 1.0] for name, i in zip(names, squares, strict=True)}

    def begin(self, config):
        return {name: np.array(config[name], float) for name in (*config, SETTER, SOLVER)}

    def tick(self, controls):
        for player, control in controls.items():
            moved = self.state[player] + SPEED * np.array([control.strafe, control.forward])
            self.state[player] = np.clip(moved, 0.0, ROOM)

    def draw(self, player, height, width):
        y, x = np.ogrid[ROOM : 0.0 : height * 1j, 0.0 : ROOM : width * 1j]
        distance = np.stack([np.sqrt((x - px) ** 2 + (y - py) ** 2) for px, py in self.state.values()])
        colours = np.array([COLOURS[name] for name in self.state], float)[distance.argmin(0)]
        inside = np.clip((RADIUS - distance.min(0)) * height / ROOM + 0.5, 0.0, 1.0)[..., None]  # soft edges
        return (FLOOR + inside * (colours - FLOOR)).astype(np.uint8)

    def disc_below(self):
        near = (n for n in self.state if n in DISCS and np.hypot(*(self.state[n] - self.state[SOLVER])) < RADIUS)
        return next(near, None)


class GoTo(Goal):
    def judge(self, world, utterance):
        disc = world.disc_below()
        if disc is None:
            return 0, ""
        return (1, "is at the disc") if disc == self.spec.arguments["disc"] else (-1, "is at another disc")


def probe(name, world, seed, split):
    held_out = split == "held_out"
    discs = [d for d in world.state if d in DISCS and (d == HELD_OUT) == held_out and d != world.disc_below()]
    if not discs:
        return None
    disc = str(np.random.default_rng(seed).choice(discs))
    return TaskSpec(name, f"go to the {disc} disc", {"disc": disc}, max_steps=60)


class Walker:
    """Walks to the disc that it is sent to, now and then to another."""

    def __init__(self, perfect=False, wrong=0.2):
        self.wrong = 0.0 if perfect else wrong

    def reset(self, world, seed):
        self.world, self.rng, self.heard, self.target = world, np.random.default_rng(seed), "", SOLVER

    def act(self, observation):
        if observation["setter_text"] != self.heard:
            self.heard, discs = observation["setter_text"], [name for name in self.world.state if name in DISCS]
            asked = next((disc for disc in discs if disc in self.heard), SOLVER)
            self.target = self.rng.choice(discs) if self.rng.random() < self.wrong else asked
        way = self.world.state[self.target] - self.world.state[SOLVER]
        movement = neutral_movement()
        movement[:, [1, 0]] += np.where(np.abs(way) > RADIUS / 2, np.sign(way), 0).astype(np.int8)  # strafe, forward
        return silent(movement)


register(
    WorldEntry(
        name="discs", make=DiscRoom, sample_config=DiscRoom.sample, make_solver=Walker, make_task=GoTo, probe=probe,
        probes=("go",), splits_requests=True, tier="tick-wise",
    )
)  # fmt: skip
