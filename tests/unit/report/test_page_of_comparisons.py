"""The page of a comparison explains its metrics, says which side is good, and cuts nothing without a word."""

import pytest

import quorate
from quorate.comparing.result import Comparison
from quorate.report import plots, to_html, to_page
from quorate.report.assessment import draw_scores


@pytest.fixture(scope="module")
def board() -> Comparison:
    """Six systems on four topics: 60 differences within groups."""
    ratings = {
        "item": [f"i{i}" for i in range(60) for _ in range(3)],
        "response": [["no", "yes"][(i * 7 + j) % 3 > 0] for i in range(60) for j in range(3)],
        "topic": [f"topic {i % 4}" for i in range(60) for _ in range(3)],
    }
    answers = {
        "item": [f"i{i}" for _ in range(6) for i in range(60)],
        "system": [f"s{s}" for s in range(6) for _ in range(60)],
        "response": [["no", "yes"][(i * (s + 3)) % 4 > s % 2] for s in range(6) for i in range(60)],
    }
    return quorate.compare(ratings, answers, by="topic")


def test_groups_are_cut_with_a_word_and_read_as_the_table_of_pairs_does(board: Comparison) -> None:
    drawn = plots.compare_groups(board)
    assert drawn.layout.title.text.endswith("; the first 30 of 60")
    assert not any("agreement" in name for name in drawn.layout.yaxis.ticktext)  # there is one metric
    tables = board.tables()
    pairs = [f"{row[0]} − {row[1]}" for row in tables["pairs"].rows]
    assert [row[1] for row in tables["groups"].rows[: len(pairs)]] == pairs
    [said] = next(section for section in to_page(board).sections if section.title == "By group").text
    *varying, rest = said.split("\n")
    assert len(varying) == 6
    assert rest == "Of the other 9 there is no sign that they vary by group (p from 1.000 up)."


def test_where_low_is_good_the_plot_says_which_side_is_better() -> None:
    low = quorate.compare("example:summaries", "example:summaries-answers", by="source")
    assert low.pairs[0].better == "low"
    assert "right of 0 the first is better" in plots.compare(low).layout.title.text
    assert to_page(low).sections[-1].text == [
        "atlas − birch by crps: no sign that the difference varies by group (p = 0.790)."
    ]
    high = quorate.compare("example:support", "example:support-answers")
    assert "right of 0" not in plots.compare(high).layout.title.text


def test_technical_names_of_metrics_are_explained_and_differences_stand_among_the_facts() -> None:
    found = quorate.compare("example:support", "example:support-answers", metric=["accuracy", "jensen_shannon"])
    page = to_page(found)
    text = "\n".join(text for section in page.sections for text in section.text)
    assert "accuracy: share of the system's answers that are what most raters of the item said" in text
    assert "jensen_shannon: distance from 0 to 1" in text
    assert [name for name, _ in page.facts] == ["difference in accuracy", "difference in jensen shannon", "items"]
    assert found.sentence().startswith("By 2 of 2 metrics atlas is better than birch: accuracy and jensen shannon")


def test_the_axis_of_a_score_has_room_beside_the_bar() -> None:
    found = quorate.compare("example:support", "example:support-answers", systems=["atlas"], target_score=0.3)
    low, high = draw_scores(found)["layout"]["xaxis"]["range"]
    assert low < 0.3 < found.scores[0].high < high
    assert [name for name, _ in to_page(found).facts] == ["atlas", "95 % interval", "p", "bar", "items"]


def test_one_pair_by_several_metrics_names_the_pair_once() -> None:
    found = quorate.compare("example:support", "example:support-answers", metric=["agreement", "wins"])
    drawn = plots.compare(found)
    assert list(drawn.layout.yaxis.ticktext) == ["agreement", "wins:total_variation"]
    assert drawn.layout.title.text.startswith("Difference atlas − birch, 95 % intervals")
    both = plots.compare(quorate.compare("example:support", "example:support-answers"))
    assert list(both.layout.yaxis.ticktext) == ["atlas − birch"]
    assert both.layout.title.text == "Difference between systems, 95 % intervals"


def test_a_judge_surely_worse_is_not_called_undecided_in_the_plot() -> None:
    """Who knows whether by the margin; the sentence, the table and the plot say the same."""
    found = quorate.compare("example:claims", "example:claims-judges", baseline="raters", margin=0.05)
    assert "1 is worse than a rater, but perhaps by less than 0.05: maple" in found.sentence()
    assert [row[6] for row in found.tables()["judges"].rows] == ["not worse", "worse, margin open"]
    assert [trace.name for trace in plots.compare(found).data] == ["not worse", "worse, margin open"]


def test_many_scores_beside_a_bar_are_counted_among_the_facts() -> None:
    ratings = {"item": list(range(60)) * 2, "response": ["no", "yes", "yes"] * 40}
    names = ["perfect", "good", "fair", "poor"]
    answers = {
        "item": [i for _ in names for i in range(60)],
        "system": [name for name in names for _ in range(60)],
        "response": [["no", "yes"][(i % 3 > 0) ^ (i % 4 < s)] for s in range(4) for i in range(60)],
    }
    found = quorate.compare(ratings, answers, target_score=0.6)
    assert found.sentence().head == "2 of 4 systems reach 0.6 by agreement: good and perfect"
    assert "1 misses it: poor; 1 is not told apart from it: fair; 60 items" in found.sentence()
    facts = {"scores": "4", "reach the bar": "2", "miss it": "1", "bar": "0.6", "items": "60"}
    assert dict(to_page(found).facts) == facts
    table = {row[0]: row[4] for row in found.tables()["scores"].rows}
    assert f"fair agreement 0.500, 95 % interval 0.370 to 0.630, p = {float(table['fair']):.2g}" in found.data_sheet()


def test_the_axis_says_how_many_items_whatever_the_systems_are_called(board: Comparison) -> None:
    answers = {"item": list("abcd") * 2, "system": ["by hand"] * 4 + ["poor"] * 4, "response": list("yyynnyyn")}
    ratings = {"item": list("abcd") * 2, "response": list("yynnyyyn")}
    found = quorate.compare(ratings, answers, metric="agreement,accuracy")
    assert plots.compare(found).layout.title.text.startswith("Difference by hand − poor")
    assert plots.compare(found).layout.annotations[0].text == "difference, 4 items"
    assert plots.compare_groups(board).layout.annotations[0].text == "difference in agreement"


@pytest.mark.parametrize("said", ["3", "1"])
def test_a_difference_that_is_not_defined_has_a_page(said: str) -> None:
    """Systems that always answer the same have no rank correlation."""
    ratings = {
        "item": [f"q{i}" for i in range(8) for _ in range(3)],
        "rater": [f"r{k}" for k in range(3)] * 8,
        "response": [str((i * k) % 5 + 1) for i in range(8) for k in range(3)],
    }
    answers = {
        "item": [f"q{i}" for i in range(8)] * 2,
        "system": ["a"] * 8 + ["b"] * 8,
        "response": ["3"] * 8 + [said] * 8,
    }
    result = quorate.compare(ratings, answers, metric="spearman")
    assert "not defined" in to_html(result)
    assert result.to_dict()["pairs"][0]["difference"] is None
    plots.compare_items(result)


def test_ranks_do_not_depend_on_how_small_the_numbers_are() -> None:
    told = []
    for unit in (1.0, 2.0**-1060):
        ratings = {"item": [0, 1, 2, 3], "response": [unit * x for x in (1, 4, 2, 8)]}
        answers = {
            "item": [0, 1, 2, 3] * 2,
            "system": ["a"] * 4 + ["b"] * 4,
            "response": [unit * x for x in (2, 1, 4, 8, 1, 2, 4, 8)],
        }
        told.append(quorate.compare(ratings, answers, metric="spearman", scale="interval").pairs[0])
    assert told[0].score_a == told[1].score_a
    assert told[0].difference == told[1].difference != 0
