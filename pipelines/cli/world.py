"""`rlhf world check`: the tier of a world, found by trying, and what the pipeline can do with it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rlhf.run.setting_forms import OwnSettings, WorldName
from worlds.ranges import Seconds
from worlds.settings import settings

if TYPE_CHECKING:
    from worlds.checks.report import WorldReport
    from worlds.registry import WorldEntry
    from worlds.spaces.action import Component
    from worlds.spaces.observation import PlayerSpec

_WIDTH = 110
_RANDOM = (
    "Its scripted solver acts at random: give the environment a method demonstrate(), which returns the best action\n"
    "now, or record an agent or people."
)
_NO_PICTURE = "the solver observes no picture (with --world.picture 56, environments of others show what they draw)"


@dataclass(frozen=True)
class Use:
    """A use of a world by the pipeline.

    Args:
      name: of the use, with the commands that have it.
      tier: that the world has to reach.
      parts: other parts of the check that have to pass.
      pictured: True if people look at what the solver observed.
    """

    name: str
    tier: str
    parts: tuple[str, ...] = ()
    pictured: bool = False


USES = (
    Use("clone, reward and diagnose on episodes from elsewhere", "recorded"),
    Use("people mark episodes (serve)", "recorded", pictured=True),
    Use("record with its scripted players", "seeded", ("probes", "scripted players")),
    Use("evaluate at probes", "seeded", ("probes",)),
    Use("improve, asking again what a recorded setter asked", "seeded"),
    Use("improve from the middle of recorded episodes (setter replay)", "exact"),
    Use("the test suite that people judge (scenarios from play)", "exact", pictured=True),
    Use("resume a run with the same play", "exact"),
    Use("film an episode at any size (render)", "tick-wise", pictured=True),
    Use("people play it live, tick by tick (serve)", "tick-wise", pictured=True),
)


@settings
class WorldCheckConfig:
    """Settings of `rlhf world check`.

    Args:
      name: name of a registered world, the Python file that registers one, or an environment as gym:ID,
        pettingzoo:MODULE or FILE.py:CLASS.
      options: the world's own settings for playing in it, e.g. {"picture": 56}.
      seconds: duration of the timing, in seconds.
    """

    name: WorldName
    options: OwnSettings = None
    seconds: Seconds = 2.0


def check(config: WorldCheckConfig) -> int:
    """Try every promise of the contract and print what is found.

    Returns:
      1 if the world cannot be played or does not reach the tier that it declares; else 0.

    Raises:
      UserError: there is no such world, or it has no such option.
    """
    from pipelines.stages.settings.world_config import check_names
    from worlds import registry
    from worlds.checks.report import WorldReport, check_world
    from worlds.foreign.demonstrator import has_adviser
    from worlds.foreign.world import ForeignWorld
    from worlds.foreign_code.faults import named_failure

    name = registry.absolute_name(config.name)
    entry = registry.get(name)
    options = dict(config.options or {})
    check_names(entry.make, options, ("height", "width", "views"), "options")
    with named_failure(entry.name, "making the world"):
        world = entry.make(**options)  # refuses a package that is missing
    unguided = isinstance(world, ForeignWorld) and not has_adviser(world.env)
    world.close()
    print(f"world {entry.name}\n", flush=True)
    for found in check_world(entry, name, options, config.seconds):
        if isinstance(found, WorldReport):
            print("\n".join(("", *report_lines(found))))
            if unguided:
                print(f"\n{_RANDOM}")
            return 1 if found.fails else 0
        verdict = "ok" if not found.problems else "no"
        print(f"  {found.part:<17} {verdict if found.offered else 'not offered'}", flush=True)
        for problem in found.problems:
            print(_indented(str(problem), 20), flush=True)
    raise AssertionError("the check ends with a report")


def report_lines(report: WorldReport) -> Iterator[str]:
    """Yield the lines of the report: spaces, speed, tiers and uses."""
    from worlds.contract.tiers import TIERS

    if report.spec is not None:
        yield from space_lines(report.spec)
    if report.steps_per_sec is not None:
        yield f"  speed    {report.steps_per_sec:,.0f} steps a second and core; {report.start_sec:.1f} s to start"
    yield ""
    yield f"tier: {report.tier or 'none'}{_declared(report)}"
    for tier in TIERS:
        needs, reaches = report.needs(tier.name), report.reaches(tier.name)
        yield f"  {tier.name:<10} {'yes' if reaches else 'no '}  {tier.promise}"
        if not reaches:
            yield _indented(f"needs {needs}" if needs else "needs the tier before it", 17)
    yield ""
    yield "what the pipeline can do with it now:"
    for use in USES:
        reason = refusal(use, report)
        yield f"  {'no ' if reason else 'yes'}  {use.name}" + (f": {reason}" if reason else "")


def _declared(report: WorldReport) -> str:
    if report.declared in (None, report.tier):
        return ""
    hint = "repair the world, or declare less in its WorldEntry" if report.falls_short else "it may declare more"
    return f"; its WorldEntry declares {report.declared}: {hint}"


def refusal(use: Use, report: WorldReport) -> str:
    """Return the reason why a world cannot be used so; "" if it can."""
    if report.broken and use.tier != "recorded":
        return f"{report.broken[0].component} is not as the contract wants"
    if not report.reaches(use.tier):
        return f"needs the tier {use.tier}"
    if use.pictured and report.spec is not None and report.spec.observation.image is None:
        return _NO_PICTURE
    failed = next((each.part for each in report.findings if each.part in use.parts and each.problems), None)
    return f"its {failed} fail" if failed else ""


def space_lines(spec: PlayerSpec) -> Iterator[str]:
    """Yield the solver's spaces in words."""
    seen, action = spec.observation, spec.action
    parts = []
    if seen.image is not None:
        parts.append(f"image {seen.image.height}x{seen.image.width}x{seen.image.channels}")
    if seen.grid is not None:
        categories = ", ".join(map(str, seen.grid.categories))
        parts.append(f"grid {seen.grid.height}x{seen.grid.width} of {categories} categories")
    if seen.entities is not None:
        parts.append(f"up to {seen.entities.most} entities")
    if seen.vector is not None:
        parts.append(f"vector of {seen.vector.length}")
    parts += [f"text {name}" for name in seen.texts]
    yield _indented(f"observes {', '.join(parts)}; both players' words; its own last action", 2, 11)
    ticks = f"; {action.ticks} ticks a step" if action.ticks > 1 else ""
    yield _indented(f"acts     {'; '.join(map(_component, action.components))}{ticks}", 2, 11)


def _component(component: Component) -> str:
    from worlds.spaces.action import Continuous, Discrete

    if isinstance(component, Continuous):
        return f"{component.name} from {component.low:g} to {component.high:g}"
    if isinstance(component, Discrete):
        bins = component.bins
        shown = ", ".join(bins[:8]) + (", ..." if len(bins) > 8 else "")
        return f"{component.name} of {len(bins)}: {shown}"
    return f"{component.name} at one of {component.most} entities"


def _indented(text: str, first: int, rest: int | None = None) -> str:
    return textwrap.fill(
        text, _WIDTH, initial_indent=" " * first, subsequent_indent=" " * (first if rest is None else rest)
    )


def try_briefly(entry: WorldEntry, seconds: float) -> tuple[WorldReport, tuple[str, ...]]:
    """Return the report of a world and the names of the parts that passed, for `rlhf doctor`."""
    from worlds.checks.report import WorldReport, check_world

    passed: list[str] = []
    for found in check_world(entry, seconds=seconds):
        if isinstance(found, WorldReport):
            return found, tuple(passed)
        passed.append(found.part if found.offered else f"no {found.part}")
    raise AssertionError("the check ends with a report")
