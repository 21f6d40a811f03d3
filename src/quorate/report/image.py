"""Plots as PNG or SVG, drawn by a Chrome or Chromium through kaleido."""

from typing import Any

from quorate._errors import InputError

__all__ = ["picture"]


def picture(figure: Any, kind: str, width: int = 900, scale: float = 2) -> bytes:
    """Return a figure as a picture on white, at twice the resolution unless another scale is asked for.

    Examples
    --------
    >>> picture(None, "gif")
    Traceback (most recent call last):
    quorate._errors.InputError: A plot cannot be written as gif; use png or svg.
    """
    if kind not in ("png", "svg"):
        raise InputError(f"A plot cannot be written as {kind}; use png or svg.")
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
