"""The image encoder: what each token sees, for every stem."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from agents.config import AgentConfig
from agents.networks.stem import STEMS, make_stem
from agents.networks.vision import ResidualBlock, VisionEncoder
from experiments.social_ai.film.agent import FilmConfig

NEW = ("vision_stem", "vision_norm", "vision_model", "vision_grid")  # fields that earlier agents lack


def seen(stem: str, stride: int, size: int = 24) -> torch.Tensor:
    """Pixels on which the map's place (2, 2) depends: bool [size, size]."""
    torch.manual_seed(0)
    layer = make_stem(stem, 3, 8, stride)
    for weight in layer.parameters():
        torch.nn.init.ones_(weight)  # so that no ReLU hides a pixel
    image = torch.rand(1, 3, size, size, requires_grad=True)
    layer(image)[0, :, 2, 2].sum().backward()
    assert image.grad is not None
    return image.grad[0].abs().sum(0) > 0


@pytest.mark.parametrize("stride", [1, 2, 3, 4, 6])
def test_a_patch_sees_itself_and_a_window_half_a_patch_more_on_every_side(stride: int) -> None:
    patch, begin = torch.zeros(24, 24, dtype=torch.bool), 2 * stride
    patch[begin : begin + stride, begin : begin + stride] = True
    assert seen("patches", stride).equal(patch)
    more = stride // 2
    window = torch.zeros_like(patch)
    window[begin - more : begin + stride + more, begin - more : begin + stride + more] = True
    assert seen("windows", stride).equal(window)
    reduced = seen("convolutions", stride)
    assert (reduced | ~patch).all() and (stride == 1 or reduced.sum() > patch.sum())


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("size", [(36, 48), (35, 50), (7, 7)])
def test_every_stem_has_a_place_for_every_whole_patch(stem: str, size: tuple[int, int]) -> None:
    for stride in (1, 2, 3, 4, 6):
        made = make_stem(stem, 3, 5, stride)(torch.zeros(1, 3, *size))
        assert made.shape == (1, 5, size[0] // stride, size[1] // stride)
    config = AgentConfig(image_size=size, vision_strides=(3, 2), vision_stem=stem)
    encoder = VisionEncoder(config)
    assert encoder(torch.zeros(2, *size, 3, dtype=torch.uint8)).shape == (2, encoder.tokens, config.width)


def test_a_convolutional_stem_reduces_prime_by_prime() -> None:
    layers = [layer for layer in make_stem("convolutions", 3, 32, 12).children() if isinstance(layer, torch.nn.Conv2d)]
    assert [layer.stride[0] for layer in layers] == [2, 2, 3]
    assert [layer.out_channels for layer in layers] == [8, 16, 32]


def test_a_normed_block_adds_the_same_whatever_the_scale_of_the_map() -> None:
    torch.manual_seed(0)
    block, x = ResidualBlock(8, normed=True), torch.randn(2, 8, 5, 5)
    torch.nn.init.normal_(block.second.weight)
    torch.testing.assert_close(block(10 * x) - 10 * x, block(x) - x, atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(block(x)[:1], block(x[:1]))  # frames do not affect each other


def test_the_default_encoder_has_the_weights_that_it_always_had() -> None:
    config = AgentConfig()
    names = list(VisionEncoder(config).state_dict())
    assert names[:7] == [
        "place", "body.0.weight", "body.0.bias", "body.1.first.weight", "body.1.first.bias", "body.1.second.weight",
        "body.1.second.bias",
    ]  # fmt: skip
    older = {name: value for name, value in config.to_dict().items() if not name.startswith(NEW)}
    read = AgentConfig.from_dict(older)
    assert read.vision_stem == "patches" and read.vision_norm is False and read.vision_model is None


@pytest.mark.parametrize(
    ("kind", "sizes", "message"),
    [
        (AgentConfig, {"vision_stem": "tiles"}, "vision_stem is 'tiles': it is one of patches, windows, convolutions"),
        (FilmConfig, {"vision_stem": "windows"}, "leave out vision_stem, vision_norm and vision_model"),
        (AgentConfig, {"vision_grid": (2, 0)}, "vision_grid is a number of rows"),
        (FilmConfig, {"vision_norm": True}, "leave out vision_stem, vision_norm and vision_model"),
    ],
)
def test_encoders_that_do_not_exist_are_refused(kind: type[AgentConfig], sizes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(**sizes)
