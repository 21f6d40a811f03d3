"""The page, the JUnit file and the lines of a gate: the verdict first, names harmless, never too long."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from quorate import compare
from quorate.comparing.gate import decide
from quorate.comparing.result import Comparison
from quorate.inference.outcome import Verdict
from quorate.report.gate import gate_junit, gate_page, workflow_line, workflow_outputs

SCHEMA = {
    "testsuites": ({"testsuite"}, set(), {"name", "time", "tests", "failures", "errors"}),
    "testsuite": (
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
        {"name", "tests", "failures", "errors"},
        {*("group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url")},
    ),
    "testcase": (
        {"skipped", "error", "failure", "system-out", "system-err"},
        {"name"},
        {"time", "classname", "group"},
    ),
    "failure": (set(), set(), {"type", "message"}),
    "skipped": (set(), set(), {"type", "message"}),
    "system-out": (set(), set(), set()),
}
"""Of each element the children, the attributes it must have, and those it may have: Jenkins' schema (junit-10.xsd)."""
HOSTILE = "a|b`<img src=x>@team #1\n::error::x%0A*bold*"


def comparison(new: str = "new", old: str = "old", item: str = "q") -> Comparison:
    items = [f"{item}{k}" for k in range(40)]
    ratings = {"item": items, "response": ["yes" if k % 4 else "no" for k in range(40)]}
    said = {
        "item": items * 2,
        "system": [new] * 40 + [old] * 40,
        "response": ["yes"] * 40 + ["yes" if k % 2 else "no" for k in range(40)],
    }
    return compare(ratings, said, systems=[new, old])


def with_verdict(verdict: Verdict) -> Comparison:
    result = comparison()
    return replace(result, pairs=(replace(result.pairs[0], verdict=verdict),))


def test_the_page_begins_with_the_sentence_and_ends_with_how_it_was_made() -> None:
    result = comparison()
    lines = gate_page(result, decide(result), "quorate compare r.csv a.csv --gate").splitlines()
    assert lines[0].replace("**", "").replace("⚪ ", "") == str(result.sentence())
    assert sum(line.startswith("| ---") for line in lines) == 2
    assert "<details><summary>The 10 items that changed most</summary>" in lines
    assert lines[-1].startswith("<sub>`quorate compare r.csv a.csv --gate` · seed 0 · quorate ")
    changed = [line for line in lines if line.startswith("| `q")]
    assert len(changed) == 10
    assert changed[0] == "| `q0` | -1.000 |"  # the raters say no there, new says yes, old no


def test_names_from_files_stay_text() -> None:
    result = comparison(new=HOSTILE, item=HOSTILE)
    page = gate_page(result, decide(result), HOSTILE)
    outside = re.sub("`[^`]*`", "", re.sub(r"\\.", "", page))
    assert not [word for word in ("<img", "@team", " #1", "x%0A*") if word in outside]
    cells = [re.split(r"(?<!\\)\|", line) for line in page.splitlines() if line.startswith("|")]
    assert {len(row) for row in cells} == {11, 4}
    assert all(
        line.count(" | ") == line.count("|") - line.count("\\|") - 2 for line in page.splitlines() if line[:1] == "|"
    )
    assert workflow_line(decide(result)).count("\n") == 0
    assert "%250A" in workflow_line(decide(result))
    outputs = workflow_outputs(decide(result)).splitlines()
    mark = outputs[0].partition("<<")[2]
    assert [line.partition("<<")[0] for line in outputs if line.endswith(f"<<{mark}")] == [
        *("outcome", "code", "verdict", "difference", "low", "high", "p-value", "sentence")
    ]


def test_a_page_fits_into_a_comment() -> None:
    result = comparison(new="x" * 90_000, item="y" * 50_000)
    result = replace(result, warnings=("z" * 9_000,) * 50)
    assert len(gate_page(result, decide(result), "c" * 90_000).encode()) < 60_000


@pytest.mark.parametrize(
    ("verdict", "strict", "element", "level"),
    [
        ("a_better", False, "system-out", "notice"),
        ("b_better", False, "failure", "error"),
        ("inconclusive", False, "skipped", "warning"),
        ("inconclusive", True, "failure", "error"),
    ],
)
def test_worse_is_a_failure_and_inconclusive_is_skipped_unless_strict(
    verdict: Verdict, strict: bool, element: str, level: str
) -> None:
    gate = decide(with_verdict(verdict), strict=strict)
    root = ElementTree.fromstring(gate_junit(gate))
    [case] = root.iter("testcase")
    assert [child.tag for child in case] == [element]
    assert root.get("failures") == str(int(element == "failure"))
    said = case[0].get("message") or case[0].text
    assert said == str(gate.sentence)
    for each in root.iter():
        children, needed, allowed = SCHEMA[each.tag]
        assert {child.tag for child in each} <= children
        assert needed <= set(each.keys()) <= needed | allowed
    assert workflow_line(gate).startswith(f"::{level} title=quorate gate ")


def test_long_names_that_begin_alike_are_told_apart() -> None:
    result = comparison(new="m" * 90 + "1", old="m" * 90 + "2", item="q" * 90)
    page = gate_page(result, decide(result), "quorate")
    assert len(set(re.findall(r"^\| `(.*)` \|", page, re.MULTILINE))) == 10
    assert all(f"m…{'m' * 38}{n}" in page.splitlines()[0] for n in "12")
    assert all(len(name) <= 80 for name in re.findall(r"`(q.*?)`", page))
    [case] = ElementTree.fromstring(gate_junit(decide(result))).iter("testcase")
    assert "m1 is not worse than m" in str(case.get("name"))
    assert "m2 by agreement" in str(case.get("name"))


def test_no_item_is_named_where_none_changed() -> None:
    items = {"item": list("abcd"), "response": list("yyny")}
    both = {"item": list("abcd") * 2, "system": ["x"] * 4 + ["y"] * 4, "response": list("yyny") * 2}
    result = compare(items, both)
    assert "<details>" not in gate_page(result, decide(result), "quorate")


def test_a_name_without_end_does_not_hide_the_verdict() -> None:
    result = comparison("n" * 100_000, "old")
    gate = decide(result)
    first = gate_page(result, gate, "quorate").splitlines()[0]
    verdict = "do not tell" if gate.outcome == "inconclusive" else "better"
    for text in (first, gate_junit(gate), workflow_line(gate), workflow_outputs(gate)):
        assert verdict in text
        assert "difference" in text
        assert len(text) < 2000


@pytest.mark.parametrize(("bar", "said"), [(0.3, "The gate is open"), (0.99, "The gate is closed"), (0.66, "The data")])
def test_the_page_of_a_bar_speaks_of_the_bar_and_of_no_other_system(bar: float, said: str) -> None:
    result = compare("example:support", "example:support-answers", systems="atlas", target_score=bar)
    page = gate_page(result, decide(result), "quorate compare")
    assert page.splitlines()[0].count("** – share of raters") == 1
    assert f"\n{said}" in page
    assert f"; the bar is {bar:g}." in page
    assert "Positive differences" not in page
