"""Screens and results as HTML: the report's own templates within those of the app; nothing is computed here."""

from collections.abc import Sequence
from typing import Any

from quorate._question import Question
from quorate.app.command_words import python
from quorate.report import to_page
from quorate.report.page import environment
from quorate.results.result import Result


def render(name: str, **values: Any) -> str:
    """Return a template as HTML; whatever comes from files or addresses is escaped."""
    return environment("quorate.app", "quorate.report").get_template(name).render(**values)


def result_parts(result: Result, question: Question, command: str, given: Sequence[str]) -> dict[str, Any]:
    """Return a result as a page shows it, with both commands to copy, and what else stands in an answer."""
    page = to_page(result, command)
    copied = python(result.verb, question, given)
    plots = sum(len(section.plots) for section in page.sections)
    html = render("result.html", page=page, command=command, python=copied, report=result.load_report, plots=plots)
    return {"html": html, "sentence": str(result.sentence()), "command": command, "python": copied}
