"""The player in a folder: an agent that was trained, as solver or setter, or a language model as solver."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.language_models import is_language_model
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.run.progress import announce
from worlds.contract import SETTER
from worlds.errors import UserError
from worlds.spaces.observation import PlayerSpec

if TYPE_CHECKING:
    from agents.acting import AgentSetters
    from agents.language_models.folder import LanguageModelAgent
    from rlhf.replay.play import Solvers


def open_solvers(
    world: WorldConfig,
    folder: str,
    slots: int,
    calls: Path,
    device: str = "cpu",
    seed: int = 0,
    greedy: bool = False,
    greedy_words: bool = False,
) -> Solvers:
    """Return the agent or language model in a folder as the solver of a number of slots.

    Args:
      world: in which it plays.
      folder: of the agent or language model.
      calls: file of a language model's calls.
      device: "cpu", "cuda" or "cuda:1".
      greedy: an agent always takes the likeliest action; of a language model its temperature decides.

    Raises:
      UserError: the folder holds neither, or one that does not fit the world.
    """
    if is_language_model(folder):
        from agents.language_models.calls import Calls
        from agents.language_models.folder import load_language_model, open_model
        from agents.language_models.solvers import LanguageModelSolvers

        agent, spec = load_language_model(folder), world.solver_spec()
        check_readable(spec, world.entry().name)
        _check_examples(agent, spec, folder)
        model = open_model(agent.model, device, seed)
        return LanguageModelSolvers(model, agent.prompts(spec.action), spec, Calls(agent.budget, calls), slots)
    from agents.acting import AgentSolvers
    from agents.folder import load_agent

    trained, tokenizer = load_agent(folder, device=device)
    world.check_fits(trained.config, folder)
    return AgentSolvers(trained, tokenizer, slots, seed, greedy, greedy_words)


def open_setters(world: WorldConfig, folder: str, slots: int, device: str = "cpu", seed: int = 0) -> AgentSetters:
    """Return the agent in a folder as the setter of a number of slots.

    Args:
      world: in which it plays.
      device: "cpu", "cuda" or "cuda:1".

    Raises:
      UserError: the folder holds no agent in that role, or one that does not fit the world.
    """
    from agents.acting import AgentSetters
    from agents.folder import load_agent

    agent, tokenizer = load_agent(folder, device=device, role=SETTER)
    world.check_fits(agent.config, folder, role=SETTER)
    return AgentSetters(agent, tokenizer, slots, seed)


def prompt_notes(seed: int) -> dict[str, Any]:
    """Return the notes of an episode whose setter gets the prompt that is drawn from ``seed``."""
    from annotation.session.prompts import draw

    return {"prompt": draw(seed).note()}


def calls_file(beside: Path, name: str) -> Path:
    """Return the file of a language model's calls beside results or a dataset, e.g. results.gpt.calls.jsonl.

    Args:
      beside: path of the results, without their ending, or of the dataset.
    """
    return beside.with_name(f"{beside.name}.{name.replace('/', '-').replace(':', '-')}.calls.jsonl")


@contextmanager
def summarised(solvers: Solvers) -> Iterator[None]:
    """Announce at the end what a language model's calls have cost; of other solvers nothing."""
    try:
        yield
    finally:
        calls = getattr(solvers, "calls", None)
        if calls is not None and calls.spent.calls:
            announce(f"the language model: {calls.spent}")


def check_readable(spec: PlayerSpec, world: str) -> None:
    """Refuse a world that describes nothing in words. Raises UserError."""
    if not spec.observation.texts:
        raise UserError(
            f"observations of the world {world} have no texts besides the setter's words, so a language model would "
            "see nothing; some worlds have an option, e.g. --world.name household --world.options '{\"text\": true}'"
        )


def _check_examples(agent: LanguageModelAgent, spec: PlayerSpec, folder: str) -> None:
    """Refuse examples of other actions than the world's. Raises UserError, naming the first."""
    from agents.language_models.answers import read_answer

    for example in agent.examples:
        for step in example.steps:
            if problem := read_answer(spec.action, step.done).problem:
                raise UserError(
                    f"{folder} shows the example action {step.done!r}, which this world does not have ({problem}); "
                    "make it again with examples from this world"
                )
