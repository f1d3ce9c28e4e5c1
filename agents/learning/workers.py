"""Workers: learners that share one batch, each with its own columns. Their updates are those of a single learner.

A mean over the batch has to be one over all workers' columns, and a loss that compares columns has to see all of them.
The default, :data:`SINGLE_WORKER`, has the whole batch to itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn


class WorkerLost(RuntimeError):
    """Another worker could not be reached; it reports its own error."""


class Workers:
    """Worker number ``rank`` of ``count``. This class is a single worker."""

    rank, count = 0, 1

    def columns(self, batch: int) -> slice:
        """Return this worker's share of ``batch`` columns. Raises ValueError if they cannot be shared out evenly."""
        share, left = divmod(batch, self.count)
        if left or not share:
            raise ValueError(f"{batch} columns cannot be shared out evenly among {self.count} learners")
        return slice(self.rank * share, (self.rank + 1) * share)

    def total(self, tensor: Tensor) -> Tensor:
        """Return the sum of all workers' ``tensor``; no gradient flows through it."""
        return tensor

    def side_by_side(self, tensor: Tensor) -> Tensor:
        """Return all workers' ``tensor`` [T, B, ...] along dimension 1, in their order; gradients flow back."""
        return tensor

    def average(self, parameters: Iterable[nn.Parameter], numbers: Tensor) -> Tensor:
        """Replace every gradient by the mean of all workers', and return the mean of ``numbers`` [K].

        A parameter without a gradient counts as one of 0, unless no worker has one.
        """
        return numbers

    def broadcast(self, parameters: Iterable[Tensor]) -> None:
        """Copy the first worker's parameters to all others."""


SINGLE_WORKER = Workers()


class TorchWorkers(Workers):
    """The processes of PyTorch's default process group, which has been initialised.

    All workers have to call the same methods in the same order. Sums are bit-identical for all of them, and so are the
    weights.

    Raises:
      WorkerLost: from every method, if another process is gone or does not answer in time.
    """

    def __init__(self) -> None:
        self.rank, self.count = dist.get_rank(), dist.get_world_size()
        # Gloo's collectives of tensors on a GPU are incomplete.
        self._device = torch.device("cuda" if dist.get_backend() == "nccl" else "cpu")

    def total(self, tensor: Tensor) -> Tensor:
        summed = tensor.detach().to(self._device, copy=True)
        self._together(dist.all_reduce, summed)
        return summed.to(tensor.device)

    def side_by_side(self, tensor: Tensor) -> Tensor:
        return _SideBySide.apply(tensor, self)  # type: ignore[no-any-return]

    def average(self, parameters: Iterable[nn.Parameter], numbers: Tensor) -> Tensor:
        learned = list(parameters)
        has = numbers.new_tensor([float(p.grad is not None) for p in learned])
        gradients = [(torch.zeros_like(p) if p.grad is None else p.grad).flatten() for p in learned]
        # One message for all: many small ones would mostly wait.
        summed = self.total(torch.cat([*gradients, has, numbers]))
        *parts, had, numbers = summed.split([p.numel() for p in learned] + [len(learned), len(numbers)])
        for parameter, part, somewhere in zip(learned, parts, had.tolist(), strict=True):
            parameter.grad = (part / self.count).view_as(parameter) if somewhere else None
        return numbers / self.count

    def broadcast(self, parameters: Iterable[Tensor]) -> None:
        with torch.no_grad():
            for parameter in parameters:
                ours = parameter.to(self._device)
                self._together(dist.broadcast, ours, 0)
                parameter.copy_(ours)

    def gather(self, tensor: Tensor) -> Tensor:
        """:meth:`side_by_side` without gradients."""
        ours = tensor.detach().to(self._device).contiguous()
        ours = ours.to(torch.uint8) if ours.dtype is torch.bool else ours
        parts = [torch.empty_like(ours) for _ in range(self.count)]
        self._together(dist.all_gather, parts, ours)
        return torch.cat(parts, dim=1).to(tensor.device, tensor.dtype)

    def _together(self, collective: Callable[..., Any], *arguments: Any) -> None:
        try:
            collective(*arguments)
        except RuntimeError as error:
            raise WorkerLost(f"another learner cannot be reached: {error}") from error


class _SideBySide(torch.autograd.Function):
    """The loss of every worker depends on the tensors of all, so the gradient of one is the sum over all workers."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, workers: TorchWorkers) -> Tensor:
        ctx.workers, ctx.columns = workers, tensor.shape[1]
        return workers.gather(tensor)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:  # type: ignore[override]
        begin = ctx.workers.rank * ctx.columns
        return ctx.workers.total(gradient)[:, begin : begin + ctx.columns], None
