"""The memory: an LSTM that is cleared where an episode begins (paper, A.4).

It is computed step by step, which gives the same bits whatever else is in the batch, or in one call of the library's
LSTM (cuDNN's on a GPU), where the time of T small steps would go into starting kernels.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from agents.batch import send

# It recommends to lay the weights out again after every update, which costs what it saves.
warnings.filterwarnings("ignore", message="RNN module weights are not part of single contiguous chunk of memory")


class AgentState(NamedTuple):
    """The LSTM's memory, one row an environment."""

    hidden: Tensor  # float [B, memory_width]
    cell: Tensor  # float [B, memory_width]


class Stretches(NamedTuple):
    """The steps [T, B] as S stretches without a reset inside, the longest first, packed step after step.

    Place p of the packed order is step s of some stretch: first the first steps of all, then the second steps of those
    that have one, and so on.
    """

    place: np.ndarray  # int64 [T, B], place of every step in the packed order
    sizes: np.ndarray  # int64 [longest], how many stretches have an s-th step
    first: np.ndarray  # int64 [B], number of each column's first stretch
    last: np.ndarray  # int64 [B], number of each column's last stretch

    @property
    def count(self) -> int:
        """S."""
        return int(self.sizes[0])


def stretches(resets: np.ndarray) -> Stretches:
    """Return the stretches of ``resets`` bool [T, B]: one begins at every reset and at the first step."""
    steps, columns = resets.shape
    begins = resets.T.copy()  # column after column
    begins[:, 0] = True
    starts = np.flatnonzero(begins)
    lengths = np.diff(starts, append=steps * columns)
    longest_first = np.argsort(-lengths, kind="stable")
    number = np.empty_like(longest_first)
    number[longest_first] = np.arange(len(starts))
    sizes = len(starts) - np.searchsorted(np.sort(lengths), np.arange(lengths.max()), side="right")
    before = np.cumsum(sizes) - sizes  # places taken by earlier steps
    which = np.cumsum(begins.reshape(-1)) - 1  # the stretch of every step
    step = np.arange(steps * columns) - starts[which]
    place = (before[step] + number[which]).reshape(columns, steps).T
    of_column = number[which].reshape(columns, steps)
    return Stretches(np.ascontiguousarray(place), sizes, of_column[:, 0], of_column[:, -1])


class ResettingLSTM(nn.Module):
    """An LSTM over [T, B, D] whose memory is cleared before every step that ``resets`` [T, B] marks."""

    def __init__(self, width: int, memory_width: int) -> None:
        super().__init__()
        self.input = nn.Linear(width, 4 * memory_width)
        self.recurrent = nn.Linear(memory_width, 4 * memory_width, bias=False)
        nn.init.orthogonal_(self.recurrent.weight)
        with torch.no_grad():  # remember by default
            self.input.bias[memory_width : 2 * memory_width].fill_(1.0)

    def forward(self, x: Tensor, state: AgentState, resets: Tensor) -> tuple[Tensor, AgentState]:
        """Return the output after each step, and the memory after the last.

        Args:
          x: [T, B, width].
          state: memory before the first step.
          resets: bool [T, B], steps before which the memory is cleared.

        Returns:
          Outputs [T, B, memory_width], and the memory.
        """
        return self.fused(x, state, resets) if x.is_cuda and len(x) > 1 else self.stepped(x, state, resets)

    def stepped(self, x: Tensor, state: AgentState, resets: Tensor) -> tuple[Tensor, AgentState]:
        """:meth:`forward`, one step after the other."""
        gates_from_input = self.input(x)  # all steps at once; only the recurrence is sequential
        keep = (~resets).to(x.dtype).unsqueeze(-1)
        hidden, cell = state
        outputs = []
        for t in range(x.shape[0]):
            hidden, cell = hidden * keep[t], cell * keep[t]
            i, f, g, o = (gates_from_input[t] + self.recurrent(hidden)).chunk(4, dim=-1)
            cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
            hidden = torch.sigmoid(o) * torch.tanh(cell)
            outputs.append(hidden)
        return torch.stack(outputs), AgentState(hidden, cell)

    def fused(self, x: Tensor, state: AgentState, resets: Tensor) -> tuple[Tensor, AgentState]:
        """:meth:`forward` in one call: every stretch between resets is a sequence of its own, beginning empty.

        In float32, whatever the rest is computed in: cuDNN's LSTM has no bfloat16 here, and rounding would add up over
        an episode. (As in convolutions, cuDNN's float32 is TF32 unless ``torch.backends.cudnn.allow_tf32`` is off.)
        """
        plan = stretches(resets.cpu().numpy())  # waits for the resets, once a window
        place, first, last = (send(part, x.device) for part in (plan.place, plan.first, plan.last))
        place = place.view(-1)
        packed = torch.empty_like(place).index_copy_(0, place, torch.arange(len(place), device=x.device))
        with torch.autocast(x.device.type, enabled=False):
            keep = (~resets[0]).to(torch.float32).unsqueeze(-1)
            empty = keep.new_zeros(plan.count, state.hidden.shape[1])
            begin = [empty.index_copy(0, first, part.float() * keep).unsqueeze(0) for part in state]
            bias = self.input.bias
            weights = [self.input.weight, self.recurrent.weight, bias, torch.zeros_like(bias)]
            steps = x.float().flatten(0, 1).index_select(0, packed)
            training = torch.is_grad_enabled()  # keeps what the gradient needs
            out, hidden, cell = torch.lstm(
                steps, torch.from_numpy(plan.sizes), begin, weights, True, 1, 0.0, training, False
            )
        out = out.index_select(0, place).unflatten(0, resets.shape)
        return out, AgentState(hidden[0, last], cell[0, last])
