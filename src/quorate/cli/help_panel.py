"""How help shows the options under a heading: what stands first after a verb has one word, as in its usage."""

from typing import TYPE_CHECKING

from cyclopts.help import DefaultFormatter, HelpEntry

if TYPE_CHECKING:
    from cyclopts.help import HelpPanel
    from rich.console import Console, ConsoleOptions

LABELS = {"POPULATION": "RATINGS", "WITH": "ANSWERS", "MORE": "MORE…", "FILES": "FILE…", "PAPERS": "PAPER…"}
"""What the usage calls fields that are called otherwise, because an option of theirs is."""
LABELLED = "positional_label" in HelpEntry.__annotations__  # older parsers keep the names of fields


def show_panel(console: "Console", options: "ConsoleOptions", panel: "HelpPanel") -> None:
    """Print a panel of options by the words of the usage."""
    if LABELLED:
        panel = panel.copy(entries=[_labelled(entry) for entry in panel.entries])
    DefaultFormatter()(console, options, panel)


def _labelled(entry: HelpEntry) -> HelpEntry:
    label = entry.positional_label or ""
    return entry.copy(positional_label=LABELS[label]) if label in LABELS else entry
