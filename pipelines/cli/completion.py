"""`rlhf --print-completion bash|zsh|fish`: a script that completes commands, settings and file names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipelines.cli.usage import UsageError

SHELLS = ("bash", "zsh", "fish")

_BASH = """\
_rlhf() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} first=${{COMP_WORDS[1]}} found=""
  local both="$first ${{COMP_WORDS[2]}}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    found="{first}"
  else
    case "$first" in
{families}
    esac
    [ "$COMP_CWORD" -gt 2 ] && found=""
    case "$current" in -*)
      case "$both" in
{settings}
      esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}}
complete -o default -F _rlhf rlhf
"""


def script(shell: str, flags: Mapping[str, Sequence[str]]) -> str:
    """Return the completion script for a shell.

    Args:
      shell: "bash", "zsh" or "fish".
      flags: the flags of every command, by its name, which is one word or two.

    Raises:
      UsageError: for another shell.
    """
    if shell not in SHELLS:
        raise UsageError(f"--print-completion is one of {', '.join(SHELLS)}, not {shell}")
    families: dict[str, list[str]] = {}
    for name in flags:
        first, _, second = name.partition(" ")
        families.setdefault(first, []).extend([second] if second else [])
    if shell == "fish":
        return _fish(families, flags)
    bash = _BASH.format(
        first=" ".join(families),
        families="\n".join(f'      {first}) found="{" ".join(seconds)}" ;;' for first, seconds in families.items()),
        settings="\n".join(
            f'        "{name}"{"" if " " in name else "*"}) found="{" ".join(own)}" ;;'
            for name, own in sorted(flags.items(), key=lambda one: " " not in one[0])
        ),
    )
    return bash if shell == "bash" else f"autoload -U +X bashcompinit && bashcompinit\n{bash}"


def _fish(families: Mapping[str, Sequence[str]], flags: Mapping[str, Sequence[str]]) -> str:
    lines = [f"complete -c rlhf -n __fish_use_subcommand -f -a '{' '.join(families)}'"]
    for first, seconds in families.items():
        if seconds:
            lines.append(f"complete -c rlhf -n '__fish_seen_subcommand_from {first}' -f -a '{' '.join(seconds)}'")
    for name, own in flags.items():
        seen = " ; and ".join(f"__fish_seen_subcommand_from {word}" for word in name.split())
        lines += [f"complete -c rlhf -n '{seen}' -l '{flag.removeprefix('--')}'" for flag in own]
    return "\n".join(lines) + "\n"
