"""Two agents' clips as one animated picture, on the same clock."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, features

from pipelines.report.data import Clip, ComparedClips

SPEED = 2.0  # times real time
HOLD_STEPS = 8  # pause at the end before the clip repeats
WIDTH = 288  # of one clip in pixels, about
LONGEST = 240  # frames; longer clips are thinned out evenly
GAP = 12


def animate(pair: ComparedClips) -> tuple[bytes, str]:
    """Animate both clips side by side, enlarged by nearest neighbour, at SPEED times real time.

    The clip that ends first stays on its last frame.

    Returns the file and its media type.
    """
    steps = max(pair.left.shape[0], pair.right.shape[0]) + HOLD_STEPS
    stride = -(-steps // LONGEST)
    left, right = _enlarged(pair.left), _enlarged(pair.right)
    frames = [_beside(left, right, step) for step in range(0, steps, stride)]
    milliseconds = round(1000 * stride / (pair.left.steps_per_second * SPEED))
    kind = "webp" if features.check("webp") else "png"
    file = io.BytesIO()
    options = {"lossless": True, "quality": 60, "method": 4, "minimize_size": False} if kind == "webp" else {}
    frames[0].save(
        file, kind.upper(), save_all=True, append_images=frames[1:], duration=milliseconds, loop=0, **options
    )
    return file.getvalue(), f"image/{kind}"


def _enlarged(clip: Clip) -> np.ndarray:
    """Frames with every pixel repeated so that the picture is about WIDTH wide: uint8 [T, H * n, W * n, 3]."""
    times = max(1, round(WIDTH / clip.shape[2]))
    return clip.frames.repeat(times, axis=1).repeat(times, axis=2)


def _beside(left: np.ndarray, right: np.ndarray, step: int) -> Image.Image:
    """Frames of both at ``step``, or their last ones, with a transparent gap between them."""
    pictures = [Image.fromarray(frames[min(step, len(frames) - 1)]) for frames in (left, right)]
    height = max(picture.height for picture in pictures)
    canvas = Image.new("RGBA", (pictures[0].width + GAP + pictures[1].width, height))
    canvas.paste(pictures[0], (0, 0))
    canvas.paste(pictures[1], (pictures[0].width + GAP, 0))
    return canvas
