"""What a person remembers and can choose, and the network that chooses."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from experiments.watch_and_help.policies.choosing import goal_view
from experiments.watch_and_help.policies.errand import CANDIDATES, GRABBING, PUTTING, Errand, Option
from experiments.watch_and_help.policies.memory import Memory
from experiments.watch_and_help.policies.network import CandidatePolicy, PolicyConfig, View, stack
from tests.unit.worlds.household.small_home import ROW, SmallWays, small_home
from worlds.household.observing.senses import visible
from worlds.household.rules import apply
from worlds.household.rules.joint import WAITING
from worlds.household.state.vocabulary import Condition, Held, Verb
from worlds.household.tasks.predicates import parse

SETTER = ROW["setter"]
OPTIONS = len(Option)


def test_what_is_hidden_is_not_known_and_what_is_not_there_any_more_is_forgotten() -> None:
    home, state = small_home()
    memory = Memory(home, SETTER)
    memory.update(state)
    assert memory.known[ROW["plate"]] and not memory.known[ROW["apple"]] and not memory.known[ROW["book"]]
    errand = Errand(home, SETTER, memory, parse("holds_apple_character"))
    assert errand.wanted().tolist() == [ROW["apple 2"]]  # the other one is in the closed fridge

    state.room[SETTER] = ROW["livingroom"]  # while it is away, the table is cleared
    memory.update(state)
    assert memory.known[ROW["plate"]]
    for name in ("plate", "apple 2"):
        state.parent[ROW[name]], state.held[ROW[name]] = ROW["solver"], Held.RIGHT_HAND
    state.room[[ROW["plate"], ROW["apple 2"]]] = ROW["livingroom"]
    state.room[SETTER] = ROW["kitchen"]
    memory.update(state)
    memory.update(state)  # what lay on the plate is doubted a step later
    assert not memory.known[ROW["plate"]] and not errand.wanted().size


@pytest.mark.parametrize("text", ["inside_apple_fridge", "on_book_coffeetable", "on_plate_sofa"])
def test_choices_do_not_depend_on_what_is_hidden(text: str) -> None:
    home, state = small_home()
    other = state.copy()
    hidden = ~visible(home, state, SETTER)
    hidden[list(home.persons)] = False
    assert hidden.sum() > 5
    other.centre[hidden] += 3.0
    other.conditions[hidden] ^= int(Condition.OPEN | Condition.CLOSED)
    other.held[hidden & (state.room != state.room[SETTER])] = Held.ON  # in the own room it would come into view
    views: list[View] = []
    for each in (state, other):
        memory = Memory(home, SETTER)
        memory.update(each)
        goal = [(parse(text), 1), (parse("inside_plate_microwave"), 2)]
        views += [Errand(home, SETTER, memory, parse(text)).view(each, (*GRABBING, *PUTTING))]
        views += [goal_view(home, SETTER, memory, each, goal)]
    for one, two in zip(views[:2], views[2:], strict=True):
        for before, after in zip(one, two, strict=True):
            assert np.array_equal(before, after)


@pytest.mark.parametrize("text", ["inside_apple_fridge", "on_book_kitchentable", "inside_plate_microwave"])
def test_what_the_mask_allows_succeeds_whatever_was_chosen_before(text: str) -> None:
    home, state = small_home()
    ways, memory, rng = SmallWays(home, state), Memory(home, SETTER), np.random.default_rng(0)
    errand = Errand(home, SETTER, memory, parse(text))
    memory.update(state)
    done: dict[Verb, int] = {}
    for _ in range(150):
        options = (*GRABBING, *PUTTING)[:6] if errand.has() < 0 else PUTTING
        view = errand.view(state, tuple(each for each in options if each != Option.FETCH))
        assert view.mask.any() and not view.mask[~view.present].any()
        errand.begin(rng.choice(np.flatnonzero(view.mask)))
        while True:
            act = errand.act(state)
            why = apply(home, state, ways, (act, WAITING))[0]  # type: ignore[arg-type]
            memory.update(state)
            if act[0] != Verb.WALK_TOWARDS:
                assert not why or why.startswith("there is no free place")
                done[Verb(act[0])] = done.get(Verb(act[0]), 0) + (not why)
            if not errand.goes_on(state, why):
                break
    assert done.get(Verb.GRAB) and done.get(Verb.PUT_IN, 0) + done.get(Verb.PUT_ON, 0)
    assert state.conditions[ROW["fridge"]] & Condition.OPEN or "fridge" not in text


def some_view(rng: np.random.Generator) -> View:
    """A view of the small home in the middle of an errand, with some options masked out."""
    home, state = small_home()
    memory = Memory(home, SETTER)
    memory.update(state)
    view = Errand(home, SETTER, memory, parse("inside_apple_fridge")).view(state, GRABBING)
    drop = rng.random(view.mask.shape) < 0.3
    drop[0] = False
    mask = view.mask & ~drop
    mask[0, Option.WAIT] = not mask.any()
    return view._replace(mask=mask)


def test_masked_choices_have_no_probability_no_gradient_and_are_never_drawn() -> None:
    rng = np.random.default_rng(1)
    torch.manual_seed(0)
    policy = CandidatePolicy(PolicyConfig(width=16), CANDIDATES, OPTIONS)
    batch = stack([some_view(rng) for _ in range(4)])
    tensors = [torch.from_numpy(each) for each in batch]
    log_probs, values = policy(*tensors)
    legal = torch.from_numpy(batch.mask).flatten(1)
    assert values.shape == (4,)
    assert log_probs.exp()[~legal].max() == 0.0
    assert torch.allclose(log_probs.exp().sum(1), torch.ones(4))
    only = torch.zeros_like(legal)
    only[:, int(legal[0].nonzero()[0])] = True
    torch.where(only & ~legal, log_probs, torch.zeros(())).sum().backward()
    for _ in range(50):
        chosen, log_prob = policy.choose(batch, rng)
        assert batch.mask.reshape(4, -1)[np.arange(4), chosen].all()
        assert np.allclose(log_prob, log_probs.detach().numpy()[np.arange(4), chosen], atol=1e-5)


def test_the_order_of_candidates_does_not_matter() -> None:
    rng = np.random.default_rng(2)
    torch.manual_seed(0)
    policy = CandidatePolicy(PolicyConfig(width=16), CANDIDATES, OPTIONS)
    view = some_view(rng)
    order = rng.permutation(len(view.present))
    moved = View(*(each[order] for each in view))
    straight, mixed = (policy(*(torch.from_numpy(each)[None] for each in one)) for one in (view, moved))
    assert torch.allclose(straight[0].view(-1, OPTIONS)[order], mixed[0].view(-1, OPTIONS), atol=1e-4)
    assert torch.allclose(straight[1], mixed[1], atol=1e-5)
