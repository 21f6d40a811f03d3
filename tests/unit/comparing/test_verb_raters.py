"""`compare` where raters come back: the analysis of variance of single answers, what is said, and what is asked for."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from quorate import Comparison, compare
from quorate._typing import Array

Columns = dict[str, list[Any]]


def leaning(n_items: int = 40, n_raters: int = 6, lean: float = 0.8, seed: int = 0) -> tuple[Columns, Columns, Array]:
    """A says yes and B says no on every item; raters lean towards either. Also +1 or −1 per item and rater."""
    rng = np.random.default_rng(seed)
    latent = (
        rng.normal(size=(n_items, 1)) + lean * rng.normal(size=(1, n_raters)) + rng.normal(size=(n_items, n_raters))
    )
    yes = latent > 0
    item, rater = (x.reshape(-1) for x in np.indices(yes.shape))
    ratings: Columns = {
        "item": [f"i{i:03}" for i in item],
        "rater": [f"r{j}" for j in rater],
        "response": ["yes" if y else "no" for y in yes.reshape(-1)],
        "doc": [f"d{i // 2}" for i in item],
    }
    names = sorted(set(ratings["item"]))
    answers: Columns = {
        "item": [*names, *names],
        "system": ["a"] * n_items + ["b"] * n_items,
        "response": ["yes"] * n_items + ["no"] * n_items,
    }
    return ratings, answers, np.where(yes, 1.0, -1.0)


def squares(y: Array) -> tuple[float, float, float]:
    n, r = y.shape
    rest = y - y.mean(1, keepdims=True) - y.mean(0) + y.mean()
    return r * y.mean(1).var(ddof=1), n * y.mean(0).var(ddof=1), float((rest**2).sum() / ((n - 1) * (r - 1)))


def test_crossed_raters_give_the_analysis_of_variance() -> None:
    ratings, answers, y = leaning()
    pair = compare(ratings, answers).pairs[0]
    items, raters, rest = squares(y)
    assert pair.difference == pytest.approx(y.mean())
    assert pair.se == pytest.approx(np.sqrt((items + raters - rest) / y.size))
    assert (pair.unit, pair.n_raters) == ("items+raters", 6)
    assert pair.effective_raters == pytest.approx(6.0)
    assert pair.rater_effect == pytest.approx((items + raters - rest) / items)


def test_who_is_fixed_decides_the_variance_and_the_sentence() -> None:
    ratings, answers, y = leaning()
    items, raters, _ = squares(y)
    fixed_raters = compare(ratings, answers, raters_are="fixed").pairs[0]
    fixed_items = compare(ratings, answers, items_are="fixed").pairs[0]
    assert fixed_raters.se == pytest.approx(np.sqrt(items / y.size))
    assert fixed_items.se == pytest.approx(np.sqrt(raters / y.size))
    assert fixed_items.df == pytest.approx(5.0)
    assert "unit items: other items, the same raters" in fixed_raters.sentence
    assert "40 items × 6 raters, unit raters: the same items, other raters" in fixed_items.sentence


def test_raters_who_all_agree_on_fixed_items_are_not_items_that_do() -> None:
    # Two raters agree on all of five items, of which the systems differ on three, 2 to 1; others may not.
    ratings = {"item": [1, 2, 3, 4, 5] * 2, "rater": ["x"] * 5 + ["y"] * 5, "response": list("yynny") * 2}
    answers = {"item": [1, 2, 3, 4, 5] * 2, "system": ["a"] * 5 + ["b"] * 5, "response": [*"yyyny", *"nnnny"]}
    found = compare(ratings, answers, items_are="fixed")
    [pair] = found.pairs
    assert pair.difference == pytest.approx(0.2)
    assert (pair.se, pair.p_value) == (0.0, 1.0)
    assert pair.low < 0 < pair.high
    assert "a and b differ by the same amount to every rater: the interval holds what could" in " ".join(found.warnings)
    assert "on every item" not in str(found)
    third = {"item": [1, 2, 3, 4, 5] * 3, "system": [*"aaaaabbbbbccccc"], "response": [*"yyyny", *"nnnny", *"nyyny"]}
    several = compare(ratings, third, items_are="fixed")
    assert several.pairs[0].p_value == 1.0  # other systems add no raters
    assert (several.pairs[0].low, several.pairs[0].high) == pytest.approx((pair.low, pair.high))


def test_a_group_of_one_rater_shows_nothing_of_other_raters() -> None:
    rows = [(item, rater) for item in range(8) for rater in ("x" if item < 4 else "xy")]
    ratings = {
        "item": [item for item, _ in rows],
        "rater": [rater for _, rater in rows],
        "response": [["no", "yes"][(3 * item + ord(rater)) % 5 > 2] for item, rater in rows],
        "topic": ["one" if item < 4 else "two" for item, _ in rows],
    }
    answers = {
        "item": list(range(8)) * 3,
        "system": [name for name in "abc" for _ in range(8)],
        "response": [["no", "yes"][(item * (k + 2)) % 3 > 0] for k in range(3) for item in range(8)],
    }
    one, two = compare(ratings, answers, items_are="fixed", by="topic").groups
    assert np.isnan([pair.low for pair in one.pairs]).all()
    assert {pair.verdict for pair in one.pairs} <= {"inconclusive", "identical"}
    assert np.isfinite([pair.low for pair in two.pairs]).all()


def test_it_says_why_raters_count() -> None:
    ratings, answers, _ = leaning()
    found = compare(ratings, answers)
    assert found.unit_reason == "6 raters are shared across items, so raters count as random."
    assert "6 raters are shared across items, so raters count as random. Counting raters as drawn " in str(found)
    assert "unit items+raters: other items, other raters" in found.pairs[0].sentence
    assert found.to_dict()["unit_reason"] == found.unit_reason
    assert not any("what others would say" in warning for warning in found.warnings)
    few = compare(*leaning(n_raters=3)[:2])
    assert any("Only 3 raters: what others would say is hardly known" in warning for warning in few.warnings)
    assert any("cannot show two camps of people: in 25 % of studies" in warning for warning in few.warnings)


def test_few_raters_of_several_systems_say_that_pairs_borrow() -> None:
    def borrowed(n_raters: int, systems: int) -> bool:
        ratings, answers, _ = leaning(n_raters=n_raters)
        n = len(set(ratings["item"]))
        third = ["yes", "no"] * (n // 2)
        several = {
            "item": [*answers["item"], *answers["item"][:n]],
            "system": [*answers["system"], *["c"] * n],
            "response": [*answers["response"], *third],
        }
        found = compare(ratings, several if systems == 3 else answers)
        return any("borrow from each other" in warning for warning in found.warnings)

    assert borrowed(3, 3)
    assert not borrowed(3, 2)
    assert not borrowed(6, 3)


def test_raters_of_one_item_each_change_nothing() -> None:
    ratings, answers, _ = leaning()
    ratings["rater"] = [f"{i}-{r}" for i, r in zip(ratings["item"], ratings["rater"], strict=True)]
    items = compare(ratings, answers)
    assert (items.pairs[0].unit, items.unit_reason) == ("items", "")
    asked = compare(*leaning()[:2], unit="raters-within-items").pairs[0]
    assert asked.se == pytest.approx(items.pairs[0].se)


def test_raters_tell_more_than_their_number_if_they_agree() -> None:
    # Negative control of the test above: with raters who lean a lot, items alone give an interval far too short.
    ratings, answers, _ = leaning(lean=2.0)
    alone, both = (compare(ratings, answers, unit=unit).pairs[0] for unit in ("items", "S1"))
    assert both.high - both.low > 2 * (alone.high - alone.low)


@pytest.mark.parametrize("metric", ["accuracy", "total_variation", "kl", "f1", "wins:accuracy", "cross_entropy"])
def test_swapping_systems_flips_the_sign_and_keeps_the_interval(metric: str) -> None:
    ratings, answers, _ = leaning(lean=0.5)
    answers["response"][:20] = ["no"] * 20
    positive = "yes" if metric == "f1" else None
    one, other = (
        compare(ratings, answers, metric=metric, positive=positive, systems=names).pairs[0]
        for names in (["a", "b"], ["b", "a"])
    )
    assert one.unit == "items+raters"
    assert one.difference == pytest.approx(-other.difference)
    assert one.low == pytest.approx(-other.high)
    assert one.p_value == pytest.approx(other.p_value)


def test_plurality_of_leaning_raters_is_wider_than_items_alone() -> None:
    ratings, answers, _ = leaning(n_items=200)
    alone, both = (compare(ratings, answers, metric="accuracy", unit=unit).pairs[0] for unit in ("items", "auto"))
    assert both.difference == pytest.approx(alone.difference)
    assert both.se > 1.5 * alone.se


def test_rank_scores_count_raters_too() -> None:
    ratings, answers, _ = leaning()
    ratings["response"] = [int(r == "yes") for r in ratings["response"]]
    answers["response"] = [int(r == "yes") for r in answers["response"]]
    answers["response"][::3] = [1 - int(str(r)) for r in answers["response"][::3]]
    found = compare(ratings, answers, metric=["mae", "spearman"], scale="interval")
    assert [pair.unit for pair in found.pairs] == ["items+raters", "items+raters"]


def test_wins_of_rated_systems_leave_raters_out_and_say_so() -> None:
    rng = np.random.default_rng(8)
    item, rater, system = (x.reshape(-1).tolist() for x in np.indices((20, 4, 2)))
    table = {"item": item, "rater": rater, "system": ["ab"[s] for s in system], "response": rng.integers(1, 6, 160)}
    found = compare(table, rated_system="system", metric=["mean_rating", "wins:mean_rating"], scale="ordinal")
    assert [pair.unit for pair in found.pairs] == ["items+raters", "items"]
    assert any("Raters are not counted for wins:mean_rating" in warning for warning in found.warnings)


def test_groups_clusters_and_leaderboards_count_raters_too() -> None:
    ratings, answers, _ = leaning()
    ratings["half"] = [f"h{int(str(i)[1:]) % 2}" for i in ratings["item"]]
    names = answers["item"][:40]
    answers = {
        "item": [*answers["item"], *names],
        "system": [*answers["system"], *["c"] * 40],
        "response": [*answers["response"], *(["yes", "no"] * 20)],
    }
    found: Comparison = compare(ratings, answers, by="half")
    assert {pair.unit for group in found.groups for pair in group.pairs} == {"items+raters"}
    assert {pair.n_raters for group in found.groups for pair in group.pairs} == {6}
    alone = compare(ratings, answers, unit="items")
    for wide, narrow in zip(found.ranking, alone.ranking, strict=True):
        assert wide.high - wide.low >= narrow.high - narrow.low - 1e-12
    clustered = compare(ratings, answers, unit="cluster:doc+raters").pairs[0]
    assert (clustered.unit, clustered.n_raters) == ("cluster:doc+raters", 6)


def test_rated_systems_count_their_raters() -> None:
    # Three raters score both systems; rater effects of the difference decide: closed form of the paired table.
    rng = np.random.default_rng(4)
    y = rng.integers(1, 6, size=(15, 3, 2)) + np.array([0.0, 1.0, 3.0])[None, :, None] * np.array([1.0, 0.0])
    item, rater, system = (x.reshape(-1) for x in np.indices(y.shape))
    table = {
        "item": item.tolist(), "rater": rater.tolist(), "system": ["ab"[s] for s in system],
        "response": y.reshape(-1).tolist(),
    }  # fmt: skip
    pair = compare(table, rated_system="system", scale="interval").pairs[0]
    items, raters, rest = squares(y[..., 0] - y[..., 1])
    assert pair.unit == "items+raters"
    assert pair.difference == pytest.approx((y[..., 0] - y[..., 1]).mean())
    assert pair.se == pytest.approx(np.sqrt(max(items + raters - rest, items, raters) / 45))
    low = compare(table, rated_system="system", scale="interval", better="low").pairs[0]
    assert low.difference == pytest.approx(-pair.difference)
    assert low.low == pytest.approx(-pair.high)


def test_a_margin_out_of_reach_asks_for_people() -> None:
    ratings, answers, _ = leaning(n_items=100, n_raters=4)
    sentence = compare(ratings, answers, margin=0.05).pairs[0].sentence
    assert sentence.endswith(
        "No number of items would settle a margin of 0.05 with 4 raters like these; ask more people."
    )


def test_a_margin_that_so_few_items_cannot_show_names_the_fewest() -> None:
    # 2 (1 − 0.01)^N ≤ 0.05 from N = 368 on.
    ratings, answers, _ = leaning(n_items=100, n_raters=4)
    sentence = compare(ratings, answers, margin=0.01).pairs[0].sentence
    assert "With fewer than 368 items nothing can pass a margin of 0.01" in sentence


def test_row_order_and_names_do_not_matter() -> None:
    ratings, answers, _ = leaning()
    order = np.random.default_rng(1).permutation(len(ratings["item"]))
    shuffled: Columns = {name: [column[k] for k in order] for name, column in ratings.items()}
    assert compare(shuffled, answers).pairs == compare(ratings, answers).pairs


def two_positives(said: str = "yes") -> tuple[Columns, Columns]:
    """Three raters agree that two of forty items are positive; two systems say so too, or miss one."""
    items, raters = [f"i{i:02}" for i in range(40)], ["ann", "ben", "cy"]
    truth = {item: "yes" if item < "i02" else "no" for item in items}
    ratings: Columns = {
        "item": [item for item in items for _ in raters],
        "rater": raters * len(items),
        "response": [truth[item] for item in items for _ in raters],
    }
    right = [truth[item] for item in items]
    answers: Columns = {"item": items * 2, "system": ["a"] * 40 + ["b"] * 40, "response": [*right, said, *right[1:]]}
    return ratings, answers


def test_identical_by_recall_are_known_by_the_positives_alone() -> None:
    ratings, answers = two_positives()
    result = compare(ratings, answers, metric="recall", positive="yes")
    pair = result.pairs[0]
    assert pair.verdict == "identical"
    assert pair.high == pytest.approx(1 - 0.025**0.5, abs=1e-4)  # of two items, not of forty: 0.088
    assert "only 2 of them count in it, and a difference on fewer than 84 % of these" in pair.sentence


def test_a_set_score_has_an_interval_of_possible_scores_by_the_items_it_counts() -> None:
    ratings, answers = two_positives("no")
    by_name = {row.system: row for row in compare(ratings, answers, metric="recall", positive="yes").ranking}
    assert by_name["a"].score == 1.0
    assert by_name["a"].high == pytest.approx(1.0)
    assert by_name["a"].low == pytest.approx(0.025**0.5, abs=1e-4)
    assert by_name["b"].score == 0.5
    assert 0.0 <= by_name["b"].low < 0.1 < 0.9 < by_name["b"].high <= 1.0


def test_one_mark_that_is_missing_leaves_a_leaderboard_as_it_is() -> None:
    """Systems borrow from each other how far raters differ, also where one cell of the table is empty."""
    rng = np.random.default_rng(5)
    system, item, rater = (each.reshape(-1) for each in np.indices((6, 40, 3)))
    taste, own = rng.normal(0, 0.5, (6, 1, 3)), rng.normal(0, 0.7, (6, 40, 1))
    marks = (3 + taste + own + rng.normal(0, 0.7, (6, 40, 3))).round().clip(1, 5).reshape(-1)
    table = pl.DataFrame({"item": item, "rater": rater, "system": system, "response": marks})
    full, less = (compare(each, rated_system="system") for each in (table, table[1:]))
    for whole, one in zip(full.pairs, less.pairs, strict=True):
        ends = [(each.low_adjusted or 0.0, each.high_adjusted or 0.0) for each in (whole, one)]
        width, other = (high - low for low, high in ends)
        assert other == pytest.approx(width, rel=0.2)
        assert one.p_adjusted == pytest.approx(whole.p_adjusted, abs=0.1)
