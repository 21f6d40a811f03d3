"""Plots say what they show; as files they need a browser, and one clear sentence says so where there is none."""

import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

import quorate
from quorate.comparing.result import Comparison
from quorate.planning.grid_sweep import sweep
from quorate.planning.grids import Grid
from quorate.planning.result import Planned
from quorate.report import figures, picture, plots, to_image
from quorate.report.planning import _frontier
from quorate.report.reproducing import curves, p_cells, reproduce_curves
from quorate.reproducing.cell import Cell, FigurePoint, point
from quorate.simulating.result import CrowdSimulation
from tests.run import Run


def below(figure: Any) -> str:
    """The title of the horizontal axis where it stands as a note."""
    text: str = figure.layout.annotations[0].text
    return text


def test_a_plan_is_drawn_by_raters_items_and_people(planned: Planned) -> None:
    assert plots.plan(planned).layout.yaxis.title.text == "cost (ratings)"
    assert plots.plan_power(planned).layout.xaxis.title.text == "items, one rater each"
    pilot = quorate.read_systems("example:support-answers", quorate.read_ratings("example:support"))
    people = plots.plan_people(quorate.plan(pilot=pilot, difference=0.05))
    assert people.layout.xaxis.title.text == "people who rate"
    sizes = quorate.plan("dices", difference=0.05, items=[100, 1000], raters=[1, 3])
    assert plots.plan_sizes(sizes).data[0].type == "heatmap"


def test_the_frontier_runs_between_the_cells_that_meet_the_goal_and_those_that_do_not() -> None:
    # 79.6 is shown as 80; the last row never meets it.
    cells: list[list[float | None]] = [[10, 70, 90], [None, 79.6, 81], [5, 6, 7]]
    (line,) = _frontier(cells, 80)
    assert line["x"] == [1.5, 1.5, 0.5, 0.5, None, None]
    assert line["y"] == [-0.5, 0.5, 0.5, 1.5, 1.5, 2.5]
    assert _frontier([[80, 90]], 80) == _frontier([[10, 20]], 80) == []


def test_a_comparison_is_drawn_by_pairs_items_groups_and_ranks(support: Comparison) -> None:
    assert below(plots.compare(support)) == "difference in agreement, 120 items"
    assert plots.compare_items(support).layout.yaxis.title.text == "items (of 120)"
    assert plots.compare_groups(support).layout.yaxis.ticktext == ("app (32)", "phone (28)", "web (60)")
    assert below(plots.compare_ranks(support)) == "agreement (high is good), 120 items"


def test_a_description_is_drawn_by_items_responses_and_raters() -> None:
    found = quorate.describe("example:support")
    assert plots.describe(found).layout.yaxis.title.text == "items (of 120)"
    assert plots.describe_shares(found).layout.yaxis.ticktext == ("yes", "no", "unsure")
    assert below(plots.describe_raters(found)) == "120 items by their responses"
    habits = plots.describe_habits(found)
    assert habits.layout.xaxis.title.text == "share of others who gave the same answer"
    assert sum(len(trace.x) for trace in habits.data) == 14


def test_an_estimate_is_drawn_by_method_curve_and_group() -> None:
    files = ("example:moderation", "example:moderation-experts", "example:moderation-scores")
    found = quorate.estimate(*files, metric=["auc", "f1"], draws=50)
    assert [trace.name for trace in plots.estimate(found).data] == ["assisted", "gt"]
    assert plots.estimate_curve(found, "roc").layout.yaxis.title.text == "true positive rate (%)"
    crowd = quorate.simulate("irt", items=1000, raters=3, expert_share=0.4)
    assert isinstance(crowd, CrowdSimulation)
    site = crowd.votes["item"].str.slice(-1).is_in(["0", "1", "2"]).cast(str)
    votes = crowd.votes.with_columns(site=site)
    groups = quorate.estimate(votes, crowd.experts, metric="prevalence", by="site", draws=50)
    assert plots.estimate_groups(groups).layout.yaxis.ticktext == ("false: prevalence", "true: prevalence")


def test_unlike_metrics_of_an_estimate_have_an_axis_each() -> None:
    files = ("example:moderation", "example:moderation-experts", "example:moderation-scores")
    drawn = plots.estimate(quorate.estimate(*files, metric=["auc", "f1", "delta_tpr", "prevalence"]))
    panels = {trace.yaxis: drawn.layout[trace.yaxis.replace("y", "yaxis")] for trace in drawn.data}
    assert [panel.ticktext for panel in panels.values()] == [("auc", "f1"), ("delta_tpr",), ("prevalence",)]
    spans = sorted(panel.domain for panel in panels.values())
    assert all(below[1] < above[0] for below, above in pairwise(spans))  # none overlaps another
    assert [trace.name for trace in drawn.data if trace.showlegend] == ["assisted", "gt"]
    assert [line.xref for line in drawn.layout.shapes] == ["x2"]  # zero, among the differences


def test_voters_are_drawn_once_however_many_systems() -> None:
    crowd = quorate.simulate("irt", items=300, raters=3, expert_share=0.4)
    assert isinstance(crowd, CrowdSimulation)
    drawn = plots.estimate(quorate.estimate(crowd.votes, crowd.experts, crowd.scores, metric=["auc", "human_tpr"]))
    assert drawn.layout.yaxis.ticktext == ("A: auc", "B: auc")
    assert drawn.layout.yaxis2.ticktext == ("human_tpr",)
    assert [len(trace.x) for trace in drawn.data] == [2, 2, 1, 1]


def test_a_fit_an_audit_and_a_sweep_are_drawn() -> None:
    fitted = quorate.fit("example:support")
    assert [trace.name for trace in plots.fit(fitted).data] == ["observed", "expected"]
    assert below(plots.fit_spread(fitted)) == "plurality share of an item, 120 items"
    audited = quorate.audit("dices", items=30, raters=3, metric="agreement", null="sharp", replicates=100)
    claims = "studies that claim a difference (%), whiskers 99.9 %<br>100 studies of 30 items × 3 raters"
    assert below(plots.audit(audited)) == claims
    assert plots.audit_coverage(audited).layout.xaxis.range[1] == 100.5
    sizes = ((600, 600, 1), (600, 300, 2))
    swept = sweep(Grid({"dices": (5.22, 0.86, 2.75)}, ("agreement",), (0.3,), sizes, answers=1))
    assert plots.sweep(swept).data[0].name == "600 responses"
    assert figures(quorate.presets()) == []


def test_points_of_a_figure_become_lines_in_order_and_one_alone_is_not_drawn() -> None:
    places = [("dices", "NK = 100", 5), ("dices", "NK = 100", 1), ("dices", "NK = 200", 5), ("jobs", "NK = 100", 5)]
    cells = [
        point("forest", "Figure 3", FigurePoint(panel=panel, line=line, axis="K", place=k), "p", 0.1 * k, 0.0, "")
        for panel, line, k in places
    ]
    (panel,) = curves([*cells, Cell("forest", "Figure 3", "dices", "p", None, 0.5)])
    assert {name: [k for k, _ in line] for name, line in panel.lines.items()} == {"NK = 100": [1, 5], "NK = 200": [5]}
    assert go.Figure(reproduce_curves(panel)).layout.xaxis.title.text == "raters per item"
    assert go.Figure(reproduce_curves(replace(panel, kind="p"))).layout.yaxis.title.text == "expected p"


def test_only_p_values_that_are_printed_and_computed_are_drawn_beside_each_other() -> None:
    printed = Cell("forest", "Table 2", "dices", "p of wins", 0.05, 0.1, kind="p")
    others = [replace(printed, ours=None), replace(printed, published=None), replace(printed, kind="claim")]
    assert p_cells([printed, *others]) == [printed]


def test_a_picture_of_another_kind_is_refused() -> None:
    with pytest.raises(quorate.InputError, match="cannot be written as gif; use png, svg or pdf"):
        picture(None, "gif")


def test_without_kaleido_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kaleido", None)
    with pytest.raises(quorate.InputError, match=r"quorate\[images\]"):
        to_image(quorate.describe("example:support"), "png")


@pytest.mark.parametrize(
    ("name", "words"), [("out.gif", [".html", ".png"]), ("no/out.html", ["directory does not exist"])]
)
def test_a_file_that_cannot_be_written_is_refused_first(
    quorate: Run, tmp_path: Path, name: str, words: list[str]
) -> None:
    done = quorate("describe", "example:support", "-o", name, cwd=tmp_path)
    assert done.returncode == 2
    assert all(word in done.stderr for word in words)
    assert list(tmp_path.iterdir()) == []


def test_what_has_no_plot_says_so_and_writes_nothing(quorate: Run, tmp_path: Path) -> None:
    done = quorate("presets", "-o", "presets.png", cwd=tmp_path)
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
    assert "no plot" in done.stderr


def test_raters_at_one_point_are_named_once_and_together() -> None:
    same = {"item": [f"i{i}" for i in range(9) for _ in "abc"], "rater": list("abc" * 9), "response": ["yes"] * 27}
    drawn = plots.describe_habits(quorate.describe(same))
    assert [name for trace in drawn.data for name in trace.text if name] == ["a, b and c"]


def test_one_item_is_called_one_item() -> None:
    drawn = plots.describe_raters(quorate.describe({"item": ["x"] * 3, "rater": list("abc"), "response": list("yyn")}))
    assert drawn is not None
    assert below(drawn) == "1 item by their responses"


def test_names_of_raters_stand_towards_the_middle_of_the_map() -> None:
    [drawn, *_] = plots.describe_habits(quorate.describe("example:support")).data
    last, first = max(range(14), key=lambda i: drawn.x[i]), min(range(14), key=lambda i: drawn.x[i])
    assert (drawn.textposition[first], drawn.textposition[last]) == ("top right", "top left")
