"""Reports: what people look at and pass on. ``plots`` draws results; ``to_page`` and ``to_html`` make pages of them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from quorate._errors import InputError

if TYPE_CHECKING:
    from quorate.report.page import Page
    from quorate.results.result import Result

__all__ = ["figures", "to_html", "to_image", "to_page"]

_ROOMS = {
    "audit": "auditing",
    "compare": "comparing",
    "describe": "describing",
    "estimate": "estimating",
    "fit": "fitting",
    "plan": "planning",
    "presets": "preset_list",
    "reproduce": "reproducing",
    "simulate": "simulating",
    "sweep": "sweep",
}
"""The file of each verb."""


def to_page(result: "Result", command: str = "") -> "Page":
    """Return a result's page as plain data.

    Parameters
    ----------
    result
        What a verb returned.
    command
        What was typed to get it.

    Examples
    --------
    >>> from quorate import presets
    >>> to_page(presets()).verb
    'presets'
    """
    made: Page = import_module(f"quorate.report.pages.{_ROOMS[result.verb]}").page(result, command)
    return made


def to_html(result: "Result", command: str = "") -> str:
    """Return a result's page as one HTML text that needs nothing else.

    Examples
    --------
    >>> from quorate import presets
    >>> "toxicity" in to_html(presets())
    True
    """
    from quorate.report.html import render

    return render(to_page(result, command))


def figures(result: "Result") -> list[Any]:
    """Return a result's plots as plotly figures, in the order of its page.

    Examples
    --------
    >>> from quorate import presets
    >>> figures(presets())
    []
    """
    import html

    import plotly.graph_objects as go

    shown = [plot for section in to_page(result).sections for plot in section.plots]
    drawn = [go.Figure(dict(plot.figure)) for plot in shown]
    for each, plot in zip(drawn, shown, strict=True):
        each.update_layout(title={"text": html.escape(plot.title), "x": 0, "xref": "paper"}, margin={"t": 70})
    return drawn


def to_image(result: "Result", kind: str, width: int = 900) -> bytes:
    """Return a result's first plot as a picture: ``"png"`` or ``"svg"``; needs kaleido and a Chrome or Chromium.

    Examples
    --------
    >>> from quorate import presets
    >>> to_image(presets(), "png")
    Traceback (most recent call last):
    quorate._errors.InputError: quorate presets has no plot; write a page with -o report.html.
    """
    drawn = figures(result)
    if not drawn:
        raise InputError(f"quorate {result.verb} has no plot; write a page with -o report.html.")
    from quorate.report.image import picture

    return picture(drawn[0], kind, width)
