"""Pages as one HTML file that needs no network: style, script and plotly.js are inside.

plotly.js is packed with gzip, which makes a page 2 MB instead of 5, and unpacked by the browser.
"""

import base64
import gzip
import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from quorate.report.page import Page


def render(page: Page) -> str:
    """Return the page as HTML; whatever comes from files is escaped."""
    plots = [plot for section in page.sections for plot in section.plots]
    return (
        _environment()
        .get_template("page.html")
        .render(
            page=page,
            style=_static("report.css"),
            script=_static("report.js") if plots else "",
            plotly=_packed_plotly() if plots else "",
        )
    )


def _json(value: Any) -> str:
    """Write JSON that can stand inside a script element: no ``<`` ends it early."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@lru_cache(maxsize=1)
def _environment() -> Environment:
    loader = PackageLoader("quorate.report")
    environment = Environment(
        loader=loader,
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain_json"] = _json
    return environment


def _static(name: str) -> str:
    return files("quorate.report").joinpath("static", name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _packed_plotly() -> str:
    script = files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
    return base64.b64encode(gzip.compress(script, compresslevel=6, mtime=0)).decode("ascii")
