"""A world in spaces of its own (docs/own-world.md): a shelf, an arm, and words that say which thing to take."""

import numpy as np

from worlds.contract import SOLVER
from worlds.instructed_world import InstructedWorld
from worlds.registry import register
from worlds.spaces import ActionSpec, Category, Discrete, Entities, ObservationSpec, PlayerSpec, Pointer

COLOURS, KINDS, THINGS = ("red", "green", "blue"), ("cup", "plate", "spoon"), 6
REACH, STEP = 0.2, 0.5  # the shelf is 2 wide


class Shelf(InstructedWorld):
    instructions = [f"take the {word} {kind}" for kind in KINDS for word in (*COLOURS, "left", "right")]
    held_out = ("take the red cup", "take the green plate", "take the left spoon")
    solver_spec = PlayerSpec(
        ObservationSpec(entities=Entities(THINGS, (Category("colour", 3), Category("kind", 3)), ("x",), ("x",))),
        ActionSpec((Discrete("verb", ("wait", "go", "take")), Pointer("thing", THINGS))),
    )

    @staticmethod
    def sample(seed):
        rng = np.random.default_rng(seed)
        names, x = rng.integers(3, size=(THINGS, 2)), np.sort(rng.uniform(-1, 1, THINGS))
        return {"names": names.tolist(), "x": x.tolist()}

    def begin(self, config):
        return {"names": np.int16(config["names"]), "x": np.float32(config["x"]), "taken": ()}

    def play(self, actions):
        (verb, pointer), state = actions[SOLVER]["movement"][0], self.state
        state["taken"], row = (), pointer - 1
        if pointer and verb == 1:  # x is seen from the arm
            state["x"] = state["x"] - np.clip(state["x"][row], -STEP, STEP)
        elif pointer and verb == 2 and abs(state["x"][row]) < REACH:
            state["taken"] = tuple(words for words in self.instructions if row in self.meant(words))
            state |= {key: np.delete(state[key], row, axis=0) for key in ("names", "x")}

    def see(self, player):
        return {"entity_categories": self.state["names"], "entity_values": self.state["x"][:, None]}

    def meant(self, words):  # the rows of all red cups, or of the cup that is farthest to the left
        word, kind = words.split()[-2:]
        fits = [kind == KINDS[k] and word in ("left", "right", COLOURS[c]) for c, k in self.state["names"]]
        return np.flatnonzero(fits)[{"left": slice(1), "right": slice(-1, None)}.get(word, slice(None))]

    def advise(self, words):
        rows, action = self.meant(words), self.solver_spec.action.silent()
        if len(rows):
            action["movement"][0] = 2 if abs(self.state["x"][rows[0]]) < REACH else 1, rows[0] + 1
        return action if len(rows) and not self.state["taken"] else None

    def judge(self, words, utterance):
        taken = self.state["taken"]
        return (0, "") if not taken else (1, "took it") if words in taken else (-1, "took another thing")


register(Shelf.entry("shelf", tier="exact"))
