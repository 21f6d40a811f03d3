"""What a comparison can do: travel between processes, and show the same tables on a terminal and on a page."""

import json
import pickle
from pathlib import Path

import pytest

from quorate import compare

ANSWERS = "example:support-answers"


def test_a_result_survives_a_pickle() -> None:
    result = compare("example:support", ANSWERS, by="channel")
    again = pickle.loads(pickle.dumps(result))
    assert again.to_dict() == result.to_dict()
    assert str(again) == str(result)
    assert again.to_html() == result.to_html()


def test_terminal_and_page_show_the_same_cells() -> None:
    result = compare("example:support", ANSWERS, by="channel")
    text, page = str(result), result.to_html()
    for table in result.tables().values():
        for row in table.rows if not table.numbers else ():
            for cell in row:
                assert cell.replace("\xa0", " ") in text
                assert cell in page or cell.replace("\xa0", "&nbsp;") in page


def test_settings_name_the_files_and_every_option(tmp_path: Path) -> None:
    rows = "".join(f"{i},{r},{'yes' if (i + r) % 3 else 'no'}\n" for i in range(12) for r in range(2))
    (tmp_path / "r.csv").write_text("doc,who,response\n" + rows)
    said = "".join(f"{i},{s},{'yes' if i % k else 'no'}\n" for i in range(12) for s, k in (("a", 3), ("b", 2)))
    (tmp_path / "a.csv").write_text("doc,system,response\n" + said)
    result = compare(tmp_path / "r.csv", tmp_path / "a.csv", item_column="doc", metric="accuracy", margin=0.1)
    settings = json.loads(json.dumps(result.to_dict()))["settings"]
    assert (settings["ratings"], settings["answers"]) == (str(tmp_path / "r.csv"), str(tmp_path / "a.csv"))
    assert (settings["item_column"], settings["metric"], settings["margin"]) == ("doc", ["accuracy"], 0.1)
    assert settings["metrics"] == ["accuracy"]
    assert result.inputs == (str(tmp_path / "r.csv"), str(tmp_path / "a.csv"))
    assert result.load_report[0].startswith(str(tmp_path / "r.csv")) or "r.csv" in result.load_report[0]


def test_the_histogram_counts_every_item() -> None:
    bins = compare("example:support", ANSWERS).item_bins()
    assert len(bins) == 21
    assert bins[10][2] == 88
    assert sum(n for _, _, n in bins) == 120
    assert bins[10][0] == pytest.approx(-bins[10][1])


RATINGS = {"item": ["i", "i", "j", "j", "k"], "response": ["yes", "no", "yes", "yes", "no"]}
FORECASTS = {
    "item": ["i", "j", "k"] * 2,
    "system": ["a"] * 3 + ["b"] * 3,
    "yes": [0.5, 1.0, 0.0, 1.0, 0.5, 1.0],
    "no": [0.5, 0.0, 1.0, 0.0, 0.5, 0.0],
}


def test_the_excess_of_a_brier_score_leaves_out_the_raters_spread() -> None:
    [pair] = compare(RATINGS, FORECASTS).pairs
    # Item i: two raters differ, so ½ of it is theirs; a scores ¼, b ½: excess −¼ and 0. Item j: they agree; a 0, b ¼.
    # Item k has one rater, and no spread that could be known.
    assert pair.metric == "brier"
    assert pair.excess_a == pytest.approx((-0.25 + 0.0) / 2)
    assert pair.excess_b == pytest.approx((0.0 + 0.25) / 2)


def test_there_is_none_for_other_metrics_or_one_rater_each() -> None:
    [other] = compare(RATINGS, FORECASTS, metric="cross_entropy").pairs
    assert (other.excess_a, other.excess_b) == (None, None)
    once = {"item": ["i", "j", "k"], "response": ["yes", "yes", "no"]}
    [single] = compare(once, FORECASTS).pairs
    assert (single.excess_a, single.excess_b) == (None, None)


def test_the_excess_stands_in_json_and_in_the_table() -> None:
    result = compare(RATINGS, FORECASTS)
    assert result.to_dict()["pairs"][0]["excess_a"] == pytest.approx(-0.125)
    assert result.to_frame()["excess_b"].to_list() == pytest.approx([0.125])
    assert "excess a" in str(result)
    assert "excess a" not in str(compare(RATINGS, FORECASTS, metric="cross_entropy"))
