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


def test_a_normed_block_adds_the_same_whatever_the_scale_of_the_map() -> None:
    torch.manual_seed(0)
    block, x = ResidualBlock(8, normed=True), torch.randn(2, 8, 5, 5)
    torch.nn.init.normal_(block.second.weight)
    torch.testing.assert_close(block(10 * x) - 10 * x, block(x) - x, atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(block(x)[:1], block(x[:1]))  # frames do not affect each other


def test_agents_of_earlier_versions_have_the_default_encoder() -> None:
    older = {name: value for name, value in AgentConfig().to_dict().items() if not name.startswith(NEW)}
    read = AgentConfig.from_dict(older)
    assert read.vision_stem == "patches" and read.vision_norm is False and read.vision_model is None


@pytest.mark.parametrize("sizes", [{"vision_stem": "windows"}, {"vision_norm": True}])
def test_other_encoders_than_film_has_are_refused(sizes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="leave out vision_stem, vision_norm and vision_model"):
        FilmConfig(**sizes)
