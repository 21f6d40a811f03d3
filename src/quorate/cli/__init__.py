"""The command line: the parser, and what an error becomes; the commands are in `verbs`."""

import json
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NoReturn

from cyclopts import App, CycloptsError, Parameter

from quorate._errors import InputError, ShareDone
from quorate._question import QUESTIONS, ROOMS, Question
from quorate._version import __version__
from quorate.cli.output import COMMAND
from quorate.cli.streams import open_streams, put, settle, tell

if TYPE_CHECKING:
    from cyclopts.help import HelpPanel
    from rich.console import Console, ConsoleOptions

__all__ = ["BESIDE", "main", "make_app", "read_question", "refusal"]

BESIDE = {
    "app": ("quorate.app.command:serve", "Ask all of this in a browser, on this machine."),
    "cite": ("quorate.cli.citation:cite", "How do I cite it?"),
}
"""Commands that answer no question of data: where each is, and what it is for."""
DATA = {
    "describe": "RATINGS",
    "plan": "[RATINGS [ANSWERS]]",
    "compare": "RATINGS [ANSWERS [MORE…]]",
    "estimate": "VOTES [EXPERTS [SCORES]]",
    "convert": "FILE…",
    "fit": "RATINGS",
    "simulate": "[RATINGS] --items N --raters K -o DIR",
    "audit": "[RATINGS] --items N --raters K",
    "reproduce": "[PAPER…]",
}
"""What stands first after each verb."""
HELP = {"--help", "-h", "--version"}


def make_app(*, listing: bool) -> App:
    """Return the parser; in a listing each verb stands with its question, else with its own help."""
    app = App(
        name="quorate",
        version=__version__,
        help="Are there enough items and raters to decide – and if not, what to buy next?",
        usage="Usage: quorate COMMAND",
        help_format="plaintext",
        help_formatter=_show_panel,
        help_epilogue="Try: quorate describe example:support" if listing else None,
        default_parameter=Parameter(negative=""),
        suppress_keyboard_interrupt=False,
    )
    for place, (verb, question) in enumerate(QUESTIONS.items()):
        usage = " ".join(filter(None, ("Usage: quorate", verb, DATA.get(verb), "[OPTIONS]")))
        words = question if listing else None
        app.command(f"quorate.cli.verbs.{ROOMS[verb]}:{verb}", name=verb, help=words, usage=usage, sort_key=place)
    for name, (home, words) in BESIDE.items():
        usage = f"Usage: quorate {name}{' [OPTIONS]' if name == 'app' else ''}"
        app.command(home, name=name, help=words if listing else None, usage=usage, sort_key=len(QUESTIONS))
    if listing:
        words = "Let the shell complete commands and options from now on."
        app.command("quorate.cli.completion:install_completion", name="--install-completion", help=words)
    return app


def _show_panel(console: "Console", options: "ConsoleOptions", panel: "HelpPanel") -> None:
    """Print a panel of help; what this needs is loaded only then."""
    from quorate.cli.help_panel import show_panel

    show_panel(console, options, panel)


def read_question(words: Sequence[str]) -> Question:
    """Return the question that a command line asks, without answering it."""
    command, given, _ = _parser().parse_args(words, exit_on_error=False, print_error=False)
    question: Question = command.__dict__["ask"](given)[0]
    return question


def refusal(error: InputError | CycloptsError | MemoryError, words: Sequence[str]) -> str:
    """Return the sentence in which a command line is refused."""
    from quorate.cli.usage import usage_sentence, whole_sentence

    match error:
        case CycloptsError():
            return whole_sentence(usage_sentence(error), words)
        case MemoryError():
            return whole_sentence(
                "there is not enough memory for this; ask for less, or read a part of the file", words
            )
    return whole_sentence(str(error), words)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and leave with its code.

    0: done; 1: a gate or a reproduction failed; 2: bad usage or input; 3: inconclusive; 70: an error of ours; 130: the
    user stopped it. The code stands whatever becomes of the output.
    """
    open_streams()
    if not sys.warnoptions:  # warnings of libraries are for developers; a result brings its own
        warnings.simplefilter("ignore")
    words = tuple(sys.argv[1:] if arguments is None else arguments)
    COMMAND.set(words)
    try:
        code = _run(words)
    except KeyboardInterrupt:
        tell("quorate: stopped.")
        code = 130
    except ShareDone as done:
        code = _say_share(done, words)
    except (InputError, CycloptsError, MemoryError) as error:
        tell(f"quorate: {refusal(error, words)}")
        code = 2
    except BaseException as error:  # a panic of a compiled library is no Exception
        from quorate.cli.crash import crash_sentence

        tell(crash_sentence(error, words))
        code = 70
    settle()
    if "quorate._workers" in sys.modules:
        from quorate._workers import release_workers

        release_workers()
    if arguments is None:  # there is nothing left to stop
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


def _run(words: Sequence[str]) -> int:
    if os.environ.get("POLARS_MAX_THREADS", "").strip() == "0":
        raise InputError("POLARS_MAX_THREADS cannot be 0, for tables are read by one thread or more; leave it unset.")
    app = make_app(listing=not words or words[0] not in (*QUESTIONS, *BESIDE))
    # The parser takes a lone hyphen for an option without a name.
    typed = ["/dev/stdin" if word == "-" else word for word in words]
    try:
        code = app(typed, exit_on_error=False, print_error=False, result_action="return_value")
    except (BrokenPipeError, SystemExit):  # whoever read the help went away
        return 0
    except OSError as error:
        if words and not HELP & set(words):
            raise
        raise InputError(f"The help cannot be printed ({error.strerror}); free some space.") from None
    return code if isinstance(code, int) else 0


@cache
def _parser() -> App:
    return make_app(listing=False)


def _say_share(done: ShareDone, words: Sequence[str]) -> int:
    """Say that a share is done; it has no answer to show."""
    share = {"shard": done.shard, "tasks": done.tasks, "sentence": str(done)}
    return 0 if put(json.dumps(share) if "--json" in words else str(done)) else 2
