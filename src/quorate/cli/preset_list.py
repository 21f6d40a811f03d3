"""`quorate presets`."""

from typing import Annotated

from cyclopts import Parameter

from quorate.cli.options import OutputOptions, show

__all__ = ["presets"]


def presets(
    *,
    output: Annotated[OutputOptions, Parameter(name="*")] = OutputOptions(),
) -> int:
    """List the populations that have a name, with their source.

    Examples:
      quorate presets
      quorate presets --json
    """
    from quorate.simulating.preset_list import presets as answer

    show(answer(), output)
    return 0
