"""The first stage of the image encoder: three ways from pixels to a map, all with a place for every whole patch.

``patches`` are cut side by side, as in a vision Transformer. ``windows`` overlap: each place sees its patch and half a
patch on all sides of it. ``convolutions`` reduce the picture prime by prime in overlapping convolutions (Xiao et al.,
2021, "Early convolutions help Transformers see better"), so a stride of 4 is two of stride 2.
"""

from __future__ import annotations

from typing import Literal, get_args

from torch import nn

Stem = Literal["patches", "windows", "convolutions"]
STEMS: tuple[str, ...] = get_args(Stem)


def make_stem(kind: str, channels: int, width: int, stride: int) -> nn.Module:
    """Return a module from a picture [N, channels, H, W] to a map [N, width, H // stride, W // stride].

    Args:
      kind: one of ``STEMS``.
      stride: side of a patch, in pixels.

    Raises:
      ValueError: there is no such stem.
    """
    if kind == "patches":
        return nn.Conv2d(channels, width, stride, stride)
    if kind == "windows":
        return _window(channels, width, stride)
    if kind == "convolutions":
        layers: list[nn.Module] = []
        factors = _prime_factors(stride)
        for left in range(len(factors), 0, -1):
            own = max(1, width >> (left - 1))  # narrow where the map is large
            layers += [_window(channels, own, factors[-left]), nn.ReLU()]
            channels = own
        return nn.Sequential(*layers[:-1])  # what follows begins with a ReLU of its own
    raise ValueError(f"vision_stem is {kind!r}: it is one of {', '.join(STEMS)}")


def _window(channels: int, width: int, stride: int) -> nn.Conv2d:
    """A convolution whose places see half a patch on all sides of their own, in the patches' number and order."""
    margin = stride // 2
    return nn.Conv2d(channels, width, stride + 2 * margin, stride, margin)


def _prime_factors(number: int) -> list[int]:
    """Prime factors, smallest first; [1] of 1."""
    factors, factor = [], 2
    while number > 1:
        while number % factor == 0:
            factors.append(factor)
            number //= factor
        factor += 1
    return factors or [1]
