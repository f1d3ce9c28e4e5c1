# MuJoCo's package builds its names at import from compiled modules, which type checkers cannot see into.
from typing import Any

def __getattr__(name: str) -> Any: ...
