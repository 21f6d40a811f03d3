"""`quorate presets`."""

from quorate._question import Question
from quorate.cli.command import command
from quorate.cli.output import OutputOptions, show

__all__ = ["presets"]


@command
def presets(question: Question, output: OutputOptions) -> int:
    """List the populations that have a name, with their source.

    Examples:
      quorate presets
      quorate presets --json
    """
    from quorate.simulating.preset_list import answer

    show(answer(question), output)
    return 0
