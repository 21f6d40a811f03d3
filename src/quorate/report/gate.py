"""What a gate leaves behind: a page in Markdown, a JUnit file, lines and outputs for a workflow of GitHub."""

import platform
from collections.abc import Sequence
from importlib.metadata import version
from math import isfinite
from secrets import token_hex
from xml.etree import ElementTree

import numpy as np

from quorate._text import number, printable
from quorate._version import __version__
from quorate.comparing.gate import Gate, GateOutcome
from quorate.comparing.result import Comparison
from quorate.comparing.words import decimals
from quorate.results.table import markdown_text

MOST_ITEMS, MOST_WARNINGS = 10, 8
LONGEST_NAME, LONGEST_LINE, LONGEST_COMMAND = 80, 1000, 2000
"""Letters shown of a name, a sentence and a command: a page stays below what a comment may have."""
SIGNS: dict[GateOutcome, str] = {"passed": "✅", "failed": "❌", "inconclusive": "⚪"}
LEVELS: dict[GateOutcome, str] = {"passed": "notice", "failed": "error", "inconclusive": "warning"}


def gate_page(result: Comparison, gate: Gate, command: str) -> str:
    """Return the verdict, its numbers, the items that changed most, and how it was made, as Markdown."""
    sentence = gate.sentence
    first, rest = _with_short_names(sentence.head, gate), _with_short_names(str(sentence)[len(sentence.head) :], gate)
    space = " " if rest.startswith(" ") else ""
    head = f"{SIGNS[gate.outcome]} **{_text(first, LONGEST_LINE)}**{space}{_text(rest, LONGEST_LINE)}"
    warnings = [f"> **Take care.** {_text(each, LONGEST_LINE)}" for each in result.warnings[:MOST_WARNINGS]]
    parts = [head, _numbers(result), _meaning(result, gate), *warnings, _changed(result, gate), _made(result, command)]
    return "\n\n".join(part for part in parts if part) + "\n"


def gate_junit(gate: Gate) -> str:
    """Return the verdict as a JUnit file: worse is a failure, inconclusive is skipped, or a failure if strict."""
    pair = gate.pair
    failed, skipped = int(gate.stops), int(not gate.stops and gate.outcome == "inconclusive")
    counts = {"tests": "1", "failures": str(failed), "errors": "0"}
    suites = ElementTree.Element("testsuites", counts)  # where Jenkins takes no skipped
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "quorate", **counts, "skipped": str(skipped)})
    name = f"{_short(pair.a)} is not worse than {_short(pair.b)} by {pair.metric}"
    case = ElementTree.SubElement(suite, "testcase", {"classname": "quorate.compare", "name": name, "time": "0"})
    if failed or skipped:
        said = {"message": _line(gate), "type": pair.verdict}
        ElementTree.SubElement(case, "failure" if failed else "skipped", said)
    else:
        ElementTree.SubElement(case, "system-out").text = _line(gate)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def workflow_line(gate: Gate) -> str:
    """Return the line that makes GitHub show the verdict beside a run; what would end the line is escaped."""
    level = "error" if gate.stops else LEVELS[gate.outcome]
    text = _line(gate).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{level} title=quorate gate {gate.outcome}::{text}"


def workflow_outputs(gate: Gate) -> str:
    """Return what later steps may read: outcome, code, verdict and the numbers, each between marks nobody can guess."""
    pair = gate.pair
    low, high, p = pair.deciding
    numbers = {"difference": pair.difference, "low": low, "high": high, "p-value": p}
    outputs = {"outcome": gate.outcome, "code": str(gate.code), "verdict": pair.verdict}
    outputs |= {name: repr(value) if isfinite(value) else "" for name, value in numbers.items()}
    outputs["sentence"] = _line(gate)
    mark = f"quorate-{token_hex(8)}"
    return "".join(f"{name}<<{mark}\n{value}\n{mark}\n" for name, value in outputs.items())


def _line(gate: Gate) -> str:
    return printable(_with_short_names(str(gate.sentence), gate), LONGEST_LINE)


def _with_short_names(text: str, gate: Gate) -> str:
    """Cut the systems' names, so that what is said of them is not cut."""
    for name in (gate.pair.a, gate.pair.b):
        plain = printable(name)
        if len(plain) > LONGEST_NAME:
            text = text.replace(name, plain).replace(plain, _short(name))
    return text


def _short(name: str, most: int = LONGEST_NAME) -> str:
    """Cut a long name in its middle: names that begin alike often end differently."""
    plain = printable(name)
    return plain if len(plain) <= most else f"{plain[: most // 2]}…{plain[1 + most // 2 - most :]}"


def _numbers(result: Comparison) -> str:
    shown = next(iter(result.tables().values()))
    rows = [[_text(_short(cell), LONGEST_NAME) for cell in row] for row in shown.rows]
    return _table(list(shown.header), rows, shown.right)


def _meaning(result: Comparison, gate: Gate) -> str:
    bar, margin = result.target_score, result.margin
    shown = "neither better nor worse" if bar is None else "neither above nor below the bar"
    words = {
        "passed": "The gate is open",
        "failed": "The gate is closed",
        "inconclusive": "The gate is closed, for the data do not tell (--strict)"
        if gate.strict
        else f"The data do not tell: {shown} is shown",
    }
    if bar is not None:
        return f"{words[gate.outcome]}; the bar is {bar:g}."
    matters = "no margin was given" if margin is None else f"the difference that matters is {margin:g}"
    return f"{words[gate.outcome]}; {matters}. Positive differences: {_code(gate.pair.a)} is better."


def _changed(result: Comparison, gate: Gate) -> str:
    """Return the items that changed most, folded; nothing where no item has both systems or none changed."""
    if result.items is None or len(result.items) != len(result.differences[0]):
        return ""
    differences = result.differences[0]
    most = np.argsort(-np.abs(differences), kind="stable")[:MOST_ITEMS]
    places = [int(place) for place in most if differences[place] != 0]
    if not places:
        return ""
    digits = decimals([gate.pair])
    rows = [[_code(result.items[place]), number(float(differences[place]), digits)] for place in places]
    title = f"The {len(places)} items that changed most" if len(places) > 1 else "The item that changed"
    table = _table(["item", "difference"], rows, (False, True))
    return f"<details><summary>{title}</summary>\n\n{table}\n\n</details>"


def _made(result: Comparison, command: str) -> str:
    """Say how the page was made: the command, the seed and the versions."""
    tools = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "polars"))
    versions = f"quorate {__version__}, {tools}, Python {platform.python_version()}"
    return f"<sub>{_code(command, LONGEST_COMMAND)} · seed {result.seed} · {versions}</sub>"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    rule = ["---:" if each else "---" for each in right]
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, rule, *rows))


def _text(text: str, most: int) -> str:
    """Write text so that Markdown shows it as it is, on one line, and calls nobody by an @."""
    return markdown_text(printable(f".{text}.", most + 2)[1:].removesuffix(".")).replace("@", "@<!-- -->")


def _code(name: str, most: int = LONGEST_NAME) -> str:
    """Write a name as code, in which nothing but its end has a meaning."""
    plain = _short(name, most).replace("`", "'").replace("|", "\\|")
    return f"`{plain or ' '}`"
