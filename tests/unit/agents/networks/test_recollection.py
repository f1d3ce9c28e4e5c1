"""The best glimpse since the words were said: against a search of all earlier steps, and in windows as in one go."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from agents.agent import InteractiveAgent
from agents.batch import ObservationBatch
from agents.config import AgentConfig
from agents.networks.memory import AgentState
from agents.networks.recollection import Recollection, apart, recollect, request_numbers, together

STEPS, COLUMNS, WIDTH = 40, 6, 4


@pytest.fixture
def seen() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Glimpses [T, B, D], scores, words' numbers and resets [T, B]."""
    drawn = torch.Generator().manual_seed(0)
    request = torch.randint(1, 3, (STEPS // 8, COLUMNS), generator=drawn).repeat_interleave(8, 0).float()
    resets = torch.rand(STEPS, COLUMNS, generator=drawn) < 0.05
    return (
        torch.randn(STEPS, COLUMNS, WIDTH, generator=drawn), torch.randn(STEPS, COLUMNS, generator=drawn),
        request, resets,
    )  # fmt: skip


def empty() -> Recollection:
    return Recollection(torch.zeros(COLUMNS, WIDTH), torch.zeros(COLUMNS), torch.zeros(COLUMNS))


def test_it_is_the_best_of_the_steps_with_the_same_words(seen: tuple[Tensor, Tensor, Tensor, Tensor]) -> None:
    glimpse, score, request, resets = seen
    found = recollect(glimpse, score, request, empty(), resets)
    for column in range(COLUMNS):
        for step in range(STEPS):
            begin = step
            while begin and request[begin - 1, column] == request[step, column] and not resets[begin, column]:
                begin -= 1
            best = max(range(begin, step + 1), key=lambda i: score[i, column].item())
            assert found.score[step, column] == score[best, column]
            assert torch.equal(found.glimpse[step, column], glimpse[best, column])


def test_windows_give_the_same_as_all_steps_at_once(seen: tuple[Tensor, Tensor, Tensor, Tensor]) -> None:
    glimpse, score, request, resets = seen
    whole, past, parts = recollect(glimpse, score, request, empty(), resets), empty(), []
    memory = AgentState(torch.randn(COLUMNS, 8), torch.randn(COLUMNS, 8))
    for begin in range(0, STEPS, 5):
        window = slice(begin, begin + 5)
        parts.append(recollect(glimpse[window], score[window], request[window], past, resets[window]))
        kept, past = apart(together(memory, parts[-1]), 8)
        assert all(map(torch.equal, kept, memory)), "the LSTM's own memory is kept as it is"
    assert all(torch.equal(torch.cat(columns), x) for columns, x in zip(zip(*parts, strict=True), whole, strict=True))


def test_the_same_words_have_the_same_number_and_others_another() -> None:
    tokens = torch.tensor([[5, 6, 0], [5, 6, 0], [6, 5, 0], [5, 6, 7], [0, 0, 0]])
    numbers = request_numbers(tokens).tolist()
    assert numbers[0] == numbers[1] and len(set(numbers)) == 4 and min(numbers) >= 1
    drawn = torch.randint(0, 512, (2000, 12), generator=torch.Generator().manual_seed(0))
    numbers = request_numbers(drawn)
    assert len(numbers.unique()) >= 1998 and torch.equal(numbers, numbers.round()) and numbers.max() < 2**24


def test_an_agent_recalls_what_is_out_of_view_until_it_is_asked_something_else() -> None:
    torch.manual_seed(0)
    agent = InteractiveAgent(AgentConfig.preset("nano", glimpse=True, recall=True)).eval()
    pictures = torch.randint(0, 256, (2, 36, 48, 3), dtype=torch.uint8)
    asked, changed = torch.tensor([5, 6] + 8 * [0]), torch.tensor([7, 8] + 8 * [0])

    def shown(*steps: tuple[Tensor, Tensor]) -> Tensor:
        """What answers are drawn by after steps of a picture and words."""
        observations = ObservationBatch(
            image=torch.stack([picture for picture, _ in steps])[:, None],
            setter_tokens=torch.stack([words for _, words in steps])[:, None],
            solver_tokens=torch.zeros(len(steps), 1, agent.config.solver_text_length, dtype=torch.long),
            previous_movement=torch.from_numpy(agent.config.columns.rest).long().expand(len(steps), 1, 1, -1),
        )
        with torch.no_grad():
            output, _ = agent(observations, agent.initial_state(1), torch.zeros(len(steps), 1, dtype=torch.bool))
        assert output.glimpsed is not None
        return output.glimpsed[-1, 0]

    first, second = ((picture, asked) for picture in pictures)
    alone = {0: shown(first), 1: shown(second)}
    kept = [shown(first, second), shown(second, first)]
    assert not torch.allclose(alone[0], alone[1], atol=1e-3)
    better = 0 if torch.allclose(kept[0], alone[0], atol=1e-5) else 1
    assert all(torch.allclose(x, alone[better], atol=1e-5) for x in kept), "the better one, whichever came first"
    for picture in pictures:
        then = shown((pictures[better], asked), (picture, changed))
        assert torch.allclose(then, shown((picture, changed)), atol=1e-5), "other words begin anew"


def test_recalling_needs_a_glimpse() -> None:
    with pytest.raises(ValueError, match="set glimpse, too"):
        AgentConfig.preset("nano", recall=True)
