"""Tell whether there are enough items and raters to decide – and what to buy next when there are not."""

from quorate._version import __version__

__all__ = ["__version__"]
