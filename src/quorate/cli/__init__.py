"""The command line: the parser, and what an error becomes; the commands are in `verbs`."""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import NoReturn

from cyclopts import App, CycloptsError, Parameter

from quorate._errors import InputError
from quorate._question import QUESTIONS
from quorate._text import printable
from quorate._version import __version__
from quorate.cli.output import COMMAND

__all__ = ["main", "make_app"]


def make_app(*, listing: bool) -> App:
    """Return the parser; in a listing each verb stands with its question, else with its own help."""
    app = App(
        name="quorate",
        version=__version__,
        help="Are there enough items and raters to decide – and if not, what to buy next?",
        help_format="plaintext",
        help_epilogue="Try: quorate describe example:support",
        default_parameter=Parameter(negative=""),
    )
    for place, (verb, question) in enumerate(QUESTIONS.items()):
        app.command(f"quorate.cli.verbs:{verb}", name=verb, help=question if listing else None, sort_key=place)
    return app


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command; exit 0: done, 1: a gate failed, 2: bad usage or input, 3: inconclusive."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that is not UTF-8 shows a question mark, not an error
            stream.reconfigure(errors="replace")
    words = sys.argv[1:] if arguments is None else arguments
    COMMAND.set(tuple(words))
    app = make_app(listing=not words or words[0] not in QUESTIONS)
    try:
        # The parser takes a lone hyphen for an option without a name.
        code = app(
            ["/dev/stdin" if word == "-" else word for word in words],
            exit_on_error=False,
            print_error=False,
            result_action="return_value",
        )
    except (InputError, CycloptsError) as error:
        print(f"quorate: {_one_line(error)}", file=sys.stderr)
        code = 2
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:  # the reader of our output went away, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code if isinstance(code, int) else 0)


def _one_line(error: InputError | CycloptsError) -> str:
    """Write an error as one line; names from a file may hold line ends and worse."""
    if isinstance(error, CycloptsError):
        from quorate.cli.usage import usage_sentence

        return printable(usage_sentence(error))
    return printable(str(error))
