"""The gate of `compare` at the command line: its options, its files, and what a workflow of GitHub is told."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Group, Parameter

from quorate._errors import InputError
from quorate.cli.output import COMMAND, FILE, OutputOptions, write
from quorate.cli.streams import tell, tell_workflow
from quorate.results.files import check_output, written_whole

if TYPE_CHECKING:
    from quorate.comparing.gate import Gate
    from quorate.comparing.result import Comparison

GATE = Group("Gate", sort_key=1)


@Parameter(name="*")
@dataclass(frozen=True)
class GateOptions(OutputOptions):
    """Where the result goes, and whether it opens a gate.

    Parameters
    ----------
    gate
        Exit 0 if the first system is better, not worse or equivalent, 1 if it is worse, 3 if the data do not say.
    strict
        With --gate: exit 1 also if the data do not say.
    junit
        With --gate: write the verdict as a JUnit file (.xml).
    """

    gate: Annotated[bool, Parameter(group=GATE, show_default=False)] = False
    strict: Annotated[bool, Parameter(group=GATE, show_default=False)] = False
    junit: Annotated[Path | None, Parameter(group=GATE, **FILE)] = None


def check_gate(options: GateOptions, inputs: Sequence[str]) -> None:
    """Refuse options that mean nothing, and files that cannot be written, before any work."""
    if not options.gate and (options.strict or options.junit is not None):
        raise InputError(f"{'--strict' if options.strict else '--junit'} belongs to a gate; add --gate.")
    if options.junit is None:
        return
    if (
        options.junit.suffix.lower() != ".xml"
        or not os.path.isdir(options.junit.parent)
        or os.path.isdir(options.junit)
    ):
        raise InputError(f"--junit {options.junit} cannot be written: end its name in .xml, in a folder that is there.")
    check_output(options.junit, inputs, "--junit")


def open_gate(result: "Comparison", options: GateOptions) -> int:
    """Decide, write what was asked for, tell GitHub where it runs there, and return the exit code."""
    from quorate.comparing.gate import decide
    from quorate.report.gate import gate_junit, gate_page

    gate = decide(result, strict=options.strict)
    page = gate_page(result, gate, shlex.join(["quorate", *COMMAND.get()]))
    if options.output is not None and options.output.suffix.lower() == ".md":
        _write(options.output, page, "-o")
    elif options.output is not None:  # first, for more may be wrong with it
        write(result, options.output, keep_formulas=options.keep_formulas)
    if options.junit is not None:
        _write(options.junit, gate_junit(gate), "--junit")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        _tell_workflow(gate, page)
    return gate.code


def _write(path: Path, text: str, flag: str) -> None:
    with written_whole(path, flag) as file:
        file.write(text.encode(errors="backslashreplace"))


def _tell_workflow(gate: "Gate", page: str) -> None:
    """Tell the run of a workflow: a line beside it, outputs for later steps, a summary; none changes the verdict."""
    from quorate.report.gate import workflow_line, workflow_outputs

    tell_workflow(workflow_line(gate))
    for name, text in (("GITHUB_OUTPUT", workflow_outputs(gate)), ("GITHUB_STEP_SUMMARY", page)):
        if not os.environ.get(name):
            continue
        try:
            with Path(os.environ[name]).open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError as error:
            tell(f"quorate: {name} cannot be written ({error.strerror}); the verdict stands.")
