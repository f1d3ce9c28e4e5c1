"""The runner: what it writes down is what was seen and done, and fragments continue each other."""

import copy
import io
from typing import Any

import numpy as np
import pytest
import torch

from agents.batch import map_parts
from reward_models.autoregressive import AutoregressiveRewardModel
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.scores.scoring import MeanScorer, StreamingScorer, UtilityScorer
from rlhf.learning.config import LearnerConfig
from rlhf.learning.learner import Learner
from rlhf.replay.fragment import Fragment
from rlhf.replay.runner import RewardSource, Runner, RunnerError
from rlhf.replay.setter_replay import SetterReplay
from rlhf.run.checkpoint import _check_plain, _not_finite
from tests.unit.rlhf import tiny_agent, tiny_world
from tests.unit.rlhf.tiny_world import TinyWorld, record
from worlds.foreign_code import watchdog

STEPS, SLOTS = 7, 3
AGENT, REFERENCE, TOKENIZER = tiny_agent.agent(), tiny_agent.agent(seed=1), tiny_agent.tokenizer()


@pytest.fixture(autouse=True)
def tiny():
    tiny_world.register()


def episodes():
    return [record(seed, 5 + seed, requests=((0, 3), (3, 5))) for seed in range(4)]


class BrightnessChange(RewardSource):
    """U is the mean red of the picture; it remembers the last one of every slot."""

    def __init__(self):
        self.last = None

    def rewards(self, observations, resets):
        utility = observations.image[..., 0].float().mean((-1, -2)).numpy()
        first = utility[:1] if self.last is None else self.last[None]
        change = np.diff(np.concatenate([first, utility]), axis=0)
        self.last = utility[-1]
        return np.where(resets.numpy(), 0.0, change).astype(np.float32)

    def state_dict(self):
        return {} if self.last is None else {"last": torch.from_numpy(self.last.copy())}

    def load_state_dict(self, state):
        self.last = state["last"].numpy() if state else None


def runner(
    world: Any = TinyWorld,
    rewards: Any = BrightnessChange,
    truth=False,
    recordings=None,
    reference=REFERENCE,
    **settings: Any,
) -> Runner:
    recordings = recordings or episodes()
    slots = [SetterReplay(world(), recordings[0], truth=truth) for _ in range(SLOTS)]
    settings = {"seed": 3, "steps": STEPS} | settings
    return Runner(AGENT, TOKENIZER, reference, rewards() if rewards else None, slots, recordings, **settings)


def joined(fragments: list[Fragment]) -> dict[str, np.ndarray]:
    """Return fragments in a row as one sequence, the shared rows once (with the action, which the later one has)."""
    names = [name for name, array in fragments[0].arrays().items() if name not in ("hidden", "cell")]
    return {name: np.concatenate([f.arrays()[name][:-1] for f in fragments]) for name in names}


def same(one: Fragment, other: Fragment) -> bool:
    return all(np.array_equal(array, other.arrays()[name]) for name, array in one.arrays().items())


def test_consecutive_fragments_share_a_row():
    playing = runner()
    first, second = playing.sample(), playing.sample()
    did = ("movement", "utterance", "movement_log_prob", "speak_log_prob", "words_log_prob", "hidden", "cell")
    for name in first.arrays().keys() - set(did):
        np.testing.assert_array_equal(first.arrays()[name][-1], second.arrays()[name][0], err_msg=name)
    assert not first.utterance[-1].any() and not first.speak_log_prob[-1].any()
    assert first.steps == STEPS and first.columns == SLOTS


def test_log_probs_are_those_of_the_agent_from_the_memory_it_had():
    playing = runner()
    for _ in range(3):
        fragment = playing.sample()
        tensors = fragment.to_tensors()
        with torch.no_grad():
            output, _ = AGENT(tensors.observations, tensors.state, tensors.resets)
            log_probs = AGENT.log_probs(output, tensors.actions)
        for name, value in log_probs._asdict().items():
            recorded = getattr(fragment, f"{name}_log_prob")[:-1]
            np.testing.assert_allclose(value[:-1], recorded, rtol=1e-4, atol=1e-4, err_msg=name)
    assert fragment.resets.any() and (fragment.utterance[:-1, :, 0] != 0).any()


def test_pictures_are_encoded_once_where_the_encoder_never_changes():
    each, once = (runner(reference=AGENT, frozen_vision=frozen) for frozen in (False, True))
    for _ in range(3):
        plain, fragment = each.sample(), once.sample()
        assert plain.observations.visual is None and fragment.observations.visual is not None
        for name, array in plain.arrays().items():
            np.testing.assert_allclose(fragment.arrays()[name], array, rtol=1e-5, atol=1e-5, err_msg=name)
        seen = AGENT.see(plain.to_tensors().observations).visual
        assert seen is not None
        np.testing.assert_allclose(fragment.observations.visual, seen.numpy(), rtol=1e-5, atol=1e-5)


def test_the_reference_follows_the_whole_play():
    playing = runner()
    fragments = [playing.sample() for _ in range(3)]
    whole = [f.to_tensors().observations for f in fragments]
    rows = map_parts(lambda *parts: torch.cat([part[:-1] for part in parts]), *whole)
    play = joined(fragments)
    with torch.no_grad():
        output, _ = REFERENCE(rows, REFERENCE.initial_state(SLOTS), torch.from_numpy(play["resets"]))
    np.testing.assert_allclose(output.speak_logit, play["reference_speak_logit"], rtol=1e-4, atol=1e-5)


def test_rewards_arrive_at_the_row_they_are_of():
    playing = runner()
    play = joined([playing.sample() for _ in range(4)])
    utility = play["image"][..., 0].astype(np.float32).mean((-1, -2))
    expected = np.where(play["resets"], 0.0, np.diff(utility, axis=0, prepend=utility[:1]))
    np.testing.assert_allclose(play["reward"], expected, atol=1e-4)
    assert np.abs(expected).sum() > 0


def test_every_play_is_a_faithful_replay_of_its_episode():
    recordings = episodes()
    by_first_picture = {e.image[0].tobytes(): e for e in recordings}
    playing = runner(recordings=recordings, stagger=False)
    play = joined([playing.sample() for _ in range(5)])
    begins = [np.flatnonzero(play["resets"][:, slot]) for slot in range(SLOTS)]
    plays = [(slot, *ends) for slot in range(SLOTS) for ends in zip(begins[slot][:-1], begins[slot][1:], strict=True)]
    for slot, begin, end in plays:
        episode = by_first_picture[play["image"][begin, slot].tobytes()]
        assert end - begin == len(episode) + 1  # a row with what is seen after the last action
        replay = SetterReplay(TinyWorld(), episode)
        seen, _ = replay.reset()
        for t in range(begin, end):
            row = {name: array[t, slot] for name, array in play.items()}
            np.testing.assert_array_equal(seen["image"], row["image"])
            np.testing.assert_array_equal(seen["previous_movement"], row["previous_movement"])
            np.testing.assert_array_equal(TOKENIZER.encode([seen["setter_text"]], 6)[0], row["setter_tokens"])
            assert not row["terminated"]
            said = TOKENIZER.decode(row["utterance"]) if row["utterance"][0] else ""
            if t < end - 1:
                seen = replay.step({"movement": row["movement"], "utterance": said})[0]
    assert len(plays) >= 4


class Terminating(TinyWorld):
    """Ends after three steps by its rules."""

    def step(self, actions):
        seen, rewards, no, yes, infos = super().step(actions)
        return seen, rewards, dict.fromkeys(no, self.step_index == 3), yes, infos


@pytest.mark.parametrize("terminates", [True, False])
def test_what_a_world_ends_is_terminated_and_its_last_action_is_rewarded(terminates):
    playing = runner(world=Terminating if terminates else lambda: TinyWorld(3), stagger=False, steps=9)
    play = joined([playing.sample() for _ in range(2)])
    row = np.arange(18) % 4
    np.testing.assert_array_equal(play["resets"], np.tile(row == 0, (SLOTS, 1)).T)
    np.testing.assert_array_equal(play["terminated"], np.tile((row == 3) & terminates, (SLOTS, 1)).T)
    assert play["reward"][row == 3].any() and all(result.steps == 3 for result in playing.finished())


class AlwaysOne(BrightnessChange):
    def rewards(self, observations, resets):
        return 1.0 - resets.numpy().astype(np.float32)


@pytest.mark.parametrize("terminates", [False, True])
def test_a_time_limit_is_no_end_of_the_rewards(terminates):
    """One a step for ever is worth 1 / (1 - 0.8) = 5, so an agent that expects 5 has nothing to learn from replays."""
    agent = copy.deepcopy(AGENT)
    with torch.no_grad():
        agent.value[-1].weight.zero_()
        agent.value[-1].bias.fill_(5.0)
    recordings = [record(seed, 4 + seed) for seed in range(3)]
    playing = runner(Terminating if terminates else TinyWorld, AlwaysOne, recordings=recordings, steps=16)
    metrics = Learner(agent, LearnerConfig(discount=0.8)).update(playing.sample())
    assert (metrics["vtrace/target"], metrics["rl/value"]) == (pytest.approx(5), pytest.approx(0)) or terminates
    assert metrics["vtrace/target"] < 4 or not terminates


class Overwriting(TinyWorld):
    """A camera that hands out its one frame buffer."""

    def _observe(self):
        observations = super()._observe()
        for observation in observations.values():
            observation["image"] = self._frame
        return observations


@pytest.mark.parametrize(
    ("settings", "alike"), [({"threads": 2}, True), ({"world": Overwriting}, True), ({"seed": 4}, False)], ids=str
)
def test_play_depends_on_the_seed_and_on_neither_threads_nor_frame_buffers(settings, alike):
    one, other = runner(), runner(**settings)
    assert all(same(one.sample(), other.sample()) == alike for _ in range(3))
    other.close()


def test_first_results_are_of_the_plays_with_which_slots_began():
    recordings = [record(0, 12), record(1, 4), record(2, 5)]
    playing = runner(recordings=recordings, stagger=False, steps=13)
    fresh = playing.state_dict()
    for _ in range(2):  # whatever was played before
        playing.load_state_dict(fresh)
        resets = playing.sample().resets
        ended = [int(np.flatnonzero(resets[1:, slot])[0]) for slot in range(SLOTS)]
        assert {slot: result.steps for slot, result in playing.finished_first().items()} == dict(enumerate(ended))
        assert len(playing.finished()) > SLOTS, "slots with short recordings have begun others"


def test_the_players_weights_are_its_own():
    learned = copy.deepcopy(AGENT)
    playing = runner()
    untouched = runner()
    with torch.no_grad():
        for parameter in learned.parameters():
            parameter.add_(0.3)
    assert same(playing.sample(), untouched.sample())
    playing.set_weights(learned.state_dict())
    with torch.no_grad():
        for parameter in learned.parameters():
            parameter.zero_()
    assert not same(playing.sample(), untouched.sample())
    assert np.isfinite(playing.sample().movement_log_prob).all()


def on_disk(state: dict[str, Any]) -> dict[str, Any]:
    """``state`` written and read as checkpoints do."""
    _check_plain(state, "state")
    buffer = io.BytesIO()
    torch.save(state, buffer)
    buffer.seek(0)
    read = torch.load(buffer, weights_only=True)
    assert _not_finite(read, "state") is None
    return read


IBT, AR = InterTemporalRewardModel.from_agent(AGENT), AutoregressiveRewardModel.from_agent(AGENT)
SOURCES: dict[str, Any] = {
    "ibt": lambda: StreamingScorer(IBT, SLOTS),
    "utility": lambda: UtilityScorer(IBT, SLOTS),
    "ar drawn": lambda: StreamingScorer(AR, SLOTS, seed=5),
    "ar expected": lambda: StreamingScorer(AR, SLOTS, expected=True),
    "mean": lambda: MeanScorer([StreamingScorer(IBT, SLOTS), StreamingScorer(AR, SLOTS, seed=6)]),
    "scripted": None,
}


@pytest.mark.parametrize("rewards", SOURCES.values(), ids=SOURCES.keys())
@pytest.mark.parametrize(("before", "settings"), [(0, {}), (3, {"threads": 2})])
def test_a_resumed_runner_plays_what_it_would_have_played(rewards, before, settings):
    with torch.no_grad():  # marks that are drawn are rare in a new model
        AR.annotate.expect(torch.full((3,), 1 / 3))
    playing, resumed = (runner(rewards=rewards, truth=True, seed=seed, **settings) for seed in (3, 8))
    for _ in range(before):
        playing.sample()
    resumed.load_state_dict(on_disk(playing.state_dict()))
    seen = []
    for _ in range(3):
        fragment = playing.sample()
        assert same(fragment, resumed.sample())
        seen.append(fragment.reward)
    finished = playing.finished()
    assert finished == resumed.finished() and finished
    assert np.any(seen)


class Drifting(TinyWorld):
    """Looks otherwise at every step of the process."""

    steps = 0

    def _observe(self):
        Drifting.steps += 1
        observations = super()._observe()
        observations["solver"]["image"][0, 0, 0] = Drifting.steps % 251
        return observations


def test_a_play_that_cannot_be_rebuilt_exactly_is_named():
    playing, resumed = runner(world=Drifting), runner(world=Drifting)
    playing.sample()
    state = playing.state_dict()
    with pytest.raises(RunnerError, match=r"slot 0: the \d steps of episode tiny-\d .* another observation.*drop_play"):
        resumed.load_state_dict(state)
    resumed.load_state_dict(state, plays=False)
    assert resumed.sample().resets[0].all()


class Spoilt(BrightnessChange):
    """Gives slot 1 a wrong reward in one row."""

    def __init__(self, row, value):
        super().__init__()
        self.row, self.value = row, value

    def rewards(self, observations, resets):
        rewards = super().rewards(observations, resets)
        rewards[self.row, 1] = self.value
        return rewards


@pytest.mark.parametrize(
    ("row", "value", "message"), [(3, np.nan, "reward of slot 1 is nan at row 3"), (0, 1.0, "first step")]
)
def test_rewards_that_cannot_be_are_refused(row, value, message):
    with pytest.raises(RunnerError, match=message):
        runner(rewards=lambda: Spoilt(row, value)).sample()


class Failing(TinyWorld):
    """Fails at step 3 always, at some steps and resets now and then, or hangs in its third play."""

    def __init__(self, how):
        super().__init__()
        self.how, self.begun = how, 0

    def reset(self, *arguments, **options):
        self.begun += 1
        if self.how == "now and then" and self.begun % 7 == 0:
            raise KeyError("no such door")
        return super().reset(*arguments, **options)

    def step(self, actions):
        if self.how == "always" and self.step_index == 3:
            raise ValueError("the floor gave way")
        while self.how == "hangs" and self.begun == 3 and self.step_index == 2:
            pass
        observations, *rest = super().step(actions)
        if self.how == "now and then" and self.begun % 4 == 3 and self.step_index == 2:
            observations["solver"]["image"] = observations["solver"]["image"] / 255
        return observations, *rest


@pytest.mark.parametrize("threads", [1, 2])
def test_a_world_that_always_fails_is_named(threads):
    playing = runner(world=lambda: Failing("always"), threads=threads)
    with pytest.raises(RunnerError, match=r"slot \d, step 3 of episode tiny-\d: ValueError: the floor gave way"):
        for _ in range(4):
            playing.sample()


@pytest.mark.parametrize(
    ("how", "settings", "words"),
    [
        ("now and then", {}, ("step 1 of episode tiny-", "image is float64", "step 0 of", "KeyError: 'no such door'")),
        ("hangs", {"step_limit_sec": 1.0}, ("world 'tiny' fails at step 2 of episode tiny-", "no answer within 1 s")),
    ],
)
def test_a_play_whose_world_fails_or_hangs_is_ended_and_another_begins(capsys, monkeypatch, how, settings, words):
    monkeypatch.setattr(watchdog, "LOOK_EVERY_SEC", 0.02)
    playing = runner(world=lambda: Failing(how), threads=2, **settings)
    fragments = [playing.sample() for _ in range(8)]
    shown = capsys.readouterr().err
    assert all(word in shown for word in words)
    assert shown.count("the play is ended and counts for nothing, and another begins") == len(shown.splitlines())
    results = playing.finished()
    assert results and all(result.steps > 2 for result in results)
    assert all(np.isfinite(fragment.reward).all() for fragment in fragments)
