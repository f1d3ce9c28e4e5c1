"""Two learners on halves of a batch are one learner on the whole of it."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch import Tensor

from agents.batch import ActionBatch, RecordedWindow
from agents.learning.workers import SINGLE_WORKER, TorchWorkers, WorkerLost, Workers
from agents.tokenizer import EOS_ID, PAD_ID
from rlhf.learning.learner import Learner, LearnerConfig
from rlhf.replay.fragment import Fragment, take
from tests.processes import Forked
from tests.unit.rlhf import tiny_agent

STEPS, SLOTS, WINDOWS, UPDATES = 5, 6, 4, 5
CONFIG = LearnerConfig(learning_rate=1e-3, entropy_weight=0.01, css_weight=3.0)


def played(number: int) -> Fragment:
    return tiny_agent.fragment(tiny_agent.agent(seed=7), STEPS, SLOTS, seed=number, off_policy=0.3)


def window(recorded: RecordedWindow, own: slice) -> RecordedWindow:
    """Recorded play in which only the first half's solvers speak, and less of the other half is demonstrated."""
    actions, demonstrated = recorded.actions, torch.ones(STEPS + 1, WINDOWS, dtype=torch.bool)
    demonstrated[1:, WINDOWS // 2] = False
    utterance = torch.full((STEPS + 1, WINDOWS, actions.utterance.shape[-1]), PAD_ID)
    utterance[2, : WINDOWS // 2] = torch.arange(3, 3 + utterance.shape[-1])
    utterance[2, : WINDOWS // 2, -1] = EOS_ID
    actions = ActionBatch(actions.movement, utterance[:, own])
    return recorded._replace(actions=actions, demonstrated=demonstrated[:, own])


def silent(fragment: Fragment) -> Fragment:
    """Return the fragment with silence in its second half."""
    utterance = fragment.utterance.copy()
    utterance[:, SLOTS // 2 :] = PAD_ID
    return Fragment(**(vars(fragment) | {"utterance": utterance}))


def learn(workers: Workers) -> tuple[Learner, list[dict[str, float]], dict[str, Tensor]]:
    """A learner after some updates, their metrics, and the gradients of the first."""
    learner = Learner(tiny_agent.agent(), CONFIG, workers=workers)
    stream = tiny_agent.recorded(STEPS + 1, WINDOWS, columns=workers.columns(WINDOWS))
    metrics, gradients = [], {}
    for number in range(UPDATES):
        fragment = take(silent(played(number)), workers.columns(SLOTS))
        metrics.append(learner.update(fragment, window(stream.next(), workers.columns(WINDOWS))))
        gradients = gradients or {name: p.grad.clone() for name, p in learner.agent.named_parameters()}
    return learner, metrics, gradients


def meet(folder: Path, rank: int, count: int) -> Workers:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", store=dist.FileStore(str(folder / "store"), count), rank=rank, world_size=count)
    return TorchWorkers()


def one_of_two(folder: Path, rank: int) -> int:
    """Run in each of two processes: all that the tests below need."""
    workers = meet(folder, rank, 2)
    learner, metrics, gradients = learn(workers)
    state = {"weights": learner.agent.state_dict(), "memory": learner.state_dict()["memory"], "gradients": gradients}
    torch.save(state, folder / f"{rank}.pt")
    message = {"metrics": metrics, "refused": refused(workers), "lost": ""}
    if rank == 0:
        try:
            while True:  # the other one is about to end
                workers.total(torch.ones(1))
        except WorkerLost as error:
            message["lost"] = str(error)
    (folder / f"{rank}.json").write_text(json.dumps(message))
    return 0


def refused(workers: Workers) -> str:
    """The error of an update of which one worker's part is not finite."""
    learner = Learner(tiny_agent.agent(), CONFIG, workers=workers)
    stream = tiny_agent.recorded(STEPS + 1, WINDOWS, columns=workers.columns(WINDOWS))
    reward = played(0).reward.copy()
    reward[1, SLOTS - 1] = np.nan
    fragment = take(Fragment(**(vars(played(0)) | {"reward": reward})), workers.columns(SLOTS))
    try:
        learner.update(fragment, stream.next())
    except FloatingPointError as error:
        same = all(torch.equal(t, tiny_agent.agent().state_dict()[n]) for n, t in learner.agent.state_dict().items())
        return str(error) if same else "but the weights have changed"
    return "nothing"


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict], list[dict]]:
    """Results of two workers, tensors and texts."""
    folder = tmp_path_factory.mktemp("workers")
    processes = [Forked(folder / f"errors-{rank}", one_of_two, folder, rank) for rank in range(2)]
    for process in processes:
        process.succeed()
    tensors = [torch.load(folder / f"{rank}.pt", weights_only=True) for rank in range(2)]
    return tensors, [json.loads((folder / f"{rank}.json").read_text()) for rank in range(2)]


def felt(name: str, weights: dict[str, Tensor]) -> Tensor:
    """The weights ``name`` without those that have no effect.

    A bias of all keys changes no attention. Its gradient is rounding alone, of which Adam makes whole steps.
    """
    if not name.endswith("qkv.bias"):
        return weights[name]
    queries, _, values = weights[name].chunk(3)
    return torch.cat([queries, values])


def test_two_learners_on_halves_are_one_on_the_whole(both: tuple[list[dict], list[dict]]) -> None:
    (first, second), message = both
    alone, metrics, gradients = learn(SINGLE_WORKER)
    before = tiny_agent.agent().state_dict()
    for name, tensor in alone.agent.state_dict().items():
        assert torch.equal(first["weights"][name], second["weights"][name]), name
        torch.testing.assert_close(felt(name, first["weights"]), felt(name, {name: tensor}), rtol=0, atol=1e-5)
    moved = [(first["weights"][name] - before[name]).abs().max() for name in gradients]
    assert float(torch.stack(moved).median()) > 1e-3  # a hundred times what they may differ by
    for name, gradient in gradients.items():
        torch.testing.assert_close(first["gradients"][name], gradient, rtol=1e-5, atol=2e-6)
    for part, whole in zip(zip(first["memory"], second["memory"], strict=True), alone._memory, strict=True):
        torch.testing.assert_close(torch.cat(part), whole, rtol=0, atol=1e-4)
    assert message[0]["metrics"] == message[1]["metrics"]
    for mine, whole in zip(message[0]["metrics"], metrics, strict=True):
        for name in mine.keys() - {"vtrace/explained"}:  # a ratio: its mean is not that of the whole
            assert math.isclose(mine[name], whole[name], rel_tol=1e-3, abs_tol=1e-4), name


def test_an_update_that_is_not_finite_for_one_worker_is_refused_by_all(both: tuple[list[dict], list[dict]]) -> None:
    for message in both[1]:
        assert "rl/value is nan" in message["refused"] and "weights are as they were" in message["refused"]


def test_a_learner_that_lost_the_other_is_reported(both: tuple[list[dict], list[dict]]) -> None:
    assert both[1][0]["lost"].startswith("another learner cannot be reached: ")


def test_columns_are_divided_evenly() -> None:
    workers = Workers()
    workers.rank, workers.count = 1, 3
    assert workers.columns(6) == slice(2, 4)
    for batch in (7, 0):
        with pytest.raises(ValueError, match=f"{batch} columns cannot be shared out evenly among 3 learners"):
            workers.columns(batch)
