"""Reports, what people look at and pass on: `plots` draws results, the functions here make pages."""

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from quorate._errors import InputError
from quorate._question import ROOMS

if TYPE_CHECKING:
    from quorate.report.page import Page
    from quorate.results.result import Result

__all__ = ["figures", "picture", "to_html", "to_image", "to_page"]


def to_page(result: "Result", command: str = "") -> "Page":
    """Return a result's page as plain data; the command is what was typed to get it."""
    home = import_module(f"quorate.report.{ROOMS[result.verb]}")
    made: Page = getattr(home, f"{result.verb}_page")(result)
    return replace(made, command=command)


def to_html(result: "Result", command: str = "") -> str:
    """Return a result's page as one HTML text that needs nothing else."""
    from quorate.report.page import render

    return render(to_page(result, command))


def figures(result: "Result") -> list[Any]:
    """Return a result's plots as plotly figures, in the order of its page."""
    import html

    import plotly.graph_objects as go

    shown = [plot for section in to_page(result).sections for plot in section.plots]
    drawn = [go.Figure(dict(plot.figure)) for plot in shown]
    for each, plot in zip(drawn, shown, strict=True):
        each.update_layout(title={"text": html.escape(plot.title), "x": 0, "xref": "paper"}, margin={"t": 70})
    return drawn


def to_image(result: "Result", kind: str, width: int = 900) -> bytes:
    """Return a result's first plot as ``"png"``, ``"svg"`` or ``"pdf"``; needs kaleido and a Chrome or Chromium."""
    drawn = figures(result)
    if not drawn:
        raise InputError(f"quorate {result.verb} has no plot; write a page with -o report.html.")
    return picture(drawn[0], kind, width)


def picture(figure: Any, kind: str, width: int = 900, scale: float = 2) -> bytes:
    """Return a figure as a picture on white, at twice the resolution unless told otherwise."""
    if kind not in ("png", "svg", "pdf"):
        raise InputError(f"A plot cannot be written as {kind}; use png, svg or pdf.")
    try:
        import kaleido
        from choreographer.errors import BrowserDepsError, BrowserFailedError, ChromeNotFoundError
    except ImportError:
        raise InputError("Pictures need kaleido: pip install 'quorate[images]'; or write -o report.html.") from None
    white = figure.update_layout(paper_bgcolor="white", plot_bgcolor="white")
    settings = {"format": kind, "width": width, "height": int(figure.layout.height), "scale": scale}
    try:
        drawn: bytes = kaleido.calc_fig_sync(white, opts=settings)
    except (BrowserDepsError, BrowserFailedError, ChromeNotFoundError):
        raise InputError(
            "Pictures need Chrome or Chromium, and none was found that starts; install one, or write -o report.html."
        ) from None
    return drawn
