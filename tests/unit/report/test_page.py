"""Pages say the verdict first, hold everything they need, and show names as text whatever is in them."""

import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import quorate
from quorate.comparing.result import Comparison
from quorate.comparing.words import in_reading_order
from quorate.planning.grid_sweep import sweep
from quorate.planning.grids import Grid
from quorate.planning.result import Planned
from quorate.report import figures, to_html, to_page
from quorate.report.describing import _apart
from quorate.report.page import REFERENCES, Plot, Section, assemble, parameters, setting
from quorate.results.result import Result
from quorate.results.table import Table
from tests.page import EVIL, Seen
from tests.run import Run

ROOT = Path(__file__).parents[3]
PLAN = ["plan", "--preset", "dices", "--difference", "0.05", "--quiet"]


@pytest.fixture(scope="module")
def results(planned: Planned, support: Comparison) -> dict[str, Result]:
    files = ("example:moderation", "example:moderation-experts", "example:moderation-scores")
    dices = {"dices": (5.22, 0.86, 2.75)}
    return {
        "plan": planned,
        "compare": support,
        "presets": quorate.presets(),
        "describe": quorate.describe("example:support"),
        "describe numbers": quorate.describe({"item": [1, 1, 2, 2], "response": [0.25, 1.5, 2.125, 3.75]}),
        "estimate": quorate.estimate(*files, metric=["auc", "f1"], method=["maven", "gt"], draws=50),
        "audit": quorate.audit("dices", items=30, raters=3, metric="agreement", effect=0.3, replicates=100),
        "fit": quorate.fit("example:support"),
        "sweep": sweep(Grid(dices, ("agreement",), (0.3,), ((600, 600, 1), (600, 300, 2)), answers=1)),
    }


def test_the_verdict_is_the_first_heading_and_the_first_text(results: dict[str, Result]) -> None:
    for result in results.values():
        found = to_page(result)
        said = result.sentence()
        assert said.startswith(found.headline)
        assert said.endswith(found.rest)
        assert len(said) - len(found.headline) - len(found.rest) <= len(": ")
        text = re.sub(r"\s+", " ", Seen(to_html(result)).text)
        heading = text.index(found.headline[:60])
        assert all(heading < text.index(section.title, heading) for section in found.sections)


def test_a_sentence_begins_with_a_large_letter_but_a_name_stays_as_it_is() -> None:
    said = {
        "item": [f"i{k}" for k in range(40)] * 2,
        "model": ["atlas"] * 40 + ["birch"] * 40,
        "mark": ["3"] * 79 + ["4"],
    }
    said["mark"][:40] = ["4"] * 20 + ["5"] * 20
    found = quorate.compare(said, rated_system="model")
    [failure] = [each for each in found.warnings if "a failure on fewer" in each]
    assert failure.startswith("atlas and birch: ")
    shown = Seen(to_html(found)).text
    assert failure[:40] in shown
    assert "Atlas" not in shown
    page = to_page(found)
    assert page.begin("the scores are one") == "The scores are one"
    assert page.begin("at least") == "At least"
    assert page.begin("votes.csv: 3 rows") == "votes.csv: 3 rows"
    assert "first-letter" not in to_html(found)


def test_a_result_that_was_kept_and_read_again_has_the_same_page(results: dict[str, Result]) -> None:
    for result in results.values():
        again = pickle.loads(pickle.dumps(result))
        assert to_html(again) == to_html(result)
        assert again.to_dict() == result.to_dict()


def test_headlines_end_without_a_mark(results: dict[str, Result]) -> None:
    assert [found for result in results.values() if (found := to_page(result).headline)[-1] in ".,:;"] == []


def test_a_long_sentence_is_cut_where_its_details_begin() -> None:
    result = quorate.fit("example:summaries")
    said = "Two answers to an item agree 0.17 beyond chance in example:summaries, 0.18 in the normal population "
    assert to_page(result).headline == f"{said}most like it"


def test_one_size_is_not_drawn_as_a_choice() -> None:
    asked = quorate.plan("dices", difference=0.05, items=[200], raters=[3])
    assert [plot.title for section in to_page(asked).sections for plot in section.plots] == [
        "Power by number of items, 3 raters each"
    ]


def test_a_page_needs_no_network(results: dict[str, Result]) -> None:
    for result in results.values():
        text = to_html(result)
        loaded = re.findall(r"<(?:link|img|script|iframe)[^>]*(?:src|href)\s*=\s*[\"']?([^\"'\s>]+)", text)
        assert [address for address in loaded if not address.startswith("data:")] == []
        assert "@import" not in text


def test_plotly_is_inside_once_and_only_with_plots(results: dict[str, Result]) -> None:
    assert to_html(results["plan"]).count('id="plotly-packed"') == 1
    assert "plotly-packed" not in to_html(results["presets"])
    assert len(to_html(results["plan"])) < 2_200_000


def test_every_plot_has_a_text_and_a_table(results: dict[str, Result]) -> None:
    for result in results.values():
        for section in to_page(result).sections:
            for plot in section.plots:
                assert len(plot.alt) > 30
                assert plot.numbers.rows, plot.title
                assert all(len(row) == len(plot.numbers.header) for row in plot.numbers.rows)


def test_figures_are_plain_json_and_say_their_units(results: dict[str, Result]) -> None:
    for result in results.values():
        for plot in (plot for section in to_page(result).sections for plot in section.plots):
            assert json.loads(json.dumps(plot.figure, allow_nan=False)) == plot.figure
            layout = plot.figure["layout"]
            below = [note["text"] for note in layout.get("annotations", ()) if note.get("name") == "x title"]
            assert layout["xaxis"]["title"]["text"] or below


def test_the_table_of_purchases_is_the_one_of_the_result(planned: Planned) -> None:
    table = to_page(planned).sections[1].tables[0]
    assert [row[0] for row in table.rows] == [option.name for option in planned.options]
    items = list(table.header).index("items")
    assert [row[items] for row in table.rows] == [f"{option.size.n_items:,}" for option in planned.options]


def evil_results(ratings: dict[str, list[str]], answers: dict[str, list[str]]) -> dict[str, Result]:
    votes = {**ratings, "response": [int(each != "no") for each in ratings["response"]]}
    items = list(dict.fromkeys(ratings["item"]))
    experts = {"item": items[:30], "label": [i % 2 for i in range(30)]}
    scores = {"item": items * 2, "system": answers["system"][:80], "score": [i % 7 / 7 for i in range(80)]}
    fitted = quorate.fit(ratings)
    pilot = quorate.read_systems({name: values[:80] for name, values in answers.items()}, quorate.read_ratings(ratings))
    return {
        "compare": quorate.compare(ratings, answers, by="topic"),
        "describe": quorate.describe(ratings),
        "fit": fitted,
        "plan": quorate.plan(pilot=pilot, difference=0.1, unit="items"),
        "simulate": quorate.simulate(fitted.population, items=10, raters=3),
        "audit": quorate.audit(fitted.population, items=10, raters=2, replicates=20),
        "estimate": quorate.estimate(votes, experts, scores, metric=["auc"], selection="ignore", draws=50),
    }


@pytest.fixture(scope="module")
def evil_found(evil_data: tuple[dict[str, list[str]], dict[str, list[str]]]) -> dict[str, Result]:
    return evil_results(*evil_data)


@pytest.mark.parametrize("verb", ["describe", "fit", "estimate", "plan", "simulate", "audit"])
def test_names_that_hold_html_are_text_on_every_page(verb: str, evil_found: dict[str, Result]) -> None:
    found = Seen(to_html(evil_found[verb]))
    assert not {"img", "svg", "b", "a", "iframe"} & set(found.tags)
    assert [name for name in found.attributes if name.startswith("on")] == []
    name = {"describe": "rater", "estimate": "system", "plan": "system"}.get(verb, "category")
    assert EVIL[name] in found.text


def test_names_that_hold_html_are_text(evil_found: dict[str, Result]) -> None:
    result = evil_found["compare"]
    text = to_html(result, command="quorate compare '</code><script>alert(9)</script>'")
    found = Seen(text)
    assert not {"img", "svg", "b", "a", "iframe"} & set(found.tags)
    assert [name for name in found.attributes if name.startswith("on")] == []
    assert len(found.scripts) == 2 + len(figures(result))  # plotly, ours, and the data of each plot
    assert EVIL["system"] in found.text
    assert EVIL["group"] in found.text
    assert "</code><script>alert(9)" in found.text


@pytest.mark.parametrize("verb", ["compare", "describe", "fit", "estimate", "plan", "audit"])
def test_names_that_hold_html_are_text_in_plots(verb: str, evil_found: dict[str, Result]) -> None:
    """Plotly reads a little HTML in its texts: no tag may come from a name."""
    ours = re.compile(r"<(?:br|b|/b|extra|/extra)>")
    for drawn in figures(evil_found[verb]):
        for text in _texts(drawn.to_plotly_json()):
            assert "<" not in ours.sub("", text), text


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for each in value.values() for text in _texts(each)]
    return [text for each in value for text in _texts(each)] if isinstance(value, list | tuple) else []


def test_an_unescaped_name_would_be_seen() -> None:
    """Negative control: the parser above does find an element that was let through."""
    assert "img" in Seen("<p><img src=x onerror=alert(1)></p>").tags


def test_the_command_line_writes_a_report_and_says_how_to_make_it_again(quorate: Run, tmp_path: Path) -> None:
    done = quorate(*PLAN, "-o", "report.html", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    text = re.sub(r"</?span[^>]*>", "", (tmp_path / "report.html").read_text())
    assert "quorate plan --preset dices --difference 0.05 --quiet -o report.html" in text
    assert done.stdout.splitlines()[0].split(":")[0] in text


def test_reports_cost_nothing_at_the_start() -> None:
    """Neither plotly nor jinja2 is imported unless a page is made."""
    code = "import sys, quorate; quorate.plan, quorate.compare; print({'plotly', 'jinja2'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_the_same_result_gives_the_same_page(support: Comparison) -> None:
    assert to_html(support) == to_html(support)


def test_settings_are_written_out_and_what_was_not_set_is_left_out() -> None:
    assert [setting(value) for value in ({"item": 0.0, "rating": 1.0}, None, [1, 2], True)] == [
        "item: 0, rating: 1",
        "",
        "1, 2",
        "yes",
    ]
    nested = {"means": {"family": "uniform", "low": 0}, "sizes": [[100, 1], [50, 2]]}
    assert setting(nested) == "means: (family: uniform, low: 0), sizes: (100, 1), (50, 2)"
    population = {"kind": "dirichlet", "alpha": [5.0, 1.5], "levels": None}
    assert parameters(population) == ["kind: dirichlet", "alpha: 5, 1.5"]
    fitted = {"alpha": [1.60078, 0.615602], "noise": [0.5, 0.5], "means": {"sd": 0.962542}}
    assert parameters(fitted) == ["alpha: 1.601, 0.6156", "means: sd: 0.9625"]
    assert setting({"noise": [0.7, 0.3]}) == "noise: 0.7, 0.3"  # what is not the same for every category is said
    assert setting(123456.0) == "123456"


def test_sources_in_the_table_of_presets_are_written_out() -> None:
    page = to_page(quorate.presets())
    cited = {key for row in page.sections[0].tables[0].rows for key in re.findall(r"\[(\w+)", row[-1])}
    assert cited <= {re.findall(r"\w+", line)[0] for line in page.references}


def test_what_was_left_out_of_a_log_is_counted_whole() -> None:
    logs = ROOT / "tests" / "formats" / "data"
    found = quorate.convert([logs / "new.eval", logs / "old.eval"], score="match")
    assert [each.rows for each in found.dropped] == [42, 1]
    assert dict(to_page(found).facts)["left out"] == "43"


def test_names_of_raters_that_would_stand_on_another_are_left_out() -> None:
    rows = [{"rater": name, "along": x, "leaning": y} for name, x, y in (("a", 0, 0), ("b", 0.01, 0.01), ("c", 1, 1))]
    assert _apart(rows, [0.0, 1.0]) == ["a", "", "c"]


def test_classes_and_their_metrics_are_explained_and_a_cut_is_said() -> None:
    names = ["p", "q", "r", "s", "t"]
    votes = {
        "item": [f"i{i}" for i in range(200) for _ in range(2)],
        "response": [names[(i + (i * j) % 3) % 5] for i in range(200) for j in range(2)],
    }
    experts = {"item": [f"i{i}" for i in range(0, 200, 2)], "label": [names[i % 5] for i in range(0, 200, 2)]}
    scores = {
        "item": [f"i{i}" for i in range(200)] * 2,
        "system": ["A"] * 200 + ["B"] * 200,
        "response": [names[(i + (i % (4 + s) == 0)) % 5] for s in range(2) for i in range(200)],
    }
    page = to_page(quorate.estimate(votes, experts, scores))
    [said] = page.sections[0].text
    assert "macro_recall: the mean of recall over the classes" in said
    assert "recall: of the items of a class, the share called so" in said
    assert page.sections[0].plots[0].title.endswith("; the first 30 of 39")


def test_a_table_whose_caption_is_the_heading_says_it_once(planned: Planned) -> None:
    text = to_html(planned)
    assert (text.count("<h2>What to buy</h2>"), text.count("<caption>What to buy</caption>")) == (1, 0)


def test_a_source_that_is_cited_is_written_out() -> None:
    page = assemble(quorate.presets(), facts=[], sections=[], method=["After [forest] and [nobody]."])
    assert [line.split()[:2] for line in page.references] == [["[forest]", "Pandita,"]]


@pytest.mark.skipif(not (ROOT / "docs").exists(), reason="the bibliography comes with the repository")
def test_sources_are_in_the_bibliography() -> None:
    text = (ROOT / "docs" / "references.bib").read_text()
    titles = {
        key: re.sub(r"[{}]", "", title) for key, title in re.findall(r"@\w+\{(\w+),[^@]*?\btitle = \{(.*)\}", text)
    }
    for key, words in REFERENCES.items():
        assert titles[key] in words


def test_a_page_of_votes_says_how_often_each_is_preferred_and_by_which_model() -> None:
    page = to_page(quorate.compare("example:preferences"))
    [table] = next(section for section in page.sections if section.title == "How often each is preferred").tables
    assert "win rate" in table.header
    assert any(reference.startswith("[bradley1952]") for reference in page.references)
    two = to_page(quorate.compare("example:preferences", systems=["atlas", "birch"]))
    assert "How often each is preferred" not in [section.title for section in two.sections]


def test_a_page_of_judges_counts_judges_and_reads_from_the_top() -> None:
    judged = quorate.compare("example:claims", "example:claims-judges", baseline="raters")
    assert judged.data_sheet().startswith("Compared 2 systems (larch, maple) with the raters themselves")
    assert [pair.a for pair in in_reading_order(judged)] == [standing.system for standing in judged.ranking]


def test_plots_stand_side_by_side_and_as_high_unless_a_card_would_be_half_empty() -> None:
    heights = {(200, 340): 340, (340,): None, (200, 900): None}
    for each, shared in heights.items():
        plots = [Plot("", "", {"layout": {"height": height}}, Table("", (), ())) for height in each]
        assert Section("", plots=plots).height == shared


def test_a_page_of_outputs_and_of_pairs_counts_them_as_its_headline_does() -> None:
    """The plots of 120 outputs of 40 items do not speak of 120 items."""
    for source, things in (("example:replies", "outputs"), ("example:preferences", "pairs of outputs")):
        found = quorate.describe(source, rated_system="system" if things == "outputs" else None)
        drawn = figures(found)
        said = json.dumps([each.to_plotly_json()["layout"] for each in drawn], default=str, ensure_ascii=False)
        assert f"How disputed the {things} are" in said
        assert f"{found.ratings.n_items} {things} by their responses" in said
        assert f"{found.ratings.n_items} items" not in said
        assert found.tables()["disputed"].caption.startswith(f"Most disputed {things}")


def test_raters_at_one_place_but_for_rounding_are_named_together() -> None:
    rows = [{"rater": name, "along": 2 / 3 + i * 1e-16, "leaning": 1 / 3 - i * 6e-17} for i, name in enumerate("ab")]
    assert _apart(rows, [0.6, 0.7]) == ["a and b", ""]


def test_columns_with_a_long_cell_take_two_places_on_a_phone() -> None:
    """And their words and numbers stay whole."""
    table = Table("", ["metric", "interval", "n"], [["auc", "0.8587 to 0.9900", "3"], ["f1", "–", "12"]])
    assert table.half == (False, True, False)


def test_options_stand_on_one_line() -> None:
    found = quorate.compare("example:claims", "example:claims-judges", baseline="raters")
    assert '<span class="word">--margin:</span>' in to_html(found)


def test_a_page_of_votes_says_how_votes_were_drawn_not_experts() -> None:
    page = to_page(quorate.simulate("preference", items=20, raters=4, pool=8, win_rate=0.6))
    assert "close calls are ties" in page.method[0]
    crowd = to_page(quorate.simulate("irt", items=20, raters=3, expert_share=0.5))
    assert "experts label items chosen at random" in crowd.method[0]
