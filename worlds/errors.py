"""Errors whose messages are written for people. Imports nothing heavy."""

from __future__ import annotations

import errno
import importlib.util
import os
import re
from collections.abc import Iterator


class UserError(Exception):
    """Bad input. The message is one line that names the file or setting and the fix; the command line
    prints it without a traceback and exits with a non-zero status."""


class RunError(RuntimeError):
    """A run that has failed. The message says what failed and where; the command line prints it as one line."""


def check_utf8(path: object) -> None:
    """Check a path that is written into text, or opened by a library that takes no other names."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise UserError(f"the name of {path} is not in UTF-8; rename it") from None


# Of C0 all but tab and line feed, DEL, C1, line separators of Unicode, and what overrides the direction of writing.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Return ``text`` with control characters as escapes, e.g. the six characters ``\\u001b``, as JSON has them."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield ``error`` and its causes, one after another."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def disk_is_full(error: BaseException) -> bool:
    """Return True if a full disk, quota or limit caused ``error``. Libraries wrap it; some keep only its text."""
    texts = ("No space left on device", "os error 28", "disk is full", "PytorchStreamWriter failed writing")
    return any(
        (isinstance(link, OSError) and link.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
        or any(text in str(link) for text in texts)
        for link in chain(error)
    )


def device_is_full(error: BaseException) -> bool:
    """Return True if a GPU without free memory caused ``error``: by the class's name, as PyTorch is slow to import.

    Ray's errors have the name of the class that they pass on in theirs, and one of its own is about other memory.
    """
    return any(
        any(name in type(link).__name__ for name in ("OutOfMemoryError", "AcceleratorError"))
        and "CUDA" in str(link)
        and "out of memory" in str(link)
        for link in chain(error)
    )


_HINT = "_resume_hint"


def set_resume_hint(error: BaseException, hint: str) -> None:
    """Note on ``error`` how to resume the run that it ended; an enclosing run overwrites the note.

    Args:
      hint: what is kept and the command that resumes, e.g. "resume with: rlhf clone --resume runs/clone".
    """
    setattr(error, _HINT, hint)


def resume_hint(error: BaseException) -> str | None:
    """Return the note of :func:`set_resume_hint` on ``error``; None without one."""
    return getattr(error, _HINT, None)


_LONGEST = 300  # characters of a foreign error's own message
_PACKAGES = {  # that are installed under another name than they are imported by
    "Box2D": "box2d", "OpenGL": "pyopengl", "PIL": "pillow", "cv2": "opencv-python", "pygame": "pygame-ce",
    "sklearn": "scikit-learn", "yaml": "pyyaml",
}  # fmt: skip
_NO_SCREEN = re.compile("OpenGL platform library|gladLoadGL|GLFW library is not initialized")


def described(error: BaseException) -> str:
    """Return the class and the message of an error of others in one line, with the remedy where it is known."""
    message = " ".join(str(error).split())[:_LONGEST]
    return (f"{type(error).__name__}: {message}" if message else type(error).__name__) + _remedy(error)


def _remedy(error: BaseException) -> str:
    package = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if package and importlib.util.find_spec(package) is None:
        return f"; pip install {_PACKAGES.get(package, package.replace('_', '-'))}"
    return "; set MUJOCO_GL=egl, which draws without a screen" if _NO_SCREEN.search(str(error)) else ""


def shows_tracebacks() -> bool:
    """Return True if errors are raised with their tracebacks instead of being reported in one line: RLHF_DEBUG=1."""
    return os.environ.get("RLHF_DEBUG", "") not in ("", "0")
