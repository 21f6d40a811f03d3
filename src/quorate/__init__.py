"""Tell whether there are enough items and raters to decide – and what to buy next when there are not."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from quorate._errors import InputError, ShareDone
from quorate._version import __version__

if TYPE_CHECKING:
    from quorate.auditing.result import Audit
    from quorate.auditing.verb import audit
    from quorate.comparing.gate import assert_not_worse
    from quorate.comparing.result import Comparison
    from quorate.comparing.verb import compare
    from quorate.converting.result import Conversion
    from quorate.converting.verb import convert
    from quorate.data.answers import read_systems
    from quorate.data.ratings import Ratings
    from quorate.data.read_ratings import read_ratings
    from quorate.describing.result import Description
    from quorate.describing.verb import describe
    from quorate.estimating.result import Estimation
    from quorate.estimating.verb import estimate
    from quorate.fitting.result import Fit
    from quorate.fitting.verb import fit
    from quorate.planning.grid_sweep import Sweep, sweep
    from quorate.planning.result import Planned
    from quorate.planning.verb import plan
    from quorate.reproducing.result import Reproduction
    from quorate.reproducing.verb import reproduce
    from quorate.simulating.result import PresetList, Simulation
    from quorate.simulating.verb import presets, simulate

__all__ = [
    "Audit",
    "Comparison",
    "Conversion",
    "Description",
    "Estimation",
    "Fit",
    "InputError",
    "Planned",
    "PresetList",
    "Ratings",
    "Reproduction",
    "ShareDone",
    "Simulation",
    "Sweep",
    "__version__",
    "assert_not_worse",
    "audit",
    "compare",
    "convert",
    "describe",
    "estimate",
    "fit",
    "plan",
    "presets",
    "read_ratings",
    "read_systems",
    "reproduce",
    "simulate",
    "sweep",
]

_HOMES = {
    "Audit": "auditing.result",
    "Comparison": "comparing.result",
    "Conversion": "converting.result",
    "Description": "describing.result",
    "Estimation": "estimating.result",
    "Fit": "fitting.result",
    "Planned": "planning.result",
    "PresetList": "simulating.result",
    "Ratings": "data.ratings",
    "Reproduction": "reproducing.result",
    "Simulation": "simulating.result",
    "Sweep": "planning.grid_sweep",
    "assert_not_worse": "comparing.gate",
    "audit": "auditing.verb",
    "compare": "comparing.verb",
    "convert": "converting.verb",
    "describe": "describing.verb",
    "estimate": "estimating.verb",
    "fit": "fitting.verb",
    "plan": "planning.verb",
    "presets": "simulating.verb",
    "read_ratings": "data.read_ratings",
    "read_systems": "data.answers",
    "reproduce": "reproducing.verb",
    "simulate": "simulating.verb",
    "sweep": "planning.grid_sweep",
}
"""Where each public name lives; it is imported on first use, which keeps the start fast."""


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'quorate' has no attribute '{name}'")
    return getattr(import_module(f"quorate.{_HOMES[name]}"), name)
