"""Tell whether there are enough items and raters to decide – and what to buy next when there are not."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from quorate._errors import InputError
from quorate._version import __version__

if TYPE_CHECKING:
    from quorate.audit import Audit, audit
    from quorate.compare import compare
    from quorate.comparison import Comparison
    from quorate.data.ratings import Ratings
    from quorate.data.read import read_ratings
    from quorate.data.systems import read_systems
    from quorate.describe import Description, describe
    from quorate.estimate import estimate
    from quorate.estimation import Estimation
    from quorate.fit import Fit, fit
    from quorate.plan import plan
    from quorate.planned import Planned
    from quorate.presets import PresetList, presets
    from quorate.reproduce.run import Reproduction, reproduce
    from quorate.simulate import Simulation, simulate

__all__ = [
    "Audit",
    "Comparison",
    "Description",
    "Estimation",
    "Fit",
    "InputError",
    "Planned",
    "PresetList",
    "Ratings",
    "Reproduction",
    "Simulation",
    "__version__",
    "audit",
    "compare",
    "describe",
    "estimate",
    "fit",
    "plan",
    "presets",
    "read_ratings",
    "read_systems",
    "reproduce",
    "simulate",
]

_HOMES = {
    "describe": ("describe", "Description"),
    "plan": ("plan",),
    "planned": ("Planned",),
    "audit": ("audit", "Audit"),
    "compare": ("compare",),
    "comparison": ("Comparison",),
    "estimate": ("estimate",),
    "estimation": ("Estimation",),
    "fit": ("fit", "Fit"),
    "presets": ("presets", "PresetList"),
    "reproduce.run": ("reproduce", "Reproduction"),
    "simulate": ("simulate", "Simulation"),
    "data.ratings": ("Ratings",),
    "data.read": ("read_ratings",),
    "data.systems": ("read_systems",),
}


class _Package(ModuleType):
    """The package as seen from outside: public names are imported on first use, which keeps the start fast.

    A verb and its file share a name; properties make ``quorate.describe`` the verb, whatever was imported before.
    """


def _lazy(home: str, name: str) -> property:
    def get(package: ModuleType) -> Any:
        return getattr(import_module(f"quorate.{home}"), name)

    def ignore(package: ModuleType, value: object) -> None:
        """Let the import system set a submodule without hiding the verb."""

    return property(get, ignore)


for _home, _names in _HOMES.items():
    for _name in _names:
        setattr(_Package, _name, _lazy(_home, _name))
sys.modules[__name__].__class__ = _Package
