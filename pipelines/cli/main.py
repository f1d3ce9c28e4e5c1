"""The ``rlhf`` command: a table of commands, and the messages of those that fail.

Large packages are imported only after the command is known, so ``rlhf --help`` is fast. A command's settings are the
fields of its frozen configuration; ``--preset NAME`` starts from the command's function in
``pipelines/presets/NAME.py``.
"""

from __future__ import annotations

import difflib
import os
import shlex
import sys
import warnings
from collections.abc import MutableMapping, Sequence
from typing import Any

from pipelines.cli.explaining import explain
from pipelines.cli.usage import UsageError, check_paths
from pipelines.cli.verbs import Groups, Verb, installed_groups
from rlhf.run.pipes import without_pipes
from rlhf.run.stopping import Stop, Stopped, stoppable
from rlhf.run.terminal import guard_process
from worlds.errors import RunError, UserError, resume_hint, set_resume_hint

GROUPS: Groups = tuple(installed_groups())
VERBS = {verb.name: verb for _, verbs in GROUPS for verb in verbs}
_WIDEST = max(map(len, VERBS))

# The command that usually follows a step of the loop, by the step; {result} is what the step returned, {data} and the
# like are its settings.
NEXT = {
    "record": "rlhf mark --data {data}",
    "mark": "rlhf clone --data {data}",
    "clone": "rlhf reward --data {data} --agent {result}",
    "reward": "rlhf improve --data {data} --agent {agent} --reward-model {result}",
    "refine": "rlhf evaluate --agents BC={agent} refined={result}",
    "improve": "rlhf evaluate --agents BC={agent} BC+RL={result}",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
      argv: words of the command line; None reads those of the process.

    Returns:
      The exit status: 0, 1 (failed), 2 (wrong usage), 130 (stopped by SIGINT) or 143 (stopped by SIGTERM).
    """
    _wait_briefly(os.environ)
    _replace_closed_streams()
    try:
        with stoppable() as stop, without_pipes():
            return _main(argv, stop)
    except Stopped as error:  # outside of all that the command does
        return explain(error, Verb.kept)


def _wait_briefly(environment: MutableMapping[str, str]) -> None:
    """Have threads of PyTorch's operations give up their core soon when they wait for each other, on Linux.

    They spin for about a millisecond otherwise, and of two commands on the same cores either has a 30th of its speed.
    It must be set before PyTorch is imported.
    """
    if "OMP_WAIT_POLICY" not in environment:
        environment.setdefault("GOMP_SPINCOUNT", "10000")


def _replace_closed_streams() -> None:
    """Have standard streams that are closed lead nowhere. The files that are opened next would take their places."""
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it gets the lowest free number
        if getattr(sys, name) is None:
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))


def _main(argv: Sequence[str] | None, stop: Stop) -> int:
    verb = None
    try:
        guard_process()
        words = list(sys.argv[1:] if argv is None else argv)
        warnings.formatwarning = lambda message, *_: f"warning: {message}\n"
        if not words or words[0] in ("-h", "--help", "help"):
            print(help_text(), flush=True)
            return 0
        if words[0] == "--version":
            from importlib.metadata import version

            print(f"interactive-rlhf {version('interactive-rlhf')}")
            return 0
        if words[0].partition("=")[0] == "--print-completion":
            return _print_completion(words)
        verb, rest = choose(words)
        check_paths(rest)
        result = run(verb, rest)
        return result if verb.status else 0
    except SystemExit as end:  # --help of a verb
        return int(end.code or 0)
    except BaseException as error:  # foreign code may raise anything
        return explain(_stopped(stop, error), verb.kept if verb else Verb.kept)


def _stopped(stop: Stop, error: BaseException) -> BaseException:
    """Return the request to stop of which ``error`` is an effect, such as an ImportError; else ``error``."""
    if stop.number is None or isinstance(error, Stopped):
        return error
    stopped = Stopped(stop.number)
    stopped.__cause__ = error
    if (hint := resume_hint(error)) is not None:
        set_resume_hint(stopped, hint)
    return stopped


def _print_completion(words: Sequence[str]) -> int:
    """Print the completion script of a shell, for ``--print-completion bash`` or ``--print-completion=bash``."""
    from pipelines.cli import completion, settings

    shell = words[0].partition("=")[2] or "".join(words[1:2])
    flags = {}
    try:
        completion.script(shell, {})  # refuses another shell before every command is imported
        for verb in VERBS.values():
            kind, _ = verb.load()
            presets = ["--preset"] if verb.preset or verb.name in NEXT or verb.name == "evaluate" else []
            flags[verb.name] = ["--help", *presets, *(setting.flag for setting in settings.settings_of(kind))]
    except UserError as error:
        return explain(error, Verb.kept)
    print(completion.script(shell, flags), end="")
    return 0


def choose(words: Sequence[str]) -> tuple[Verb, list[str]]:
    """Return the command that ``words`` begin with, and the other words. Raises UsageError if there is none."""
    for length in (2, 1):
        verb = VERBS.get(" ".join(words[:length]))
        if verb is not None:
            return verb, list(words[length:])
    family = [name for name in VERBS if name.startswith(words[0] + " ")]
    if family and len(words) > 1 and words[1] in ("-h", "--help"):
        print(
            "\n".join(["usage: rlhf " + words[0] + " COMMAND [SETTINGS]", "", *(_line(VERBS[name]) for name in family)])
        )
        raise SystemExit(0)
    if family and len(words) == 1:
        raise UsageError(f"{words[0]} needs one of {', '.join(name.partition(' ')[2] for name in family)}")
    typed = " ".join(words[:2] if family else words[:1])
    close = difflib.get_close_matches(typed, VERBS, n=1)
    raise UsageError(f"no command {typed}; " + (f"did you mean {close[0]}?" if close else "rlhf --help lists them"))


def run(verb: Verb, words: Sequence[str]) -> Any:
    """Build the command's configuration from ``words``, call its function, and return the result."""
    from pipelines.cli import settings
    from pipelines.cli.presets import presets_of, starting_point
    from worlds.foreign_code.trust import permit

    permit(words)
    kind, function = verb.load()
    base, words = starting_point(verb.function, kind, words, verb.preset)
    about = verb.help[0].upper() + verb.help[1:] + "."
    if presets := presets_of(verb.function):
        about += f" --preset NAME starts from a preset's settings: {', '.join(presets)}, or your own FILE.py."
    config = settings.parse(kind, words, command=f"rlhf {verb.name}", default=base, about=about)
    try:
        result = function(config)
    except SystemExit as stop:  # no command of ours does so
        raise RunError(f"code that the command ran ended the program (status {stop.code})") from stop
    if verb.name in NEXT:
        settings_typed = {name: _typed(value) for name, value in vars(config).items()}
        print(f"next: {NEXT[verb.name].format(result=_typed(result), **settings_typed)}", file=sys.stderr)
    return result


def _typed(value: Any) -> str:
    """Format a setting's value as words of a command line."""
    return " ".join(map(_typed, value)) if isinstance(value, (tuple, list)) else shlex.quote(str(value))


def help_text() -> str:
    """Return the text of ``rlhf --help``."""
    lines = [
        "usage: rlhf COMMAND [--preset NAME] [--SETTING VALUE ...]",
        "",
        "Improve interactive agents from people's judgements.",
    ]
    for title, verbs in GROUPS:
        lines += ["", f"{title}:", *(_line(verb) for verb in verbs)]
    lines += [
        "",
        "rlhf COMMAND --help lists a command's settings. RLHF_DEBUG=1 shows tracebacks.",
        "rlhf --print-completion bash|zsh|fish prints a script that completes commands and settings.",
    ]
    return "\n".join(lines)


def _line(verb: Verb) -> str:
    return f"  {verb.name:<{_WIDEST + 1}}{verb.help}"


if __name__ == "__main__":
    sys.exit(main())
