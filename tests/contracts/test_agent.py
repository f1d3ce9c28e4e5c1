"""Contract of agents, for every size: memory, probabilities and folder."""

from __future__ import annotations

import copy
import inspect
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from agents import registry
from agents.agent import AgentOutput, AgentState, InteractiveAgent
from agents.batch import ActionBatch, ObservationBatch, map_parts
from agents.config import AgentConfig
from agents.folder import load_agent, save_agent
from agents.tokenizer import EOS_ID, PAD_ID, Tokenizer
from agents.utterances import decode_utterance
from rlhf.records.spaces import of_the_playhouse
from tests.unit.agents import made_up_play, own_agent  # noqa: F401  (registers an agent from outside)
from tests.unit.agents.example_spaces import SPACES, batch
from worlds.spaces.action import FreeText
from worlds.spaces.description import to_json

# Every registered kind in its smallest size: the others differ from it in widths and depth only.
KINDS = [f"{kind}/{registry.get(kind).config_class.preset_names()[0]}" for kind in registry.names()]
KINDS += [f"nano in {name}" for name in SPACES] + [f"film_agent/small in {name}" for name in ("grid", "school")]
SIZES: dict[str, dict[str, Any]] = {
    "two layers and windows": {"layers": 2, "vision_stem": "windows", "vision_norm": True},
    "convolutions": {"vision_stem": "convolutions", "vision_strides": (3, 2), "vision_channels": (16, 32)},
    "a glimpse": {"glimpse": True},
}
KINDS += [f"nano with {name}" for name in SIZES]
assert "patch_agent/small" in KINDS, "an agent from outside is among them"
STEPS, COLUMNS = 5, 2
HEADS = ("features", "value", "speak_logit", "vision", "language")


@pytest.fixture(scope="module", params=KINDS)
def agent(request: pytest.FixtureRequest) -> InteractiveAgent:
    kind, _, sizes = request.param.partition(" with ")
    kind, _, spaces = kind.partition(" in ")
    declared: dict[str, Any] = {}
    if spaces:
        declared = {"spaces": to_json(SPACES[spaces]), "feels_movement": spaces != "grid" and kind == "nano"}
    return made_up_play.agent(kind, **declared, **SIZES.get(sizes, {}))


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(["lift the red ball", "yes"], made_up_play.VOCABULARY)


@pytest.fixture
def play(agent: InteractiveAgent) -> tuple[ObservationBatch, ActionBatch]:
    return batch(agent.config, STEPS, COLUMNS)


def cut(batch: ObservationBatch, steps: slice, columns: slice = slice(None)) -> ObservationBatch:
    return map_parts(lambda part: part[steps, columns], batch)


def same(one: AgentOutput, other: AgentOutput, where: tuple[slice, slice] = (slice(None), slice(None))) -> None:
    for name in HEADS:
        torch.testing.assert_close(
            getattr(one, name)[where], getattr(other, name), atol=1e-5, rtol=1e-4, msg=lambda m, n=name: f"{n}: {m}"
        )


def resets_in_the_middle() -> Tensor:
    resets = torch.zeros(STEPS, COLUMNS, dtype=torch.bool)
    resets[2, 0] = resets[4, 1] = True
    return resets


@torch.no_grad()
def test_a_sequence_is_the_same_as_its_steps_one_by_one(agent: InteractiveAgent, play) -> None:
    observations, resets = play[0], resets_in_the_middle()
    torch.manual_seed(1)
    begin = AgentState(*(torch.randn(COLUMNS, agent.config.memory_width) for _ in range(2)))
    state = begin
    whole, end = agent(observations, begin, resets)
    for t in range(STEPS):
        one, state = agent(cut(observations, slice(t, t + 1)), state, resets[t : t + 1])
        same(whole, one, (slice(t, t + 1), slice(None)))
    torch.testing.assert_close(end, state, atol=1e-5, rtol=1e-4)


@torch.no_grad()
def test_memory_lasts_until_an_episode_begins_and_no_longer(agent: InteractiveAgent, play) -> None:
    observations, resets = play[0], resets_in_the_middle()
    stale = AgentState(*(torch.full((COLUMNS, agent.config.memory_width), 3.0) for _ in range(2)))
    whole, _ = agent(observations, stale, resets)
    empty, _ = agent(observations, agent.initial_state(COLUMNS), resets)
    for column, begin in ((0, 2), (1, 4)):
        steps, columns = slice(begin, STEPS), slice(column, column + 1)
        unbroken = torch.zeros(STEPS - begin, 1, dtype=torch.bool)
        alone, _ = agent(cut(observations, steps, columns), agent.initial_state(1), unbroken)
        same(whole, alone, (steps, columns))
        before = whole.features[:begin, column], empty.features[:begin, column]
        assert not torch.isclose(*before, atol=1e-6).all(-1).any()


@torch.no_grad()
def test_trajectories_of_a_batch_do_not_affect_each_other(agent: InteractiveAgent, play) -> None:
    observations, resets = play[0], torch.zeros(STEPS, COLUMNS, dtype=torch.bool)
    before, _ = agent(observations, agent.initial_state(COLUMNS), resets)
    others = batch(agent.config, STEPS, COLUMNS, seed=1)[0]
    mixed = map_parts(lambda own, other: torch.cat([own[:, :1], other[:, 1:]], dim=1), observations, others)
    after, _ = agent(mixed, agent.initial_state(COLUMNS), resets)
    torch.testing.assert_close(before.features[:, 0], after.features[:, 0], atol=1e-5, rtol=1e-4)
    assert not torch.allclose(before.features[:, 1], after.features[:, 1], atol=1e-3)


def test_reported_log_probs_are_those_that_learning_sees(agent: InteractiveAgent) -> None:
    observations, _ = batch(agent.config, 1, 24)
    resets, generator = torch.ones(1, 24, dtype=torch.bool), torch.Generator().manual_seed(0)
    actions, reported, output, _ = agent.act(observations, agent.initial_state(24), resets, generator)
    spoke = actions.utterance[..., 0] != PAD_ID
    assert agent.language is None or (spoke.any() and not spoke.all())  # or only half of it would be tested
    with torch.no_grad():
        again, _ = agent(observations, agent.initial_state(24), resets)
        learned = agent.log_probs(again, actions)
        assert agent.log_probs_and_entropy(again, actions)[0].movement.equal(learned.movement)
    for name in learned._fields:
        torch.testing.assert_close(getattr(reported, name), getattr(learned, name), atol=1e-4, rtol=0)
    assert (learned.words[~spoke] == 0).all() and (learned.words[spoke] < 0).all()
    chance = torch.sigmoid(output.speak_logit)
    torch.testing.assert_close(learned.speak.exp(), torch.where(spoke, chance, 1 - chance), atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(learned.language, learned.speak + learned.words)


def test_actions_are_in_the_action_space_of_the_world(agent: InteractiveAgent) -> None:
    observations, _ = batch(agent.config, 1, 24)
    actions, *_ = agent.act(observations, agent.initial_state(24), torch.ones(1, 24, dtype=torch.bool))
    columns, spec = agent.config.columns, agent.config.player.action
    assert actions.movement.shape == (1, 24, columns.ticks, len(columns.counts))
    assert actions.movement.numpy().dtype == columns.dtype
    movement, continuous = columns.decode(actions.movement[0].numpy())
    count = observations.entity_count
    words = Tokenizer.train(["lift the red ball"], made_up_play.VOCABULARY)
    for row, utterance in enumerate(actions.utterance[0].tolist()):
        said = decode_utterance(utterance, words, agent.config) if any(utterance) else ""
        done = {"movement": movement[row], "utterance": said}
        done |= {} if continuous is None else {"continuous": continuous[row]}
        spec.check(done, None if count is None else int(count[0, row]))
        if any(utterance) and isinstance(spec.speech, FreeText):
            end = utterance.index(EOS_ID)
            assert end > 0 and min(utterance[:end]) > EOS_ID and not any(utterance[end + 1 :])


def test_illegal_actions_are_never_chosen_and_have_no_probability(agent: InteractiveAgent) -> None:
    observations, done = batch(agent.config, 1, 24)
    if observations.legal is None:
        pytest.skip("all actions are legal in these spaces")
    legal, counts = observations.legal[0], agent.config.player.action.counts
    resets = torch.ones(1, 24, dtype=torch.bool)
    actions, *_ = agent.act(observations, agent.initial_state(24), resets)
    with torch.no_grad():
        output, _ = agent(observations, agent.initial_state(24), resets)
        chances = agent.movement.distributions(output.features, output.before, done.movement, output.choices)[0].exp()
    torch.testing.assert_close(chances.sum(-1), torch.ones_like(chances[..., 0]), atol=1e-5, rtol=0)
    for column, (begin, count) in enumerate(zip(counts.cumsum() - counts, counts, strict=True)):
        allowed = legal[:, begin : begin + count]
        assert allowed.gather(1, actions.movement[0, :, :, column].long()).all()
        assert (chances[:, :, column, :count].masked_select(~allowed.unsqueeze(1)) == 0).all()


@torch.no_grad()
def test_the_order_of_entities_does_not_matter(agent: InteractiveAgent) -> None:
    observations, done = batch(agent.config, 1, 6)
    if observations.entity_values is None or observations.entity_count is None:
        pytest.skip("no entities in these spaces")
    order = torch.arange(observations.entity_values.shape[2]).repeat(6, 1)
    for row, count in enumerate(observations.entity_count[0].tolist()):
        order[row, :count] = order[row, :count].flip(0)
    shuffled, moved = {}, done.movement.clone()
    for name in ("entity_categories", "entity_values"):
        part = getattr(observations, name)
        shuffled[name] = part.gather(2, order[None, :, :, None].expand_as(part))
    for column in agent.config.columns.pointers.nonzero()[0].tolist():
        place = torch.nn.functional.pad(order.argsort(1) + 1, (1, 0))
        moved[0, :, :, column] = place.gather(1, done.movement[0, :, :, column].long()).to(moved.dtype)
    resets, state = torch.ones(1, 6, dtype=torch.bool), agent.initial_state(6)
    open_to_all = observations._replace(legal=torch.ones_like(observations.legal))
    one, _ = agent(open_to_all, state, resets)
    other, _ = agent(open_to_all._replace(**shuffled), state, resets)
    torch.testing.assert_close(one.features, other.features, atol=1e-5, rtol=1e-4)
    before, after = (agent.log_probs(o, done._replace(movement=m)) for o, m in ((one, done.movement), (other, moved)))
    torch.testing.assert_close(before.movement, after.movement, atol=1e-4, rtol=1e-4)


def test_one_batch_is_overfitted(agent: InteractiveAgent) -> None:
    if of_the_playhouse(agent.config.player):
        pytest.skip("tests/unit/agents/learning has this for the Playhouse")
    pupil = copy.deepcopy(agent)
    observations, done = batch(agent.config, 4, 3)
    resets = torch.zeros(4, 3, dtype=torch.bool)
    optimizer = torch.optim.Adam(pupil.parameters(), 1e-3)
    learned = 0.1 * len(agent.config.columns.counts) * agent.config.columns.ticks
    for _ in range(240):
        log_probs = pupil.log_probs(pupil(observations, pupil.initial_state(3), resets)[0], done)
        loss = -(log_probs.movement + log_probs.language).mean()
        if loss.item() < learned:
            return
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    raise AssertionError(f"the loss is still {loss.item()}")


def test_the_seed_decides_and_greed_needs_none(agent: InteractiveAgent) -> None:
    observations, _ = batch(agent.config, 1, 32)
    state, resets = agent.initial_state(32), torch.ones(1, 32, dtype=torch.bool)

    def act(seed: int, **how: bool) -> ActionBatch:
        torch.manual_seed(seed + 100)  # the global generator must not matter
        return agent.act(observations, state, resets, torch.Generator().manual_seed(seed), **how)[0]

    one, again, other = act(0), act(0), act(1)
    assert one.movement.equal(again.movement) and one.utterance.equal(again.utterance)
    assert not one.movement.equal(other.movement)
    greedy, again = act(0, greedy=True), act(1, greedy=True)
    assert greedy.movement.equal(again.movement) and greedy.utterance.equal(again.utterance)
    words, others = act(0, greedy_words=True), act(1, greedy_words=True)  # movements are left to chance
    both = (words.utterance[..., 0] != PAD_ID) & (others.utterance[..., 0] != PAD_ID)
    assert words.utterance[both].equal(others.utterance[both])
    assert words.movement.equal(one.movement) and not words.movement.equal(others.movement)


@torch.no_grad()
def test_the_folder_gives_back_the_very_same_agent(agent: InteractiveAgent, tokenizer, play, tmp_path: Path) -> None:
    save_agent(agent, tokenizer, tmp_path / "agent")
    loaded, words = load_agent(tmp_path / "agent")
    assert not loaded.training and type(loaded) is type(agent) and type(loaded.config) is type(agent.config)
    assert words.encode(["lift the red ball"], 8).tolist() == tokenizer.encode(["lift the red ball"], 8).tolist()
    for name in inspect.signature(AgentConfig.__init__).parameters.keys() - {"self", "kwargs"}:
        assert getattr(loaded.config, name) == getattr(agent.config, name), name
    by_transformers = type(agent).from_pretrained(tmp_path / "agent").eval()
    by_transformers.save_pretrained(tmp_path / "again")
    again = type(agent).from_pretrained(tmp_path / "again")
    own = agent.state_dict()
    for weights in (loaded.state_dict(), by_transformers.state_dict(), again.state_dict()):
        assert own.keys() == weights.keys() and all(own[name].equal(weights[name]) for name in own)
    expected, output, other = (
        each(play[0], each.initial_state(COLUMNS), resets_in_the_middle())[0]
        for each in (agent, loaded, by_transformers)
    )
    assert all(getattr(output, name).equal(getattr(expected, name)) for name in HEADS)
    same(expected, other)  # where weights lie in memory decides which kernel multiplies them


def test_everything_learns(agent: InteractiveAgent, play) -> None:
    output, _ = agent(play[0], agent.initial_state(COLUMNS), resets_in_the_middle())
    log_probs = agent.log_probs(output, play[1])
    log_odds = agent.discriminator(output.vision, output.language, output.seen)
    (log_probs.movement.sum() + log_probs.language.sum() + output.value.sum() + log_odds.sum()).backward()
    idle = {name for name, weight in agent.named_parameters() if weight.grad is None}
    agent.zero_grad(set_to_none=True)
    assert not idle


def test_shapes_that_disagree_are_refused(agent: InteractiveAgent, play) -> None:
    with pytest.raises(ValueError, match="do not agree"):
        agent(play[0], agent.initial_state(COLUMNS + 1), resets_in_the_middle())
    with pytest.raises(ValueError, match="do not agree"):
        agent(play[0], agent.initial_state(COLUMNS), resets_in_the_middle()[1:])
