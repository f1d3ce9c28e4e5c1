"""Pages from templates: HTML by Jinja2 with all text escaped; styles and pictures are inline, nothing is fetched."""

from __future__ import annotations

import base64
import json
from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pipelines.report.data import Circumstances
from rlhf.run.progress import duration
from rlhf.run.statistics import LEVEL, Interval, percent, points, signed

_SHARED = "pipelines.report"  # package of the templates that all pages share


def render(template: str, /, package: str = _SHARED, **values: Any) -> Markup:
    """Render a template as HTML.

    Args:
      template: name of the file in the folder ``templates`` of ``package``, or of this package.
      package: package with the template.
      values: of the template's variables; text is escaped, :class:`markupsafe.Markup` is not.
    """
    return Markup(_environment(package).get_template(template).render(**values))


@cache
def _environment(package: str) -> Environment:
    loader = ChoiceLoader([PackageLoader(name) for name in dict.fromkeys((package, _SHARED))])
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "bounds": bounds,
        "duration": duration,
        "percent": percent,
        "points": points,
        "signed": signed,
        "signed_bounds": signed_bounds,
        "unbroken": unbroken,
        "uri": uri,
    }
    environment.globals["level"] = percent(LEVEL)
    return environment


def uri(content: bytes, media_type: str = "image/png") -> str:
    """Encode ``content`` as a data URI."""
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"


def unbroken(text: str) -> str:
    """Replace hyphens by non-breaking ones, for large letters."""
    return text.replace("-", "\N{NON-BREAKING HYPHEN}")


def bounds(interval: Interval) -> str:
    """Bounds of an interval of a share: "42% to 58%"."""
    return f"{percent(interval.low)} to {percent(interval.high)}"


def signed_bounds(difference: Interval) -> str:
    """Bounds of an interval of a difference, in points: "+9 to +23"."""
    return f"{signed(difference.low)} to {signed(difference.high)}"


def circumstances(facts: Circumstances) -> Markup:
    """Section on command, machine, version, counts, stages and settings."""
    total = sum(stage.seconds for stage in facts.stages)
    config = json.dumps(facts.config, indent=2, ensure_ascii=False)
    return render("circumstances.html", facts=facts, total=total, config=config)
