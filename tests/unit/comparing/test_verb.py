"""`compare` as a function: identities, equal, certain and undefined systems, margins, groups, forms of answers."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_rel

from quorate import Comparison, InputError, compare
from quorate.inference.multiplicity import heterogeneity

CATEGORIES = ("no", "unsure", "yes")
PAIR_FIELDS = {
    "metric", "a", "b", "score_a", "score_b", "difference", "low", "high", "confidence", "p_value", "test", "unit",
    "n_items", "verdict", "sentence",
}  # fmt: skip
RANKING_FIELDS = {"system", "score", "low", "high", "rank_low", "rank_high", "could_be_best"}

Columns = dict[str, list[Any]]


def study(
    n: int = 60,
    systems: Sequence[tuple[str, float]] = (("a", 0.0), ("b", 0.6)),
    *,
    raters: int = 5,
    runs: dict[str, int] | None = None,
    labels: Sequence[Any] = CATEGORIES,
    seed: int = 0,
    probable: bool = False,
) -> tuple[Columns, Columns]:
    """Ratings and answers as columns; system s answers from (1 − e) of the item's law and e of noise."""
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.full(len(labels), 0.8), size=n)
    ratings: Columns = {"item": [], "rater": [], "response": [], "topic": [], "page": []}
    for i in range(n):
        for rater in range(raters):
            ratings["item"].append(f"i{i:03}")
            ratings["rater"].append(f"r{i}-{rater}")  # raters of one item each: test_compare_raters.py shares them
            ratings["response"].append(labels[rng.choice(len(labels), p=law[i])])
            ratings["topic"].append(f"t{i % 3}")
            ratings["page"].append(f"p{i // 4:02}")
    answers: Columns = {"item": [], "system": []}
    answers |= {str(label): [] for label in labels} if probable else {"response": []}
    for name, noise in systems:
        for i in range(n):
            share = (1 - noise) * law[i] + noise * rng.dirichlet(np.ones(len(labels)))
            for _ in range((runs or {}).get(name, 1)):
                answers["item"].append(f"i{i:03}")
                answers["system"].append(name)
                if probable:
                    for label, p in zip(labels, share, strict=True):
                        answers[str(label)].append(float(p))
                else:
                    answers["response"].append(labels[rng.choice(len(labels), p=share)])
    return ratings, answers


def shuffled(columns: Columns, seed: int) -> Columns:
    order = np.random.default_rng(seed).permutation(len(next(iter(columns.values()))))
    return {name: [values[i] for i in order] for name, values in columns.items()}


def text(result: Comparison) -> str:
    return json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False)


# Identities


@pytest.mark.parametrize("test", ["default", "permutation", "wilcoxon", "welch"])
@pytest.mark.parametrize("metric", ["agreement", "brier", "total_variation", "accuracy", "wins", "kl", "cross_entropy"])
def test_swapping_the_systems_mirrors_everything(test: str, metric: str) -> None:
    ratings, answers = study(40)
    forth, back = (
        compare(ratings, answers, metric=metric, systems=order, test=test).pairs[0]
        for order in (["a", "b"], ["b", "a"])
    )
    assert (forth.a, forth.b, back.a, back.b) == ("a", "b", "b", "a")
    assert forth.score_a == back.score_b
    assert forth.difference == pytest.approx(-back.difference, abs=1e-12)
    if test != "permutation":  # 2⁴⁰ sign patterns: other draws for the other order
        assert forth.low == pytest.approx(-back.high, abs=1e-9)
        assert forth.p_value == pytest.approx(back.p_value, rel=1e-9)
    mirror = {"a_better": "b_better", "b_better": "a_better"}
    assert back.verdict == mirror.get(forth.verdict, forth.verdict)


@pytest.mark.parametrize(
    "options", [{}, {"by": "topic"}, {"test": "bootstrap"}, {"metric": ["agreement", "f1"], "positive": "yes"}]
)
def test_the_order_of_rows_changes_not_one_byte(options: dict[str, Any]) -> None:
    ratings, answers = study(40, [("a", 0.0), ("b", 0.3), ("c", 0.6)], runs={"b": 3})
    expected = text(compare(ratings, answers, **options))
    for seed in (1, 2):
        assert text(compare(shuffled(ratings, seed), shuffled(answers, seed + 10), **options)) == expected


def test_names_of_items_and_raters_do_not_matter() -> None:
    ratings, answers = study(40)
    plain = compare(ratings, answers).pairs[0]
    names = {name: f"x{k}" for k, name in enumerate(np.random.default_rng(0).permutation(sorted(set(ratings["item"]))))}
    ratings["item"], answers["item"] = ([names[i] for i in side["item"]] for side in (ratings, answers))
    ratings["rater"] = [f"someone {r}" for r in ratings["rater"]]
    renamed = compare(ratings, answers).pairs[0]
    for field in ("difference", "low", "high", "p_value", "score_a", "score_b"):
        assert getattr(renamed, field) == pytest.approx(getattr(plain, field), rel=1e-12)


def test_the_default_holds_the_paired_t_test_of_item_scores() -> None:
    # Item score: share of the item's raters who gave the system's answer, counted row by row.
    ratings, answers = study(50)
    said = {(s, i): r for s, i, r in zip(answers["system"], answers["item"], answers["response"], strict=True)}
    items = sorted(set(ratings["item"]))
    share = {
        system: [
            np.mean([r == said[system, i] for j, r in zip(ratings["item"], ratings["response"], strict=True) if j == i])
            for i in items
        ]
        for system in ("a", "b")
    }
    pair, test = compare(ratings, answers).pairs[0], ttest_rel(share["a"], share["b"])
    interval = test.confidence_interval(0.95)
    assert pair.metric == "agreement"
    assert pair.score_a == pytest.approx(np.mean(share["a"]), abs=1e-12)
    # The variance is that of a law with the mean in question, never less than the one seen: a little wider.
    assert test.pvalue * (1 - 1e-9) <= pair.p_value <= 1.05 * test.pvalue
    assert interval.low - 0.003 < pair.low < interval.low + 1e-6
    assert interval.high - 1e-6 < pair.high < interval.high + 0.003


def test_a_positive_difference_means_a_is_better_whatever_the_metric() -> None:
    ratings, answers = study(200, [("a", 0.0), ("b", 0.9)])
    metrics = ["agreement", "brier", "accuracy", "total_variation", "kl", "jensen_shannon", "cross_entropy", "wins"]
    result = compare(ratings, answers, metric=metrics)
    assert [pair.metric for pair in result.pairs] == [*metrics[:-1], "wins:total_variation"]
    for pair in result.pairs:
        assert pair.difference > 0
        sign = 1 if pair.better == "high" else -1
        assert pair.difference == pytest.approx(sign * (pair.score_a - pair.score_b), abs=1e-9)


# Equal, certain and undefined systems


@pytest.mark.parametrize(
    "test", ["default", "permutation", "bootstrap", "wilcoxon", "welch", "published:bootstrap:all"]
)
@pytest.mark.parametrize("margin", [None, 0.05])
def test_a_system_against_itself_is_identical(test: str, margin: float | None) -> None:
    ratings, answers = study(30, [("a", 0.2)])
    twin = {**answers, "system": ["b"] * 30}
    both = {name: answers[name] + twin[name] for name in answers}
    pair = compare(ratings, both, test=test, margin=margin).pairs[0]
    assert pair.verdict == "identical"
    assert (pair.difference, pair.p_value) == (0.0, 1.0)
    if test.startswith("published"):
        assert (pair.low, pair.high) == (0.0, 0.0)  # the papers' habit
    else:  # 2 (1 − π)^30 = 0.05
        np.testing.assert_allclose([pair.low, pair.high], np.array([-1, 1]) * (1 - 0.025 ** (1 / 30)), rtol=1e-6)
    assert "identical" in pair.sentence


@pytest.mark.parametrize("n", [3, 5, 20])
def test_a_certain_difference_has_the_sign_test_and_what_may_not_have_shown(n: int) -> None:
    # All raters say yes; a says yes, b says no, on every item: d = 1 everywhere, p = 2^(1 − N).
    items = [f"i{k}" for k in range(n)]
    ratings = {"item": items * 3 + ["z"], "response": ["yes"] * 3 * n + ["no"]}
    answers = {"item": [*items, "z"] * 2, "system": ["a"] * (n + 1) + ["b"] * (n + 1)}
    answers["response"] = ["yes"] * n + ["no"] + ["no"] * n + ["yes"]
    result = compare(ratings, answers)
    pair = result.pairs[0]
    assert pair.p_value == pytest.approx(2.0 ** (1 - (n + 1)))
    # 2 (1 − π)^(n + 1) = 0.05, and a share π of the items at −1 moves the mean by 2 π.
    assert pair.low == pytest.approx(1 - 2 * (1 - 0.025 ** (1 / (n + 1))), abs=1e-6)
    assert pair.high == 1
    assert pair.verdict == ("a_better" if pair.p_value <= 0.05 else "inconclusive")
    assert any("what could have gone unseen" in warning for warning in result.warnings)
    reverse = compare(ratings, answers, systems=["b", "a"], margin=0.1).pairs[0]
    assert reverse.verdict == ("b_better" if pair.low > 0.1 else "inconclusive")


def test_an_undefined_score_is_inconclusive_and_said_to_be() -> None:
    ratings, answers = study(30)
    answers["response"] = ["no"] * 30 + answers["response"][30:]
    result = compare(ratings, answers, metric="precision", positive="yes")
    pair = result.pairs[0]
    assert pair.verdict == "inconclusive"
    assert np.isnan(pair.score_a)
    assert any("not defined for a" in warning for warning in result.warnings)
    assert json.loads(text(result))["pairs"][0]["score_a"] is None
    assert "nan" not in str(result)


def test_too_few_items_for_a_test_by_name_are_said_not_guessed() -> None:
    ratings, answers = study(3)
    for test in ("permutation", "wilcoxon"):
        result = compare(ratings, answers, test=test)
        assert result.pairs[0].verdict in ("inconclusive", "identical")
        text(result)
        assert "inf" not in str(result)


# Margins


def margin_study(shift: int) -> tuple[Columns, Columns]:
    """100 items, one rater who says yes; a is wrong on 20 + shift of them, b on 20 others."""
    items = [f"i{k:03}" for k in range(100)]
    ratings = {"item": [*items, "z"], "response": ["yes"] * 100 + ["no"]}
    a = ["no"] * (20 + shift) + ["yes"] * (80 - shift) + ["no"]
    b = ["yes"] * 80 + ["no"] * 20 + ["no"]
    return ratings, {"item": [*items, "z"] * 2, "system": ["a"] * 101 + ["b"] * 101, "response": a + b}


@pytest.mark.parametrize(
    ("shift", "margin", "verdict"),
    [
        # Differences of about −shift / 101 with a standard error of about 0.062: an interval of ± 0.12.
        (0, None, "inconclusive"),
        (0, 0.05, "inconclusive"),
        (0, 0.13, "equivalent"),
        (-6, 0.13, "not_worse"),
        (-20, 0.13, "a_better"),
        (20, None, "b_better"),
        (20, 0.03, "b_better"),
        (20, 0.2, "inconclusive"),
        (20, 0.5, "equivalent"),
    ],
)
def test_margins(shift: int, margin: float | None, verdict: str) -> None:
    pair = compare(*margin_study(shift), margin=margin).pairs[0]
    assert pair.verdict == verdict
    if verdict == "inconclusive":
        assert ("decide that number now" in pair.sentence) == (margin is not None)
        assert ("--margin" in pair.sentence) == (margin is None)


def test_the_size_that_settles_a_margin_rests_on_the_margin_not_on_the_difference() -> None:
    sizes = []
    for shift in (0, 6):
        sentence = compare(*margin_study(shift), margin=0.05).pairs[0].sentence
        sizes.append(int(sentence.split("About ")[1].split(" items")[0].replace(",", "")))
    # (1.96 + 0.84)² · 0.63² / 0.05² ≈ 1245 from the spread alone; the difference only moves the spread a little.
    assert 1000 < sizes[0] < 1500
    assert abs(sizes[1] / sizes[0] - 1) < 0.2


@pytest.mark.parametrize("margin", [0.07, 0.1])
def test_a_study_that_settles_nothing_is_not_told_that_fewer_items_would(margin: float) -> None:
    ratings, answers = study(200, [("a", 1.0), ("b", 1.0)], raters=1)
    pair = compare(ratings, answers, margin=margin).pairs[0]
    assert pair.verdict == "inconclusive"
    assert int(pair.sentence.split("bout ")[1].split(" items")[0].replace(",", "")) > 200


@pytest.mark.parametrize(("n_items", "warned"), [(60, True), (120, False)])
def test_a_small_graded_gain_may_hide_a_rare_failure_below_100_items(n_items: int, warned: bool) -> None:
    result = compare(*study(n_items, [("a", 0.0), ("b", 0.9)], probable=True))
    assert result.pairs[0].verdict == "a_better"
    assert any("if rare failures matter" in warning for warning in result.warnings) == warned


def test_below_zero_but_within_the_margin_is_not_called_equal() -> None:
    pair = compare(*margin_study(20), margin=0.2).pairs[0]
    assert pair.high < 0
    assert ", but perhaps by less than 0.2: " in pair.sentence
    assert "not tell" not in pair.sentence


# Pairs, baselines, leaderboards


def test_pairs_go_by_name_and_by_the_order_asked_for() -> None:
    ratings, answers = study(30, [("c", 0.0), ("a", 0.2), ("b", 0.4)])
    named = compare(ratings, answers)
    assert [(pair.a, pair.b) for pair in named.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    asked = compare(ratings, answers, systems=["b", "a"])
    assert [(pair.a, pair.b) for pair in asked.pairs] == [("b", "a")]
    assert {standing.system for standing in asked.ranking} == {"a", "b"}


def test_the_baseline_is_always_b() -> None:
    ratings, answers = study(30, [("c", 0.0), ("a", 0.2), ("b", 0.4)])
    result = compare(ratings, answers, baseline="a")
    assert [(pair.a, pair.b) for pair in result.pairs] == [("b", "a"), ("c", "a")]
    assert result.sentence().startswith("2 of 2 systems are not told apart from a: b and c – ")
    alone = compare(ratings, answers, systems=["c"], baseline="a")
    assert [(pair.a, pair.b) for pair in alone.pairs] == [("c", "a")]


def test_several_comparisons_carry_adjusted_values_and_one_does_not() -> None:
    ratings, answers = study(60, [("a", 0.0), ("b", 0.3), ("c", 0.6)])
    for pair in compare(ratings, answers).pairs:
        assert pair.p_adjusted is not None
        assert pair.p_adjusted >= pair.p_value
        assert pair.deciding[0] <= pair.low
        assert pair.deciding[1] >= pair.high
    assert compare(ratings, answers, systems=["a", "b"]).pairs[0].p_adjusted is None
    two = compare(ratings, answers, systems=["a", "b"], metric=["agreement", "accuracy"])
    assert all(pair.p_adjusted is not None for pair in two.pairs)
    assert "2 metrics" in two.family


def test_a_leaderboard_is_sorted_with_ranks_that_include_the_order() -> None:
    ratings, answers = study(400, [(f"s{k}", k / 8) for k in range(6)])
    result = compare(ratings, answers)
    scores = [standing.score for standing in result.ranking]
    assert scores == sorted(scores, reverse=True)
    for place, standing in enumerate(result.ranking, start=1):
        assert standing.rank_low <= place <= standing.rank_high
        assert standing.could_be_best == (standing.rank_low == 1)
    assert result.ranking[0].could_be_best
    assert not result.ranking[-1].could_be_best
    undecided = {frozenset((p.a, p.b)) for p in result.pairs if p.verdict == "inconclusive"}
    together = {frozenset((x, y)) for group in result.tied for x in group for y in group if x != y}
    assert together == undecided


def test_low_scores_come_first_where_low_is_good() -> None:
    ratings, answers = study(100, [("a", 0.9), ("b", 0.0)])
    ranking = compare(ratings, answers, metric="brier").ranking
    assert [standing.system for standing in ranking] == ["b", "a"]
    assert ranking[0].score < ranking[1].score


def test_a_circle_of_winners_has_no_best() -> None:
    # Wins need not be transitive: a beats b, b beats c and c beats a on two thirds of the items each.
    n = 90
    raters = {"item": [f"i{k:02}" for k in range(n)], "response": [str(10 * (k % 2)) for k in range(n)]}
    near = [[1, 2, 3], [2, 3, 1], [3, 1, 2]]  # distances of a, b, c on items of the three kinds
    answers: Columns = {"item": [], "system": [], "response": []}
    for s, name in enumerate("abc"):
        for k in range(n):
            distance = near[k % 3][s]
            answers["item"].append(f"i{k:02}")
            answers["system"].append(name)
            answers["response"].append(str(distance if k % 2 == 0 else 10 - distance))
    result = compare(raters, answers, metric="wins:mae", scale="interval")
    assert not any(standing.could_be_best for standing in result.ranking)
    assert "beaten by another" in result.sentence()


# Groups


def test_groups_and_whether_they_differ() -> None:
    ratings, answers = study(90, [("a", 0.0), ("b", 0.9)])
    result = compare(ratings, answers, by="topic")
    assert [group.group for group in result.groups] == ["t0", "t1", "t2"]
    assert [group.n_items for group in result.groups] == [30, 30, 30]
    mean = np.mean([group.pairs[0].difference for group in result.groups])
    assert mean == pytest.approx(result.pairs[0].difference, abs=1e-12)
    [row] = result.heterogeneity
    assert 0 < row.p_value <= 1
    assert "1 pair × 3 groups" in result.family
    for group in result.groups:
        assert group.pairs[0].p_adjusted is not None
        assert group.pairs[0].p_adjusted >= group.pairs[0].p_value


@pytest.mark.parametrize("sizes", [(4, 4, 4), (3, 4, 5)])
def test_raters_of_one_group_alone_count_in_whether_groups_differ(sizes: tuple[int, ...]) -> None:
    """A group numbers its raters anew, so that numbers tell nobody apart; groups of other sizes ended in an error."""
    ratings, answers = study(60, [("a", 0.0), ("b", 0.5)], raters=max(sizes))
    ratings["rater"] = [rater.partition("-")[2] for rater in ratings["rater"]]
    kept = [int(r) < sizes[int(i[1:]) % 3] for i, r in zip(ratings["item"], ratings["rater"], strict=True)]
    shared = {name: [cell for cell, keep in zip(column, kept, strict=True) if keep] for name, column in ratings.items()}
    apart = {**shared, "rater": [f"{t}{r}" for t, r in zip(shared["topic"], shared["rater"], strict=True)]}
    alone = []
    for topic in ("t0", "t1", "t2"):
        rows = [place for place, each in enumerate(apart["topic"]) if each == topic]
        group = {name: [column[row] for row in rows] for name, column in apart.items()}
        there = [place for place, item in enumerate(answers["item"]) if item in group["item"]]
        own = compare(group, {name: [column[row] for row in there] for name, column in answers.items()}).pairs[0]
        assert own.df is not None
        alone.append((own.difference, own.se, own.df + 1))
    [together], [returning] = (compare(each, answers, by="topic").heterogeneity for each in (apart, shared))
    f, p = heterogeneity(*np.array(alone).T)
    assert (together.f, together.p_value) == pytest.approx((f, p), rel=1e-6)
    assert returning.p_value < together.p_value  # those who answer in all groups move them alike
    warning = "Whether the difference varies by topic is tested for these raters, not for others."
    assert warning in compare(shared, answers, by="topic").warnings
    assert warning not in compare(apart, answers, by="topic").warnings


def test_a_difference_that_turns_round_between_groups_is_found() -> None:
    ratings, answers = study(150, [("a", 0.0), ("b", 1.0)])
    turned = [int(i[1:]) % 3 == 0 for i in answers["item"]]
    answers["system"] = [
        ("b" if s == "a" else "a") if turn else s for s, turn in zip(answers["system"], turned, strict=True)
    ]
    result = compare(ratings, answers, by="topic")
    assert result.heterogeneity[0].p_value < 0.001
    assert "not the same in all groups" in str(result)


def test_hundreds_of_groups_in_one_call() -> None:
    ratings, answers = study(400, [("a", 0.0), ("b", 0.5)], raters=2)
    ratings["batch"] = [f"g{int(i[1:]) % 200:03}" for i in ratings["item"]]
    result = compare(ratings, answers, by="batch")
    assert len(result.groups) == 200
    assert "200 groups" in result.family
    assert len(result.to_frame()) == 201
    assert "more rows" in str(result)


def test_groups_of_one_item_are_left_out_and_said_to_be() -> None:
    ratings, answers = study(20)
    ratings["kind"] = ["lonely" if i == "i000" else "common" for i in ratings["item"]]
    result = compare(ratings, answers, by="kind")
    assert [group.group for group in result.groups] == ["common"]
    assert any("1 group of kind with one item" in warning for warning in result.warnings)


# Clusters


def test_clusters_widen_the_interval_of_items_that_move_together() -> None:
    ratings, answers = study(80, [("a", 0.0), ("b", 0.4)])
    pages = [int(i[1:]) // 4 for i in answers["item"]]
    # On even pages b copies a, on odd pages it is wrong by design: differences are shared within a page.
    first = answers["response"][:80]
    answers["response"][80:] = [
        word if page % 2 == 0 else CATEGORIES[(CATEGORIES.index(word) + 1) % 3]
        for word, page in zip(first, pages[80:], strict=True)
    ]
    plain, clustered = compare(ratings, answers), compare(ratings, answers, unit="cluster:page")
    assert clustered.pairs[0].unit == "cluster:page"
    assert clustered.pairs[0].difference == plain.pairs[0].difference
    effect = plain.design_effects["page"]
    assert effect.groups == 20
    assert effect.largest == pytest.approx((clustered.pairs[0].se / plain.pairs[0].se) ** 2, rel=1e-9)
    assert effect.largest > 1.5
    assert any("--unit cluster:page" in warning for warning in plain.warnings)
    assert not any("--unit cluster:page" in warning for warning in clustered.warnings)


def test_few_clusters_are_warned_about() -> None:
    result = compare(*study(60), unit="cluster:topic")
    assert any("Only 3 clusters" in warning for warning in result.warnings)


# Forms of answers


def test_rated_systems_are_compared_by_their_mean_rating() -> None:
    rng = np.random.default_rng(3)
    rated: Columns = {"item": [], "rater": [], "model": [], "score": []}
    for i in range(40):
        for model, lift in (("x", 0.0), ("y", 1.0)):
            for rater in range(3):
                for name, value in zip(
                    rated, (f"i{i}", f"r{rater}", model, int(rng.integers(1, 5) + lift)), strict=True
                ):
                    rated[name].append(value)
    high = compare(rated, rated_system="model").pairs[0]
    low = compare(rated, rated_system="model", better="low").pairs[0]
    assert high.metric == "mean_rating"
    assert high.verdict == "b_better"
    assert low.verdict == "a_better"
    assert low.difference == pytest.approx(-high.difference, abs=1e-12)
    means = [np.mean([s for s, m in zip(rated["score"], rated["model"], strict=True) if m == x]) for x in "xy"]
    assert [high.score_a, high.score_b] == pytest.approx(means, abs=1e-12)
    wins = compare(rated, rated_system="model", metric="wins:mean_rating", better="low").pairs[0]
    assert wins.difference > 0
    assert text(compare(shuffled(rated, 4), rated_system="model")) == text(compare(rated, rated_system="model"))


@pytest.mark.parametrize("engine", ["polars", "pandas", "duckdb"])
def test_data_frames_give_what_files_give(engine: str, tmp_path: Path) -> None:
    ratings, answers = (pl.DataFrame(columns) for columns in study(25, labels=(1, 2, 3, 4)))
    rated = ratings.with_columns(
        pl.concat_str(pl.lit("s"), pl.col("rater").str.split("-").list.last()).alias("system")
    ).drop("rater")
    for name, table in (("r", ratings), ("a", answers), ("s", rated)):
        table.write_csv(tmp_path / f"{name}.csv")
    wrap: dict[str, Any] = {"polars": lambda x: x, "pandas": pl.DataFrame.to_pandas, "duckdb": duckdb_relation}
    both = compare(wrap[engine](ratings), wrap[engine](answers)).pairs[0]
    assert both.difference == compare(tmp_path / "r.csv", tmp_path / "a.csv").pairs[0].difference
    own = compare(wrap[engine](rated), rated_system="system").pairs
    filed = compare(tmp_path / "s.csv", rated_system="system").pairs
    assert [pair.difference for pair in own] == [pair.difference for pair in filed]


def duckdb_relation(frame: pl.DataFrame) -> Any:
    import duckdb

    return duckdb.from_df(frame.to_pandas())


def test_only_the_systems_asked_for_must_be_complete() -> None:
    rated = {
        "item": ["1", "2", "3"] * 2 + ["1"],
        "model": ["x"] * 3 + ["y"] * 3 + ["z"],
        "score": [1, 2, 3, 2, 3, 5, 4],
    }
    assert compare(rated, rated_system="model", systems=["x", "y"]).pairs[0].n_items == 3
    with pytest.raises(InputError, match="'z'"):
        compare(rated, rated_system="model")
    ratings, answers = study(20, [("a", 0.0), ("b", 0.3), ("c", 0.6)])
    short = {name: values[:45] for name, values in answers.items()}
    assert compare(ratings, short, systems=["b", "a"]).pairs[0].n_items == 20
    with pytest.raises(InputError, match="'c' did not answer 15 of 20"):
        compare(ratings, short)
    dropped = compare(ratings, short, missing="drop")
    assert dropped.pairs[0].n_items == 5
    assert any("15 rated items left out" in warning for warning in dropped.warnings)


def test_probabilities_are_scored_by_brier_and_labels_beside_them_too() -> None:
    ratings, forecasts = study(80, [("p", 0.1)], probable=True)
    _, labels = study(80, [("l", 0.1)])
    forecast = pl.DataFrame(forecasts).with_columns(pl.lit(None, pl.String).alias("response"))
    label = pl.DataFrame(labels).with_columns(pl.lit(None, pl.Float64).alias(c) for c in CATEGORIES)
    both = pl.concat([forecast, label.select(forecast.columns)])
    pair = compare(ratings, both).pairs[0]
    assert pair.metric == "brier"
    # For one-hot answers brier is 1 − agreement.
    alone = compare(
        ratings,
        both.filter(pl.col("system") == "l").vstack(
            both.filter(pl.col("system") == "l").with_columns(pl.lit("m").alias("system"))
        ),
        metric=["brier", "agreement"],
    )
    assert alone.pairs[0].score_a == pytest.approx(1 - alone.pairs[1].score_a, abs=1e-12)
    for metric in ("total_variation", "kl", "jensen_shannon"):
        with pytest.raises(InputError, match="probabilities with single answers"):
            compare(ratings, both, metric=metric)


def test_kl_says_how_many_probabilities_it_lifted() -> None:
    ratings, forecasts = study(20, [("p", 0.1), ("q", 0.2)], probable=True)
    for column, value in (("no", 0.0), ("unsure", 0.5), ("yes", 0.5)):
        forecasts[column][:3] = [value] * 3
    result = compare(ratings, forecasts, metric="kl")
    assert any(warning.startswith("3 probabilities below 1e-6") for warning in result.warnings)


def test_a_system_with_one_run_beside_another_with_several_is_named() -> None:
    said = "b answered once: what another run of it would score is not known, nor counted."
    runs = {"item": [1, 2, 3] * 4, "system": list("aaaaaabbbbbb"), "run": [0, 0, 0, 1, 1, 1] * 2}
    both = pl.DataFrame({**runs, "response": list("yynyyyynnyny")})
    votes = {"item": [1, 2, 3], "response": list("yyn")}
    assert said in compare(votes, both.head(9)).warnings
    assert said not in compare(votes, both).warnings
    assert said not in compare(votes, both.filter(pl.col("run") == 0)).warnings


@pytest.mark.parametrize("labels", [CATEGORIES, (1, 2, 3, 4, 5), (0.5, 1.25, 2.0, 3.75)])
def test_five_runs_and_one_run_of_a_system_are_compared_on_one_scale(labels: Sequence[Any]) -> None:
    ratings, answers = study(150, [("once", 0.2), ("often", 0.2)], runs={"often": 5}, labels=labels, seed=3)
    pair = compare(ratings, answers).pairs[0]
    assert pair.metric == ("agreement" if labels is CATEGORIES else "crps")
    assert pair.verdict == "inconclusive"
    if labels is CATEGORIES:
        tv = compare(ratings, answers, metric="total_variation").pairs[0]
        assert "1 answer per item" in tv.estimand
        assert tv.verdict == "inconclusive"


def test_crps_says_whether_it_subtracts_the_spread() -> None:
    once = compare(*study(30, [("a", 0.1), ("b", 0.1)], labels=(1, 2, 3), runs={"a": 3})).pairs[0]
    both = compare(*study(30, [("a", 0.1), ("b", 0.1)], labels=(1, 2, 3), runs={"a": 3, "b": 2})).pairs[0]
    assert once.estimand.endswith("not subtracted")
    assert both.estimand.endswith("spread subtracted")


def test_an_interval_scale_takes_numbers_the_raters_never_used() -> None:
    rng = np.random.default_rng(5)
    ratings = {"item": [f"i{k}" for k in range(30)] * 2, "response": np.round(rng.random(60), 3).tolist()}
    answers = {
        "item": [f"i{k}" for k in range(30)] * 2,
        "system": ["a"] * 30 + ["b"] * 30,
        "response": np.round(rng.random(60), 4).tolist(),
    }
    pair = compare(ratings, answers).pairs[0]
    truth = {
        i: [r for j, r in zip(ratings["item"], ratings["response"], strict=True) if j == i] for i in ratings["item"]
    }
    scores = [
        np.mean([abs(x - y) for y in truth[i]])
        for i, s, x in zip(answers["item"], answers["system"], answers["response"], strict=True)
        if s == "a"
    ]
    assert pair.metric == "crps"
    assert pair.score_a == pytest.approx(np.mean(scores), abs=1e-12)


def test_item_keys_of_several_columns_are_found_in_both_tables() -> None:
    ratings, answers = study(20)
    for side in (ratings, answers):
        side["doc"] = [i[1:3] for i in side["item"]]
        side["part"] = [i[3] for i in side.pop("item")]
    assert compare(ratings, answers, item_column="doc,part").pairs[0].n_items == 20


# What comes out


def test_json_has_the_fields_of_the_contract() -> None:
    result = json.loads(text(compare(*study(30, [("a", 0.0), ("b", 0.3), ("c", 0.6)]), by="topic", seed=7)))
    assert result["schema"] == "quorate.compare/1"
    assert result["seed"] == 7
    assert {"version", "settings", "warnings", "pairs", "ranking", "groups"} <= set(result)
    for pair in [*result["pairs"], *(pair for group in result["groups"] for pair in group["pairs"])]:
        assert set(pair) >= PAIR_FIELDS
        assert set(pair) >= {"p_adjusted"}
    for standing in result["ranking"]:
        assert set(standing) >= RANKING_FIELDS
    assert all(set(group) >= {"group", "pairs"} for group in result["groups"])


def test_the_same_seed_gives_the_same_bytes_and_another_seed_other_draws() -> None:
    ratings, answers = study(40)
    one, same, other = (text(compare(ratings, answers, test="bootstrap", seed=seed)) for seed in (1, 1, 2))
    assert one == same
    assert json.loads(one)["pairs"][0]["p_value"] != json.loads(other)["pairs"][0]["p_value"]


def test_a_sentence_names_verdict_difference_interval_estimand_and_unit() -> None:
    pair = compare(*study(200, [("new", 0.0), ("old", 0.9)]), systems=["new", "old"]).pairs[0]
    for words in (
        " higher than old (95 % interval 0.",
        ", so new is better: agreement 0.",
        "p < 0.001",
        "share of raters",
        "200 items, unit items",
    ):
        assert words in pair.sentence


def test_raters_who_answered_several_items_are_warned_about() -> None:
    ratings, answers = study(20)
    ratings["rater"] = [name.split("-")[1] for name in ratings["rater"]]
    found = compare(ratings, answers, unit="items")
    assert any("5 raters answered more than one item" in warning for warning in found.warnings)
    del ratings["rater"]
    assert any("Raters are unknown" in warning for warning in compare(ratings, answers).warnings)


def test_tests_with_another_estimand_say_so() -> None:
    ratings, answers = study(40)
    for test, words in (
        ("wilcoxon", "symmetrically"),
        ("welch", "ignores"),
        ("published:bootstrap:all", "not calibrated"),
    ):
        assert any(words in warning for warning in compare(ratings, answers, test=test).warnings)
    assert not any("test" in warning for warning in compare(ratings, answers).warnings)


def test_a_bad_tail_turns_wilcoxon_against_the_mean_and_is_warned_about() -> None:
    # a is a little nearer on 85 % of the items and far off on the rest: ranks favour a, the mean favours b.
    n = 200
    ratings: Columns = {"item": [f"i{k:03}" for k in range(n)], "response": [float(k % 7) for k in range(n)]}
    a = [k % 7 + (0.1 if k % 20 < 17 else 30.0) for k in range(n)]
    b = [k % 7 + 0.2 for k in range(n)]
    answers = {"item": ratings["item"] * 2, "system": ["a"] * n + ["b"] * n, "response": a + b}
    ranks, mean = (compare(ratings, answers, scale="interval", test=test) for test in ("wilcoxon", "default"))
    assert ranks.pairs[0].verdict == "a_better"
    assert mean.pairs[0].verdict == "b_better"
    assert any("ranks favour one system and the mean score the other" in warning for warning in ranks.warnings)


# Public data sets


@pytest.mark.parametrize(
    "name", ["summeval_experts", "framing", "cebab_stars", "lesion", "prompts_10k", "wmt23_sxs_mqm_ende"]
)
def test_public_leaderboards_load_and_do_not_move_with_the_order_of_rows(name: str, shared: Path) -> None:
    [ratings] = (pl.read_csv(path, infer_schema=False) for path in (shared / name).glob("annotations.csv*"))
    tables = [pl.read_csv(path, infer_schema=False) for path in (shared / name).glob("predictions.csv*")]
    how: dict[str, Any] = {} if tables else {"rated_system": "system", "better": "low"}
    result = compare(ratings, *tables, **how)
    assert len(result.ranking) >= 4
    assert len(result.pairs) == len(result.ranking) * (len(result.ranking) - 1) // 2
    for place, standing in enumerate(result.ranking, start=1):
        assert standing.rank_low <= place <= standing.rank_high
        assert standing.low < standing.score < standing.high
    mixed = [table.sample(fraction=1.0, shuffle=True, seed=1) for table in (ratings, *tables)]
    assert text(compare(*mixed, **how)) == text(result)


# Each item one system


def ab_test(n: int = 80) -> tuple[Columns, Columns]:
    ratings, answers = study(n, [("a", 0.0)])
    answers["system"] = ["a" if k % 2 else "b" for k in range(n)]
    return ratings, answers


def test_an_ab_split_is_compared_unpaired() -> None:
    ratings, answers = ab_test()
    result = compare(ratings, answers)
    pair = result.pairs[0]
    assert (pair.a, pair.b, pair.n_items) == ("a", "b", 80)
    assert any("the comparison is unpaired" in warning for warning in result.warnings)
    own = {name: {i for i, s in zip(answers["item"], answers["system"], strict=True) if s == name} for name in "ab"}
    for name, score in (("a", pair.score_a), ("b", pair.score_b)):
        alone = {
            column: [x for x, s in zip(cells, answers["system"], strict=True) if s == name]
            for column, cells in answers.items()
        }
        twin = {**alone, "system": ["twin"] * len(alone["item"])}
        both = {column: alone[column] + twin[column] for column in alone}
        rows = [k for k, i in enumerate(ratings["item"]) if i in own[name]]
        part = {column: [cells[k] for k in rows] for column, cells in ratings.items()}
        assert compare(part, both).pairs[0].score_a == pytest.approx(score)
    swapped = compare(ratings, answers, systems=["b", "a"]).pairs[0]
    assert swapped.difference == pytest.approx(-pair.difference)
    assert swapped.low == pytest.approx(-pair.high, abs=1e-6)


def test_an_ab_split_of_rated_outputs() -> None:
    rng = np.random.default_rng(0)
    table = {
        "item": [f"i{k}" for k in range(60) for _ in range(2)],
        "rater": [f"r{k}" for k in rng.integers(0, 9, 120)],
        "system": ["ab"[k % 2] for k in range(60) for _ in range(2)],
        "response": rng.integers(1, 6, 120).tolist(),
    }
    result = compare(table, rated_system="system", scale="interval")
    pair = result.pairs[0]
    means = [
        np.mean([np.mean(table["response"][2 * k : 2 * k + 2]) for k in range(60) if k % 2 == side]) for side in (0, 1)
    ]
    assert (pair.score_a, pair.score_b) == pytest.approx(tuple(means))
    assert pair.n_raters == 9
    assert any("the comparison is unpaired" in warning for warning in result.warnings)


def test_an_ab_split_refuses_what_needs_both_answers_to_an_item() -> None:
    cases: list[dict[str, Any]] = [{"metric": "wins"}, {"metric": "total_variation"}, {"test": "permutation"}]
    for options in (*cases, {"items_are": "fixed"}):
        with pytest.raises(InputError, match="item"):
            compare(*ab_test(), **options)


def test_a_family_in_which_nothing_varies_is_judged() -> None:
    """No rater, item or run differs, so nothing adds to a variance known on endless degrees of freedom."""
    votes = {"item": [1, 1, 2, 2, 3, 3], "rater": [1, 2] * 3, "response": ["y"] * 6}
    runs = {"item": [1, 2, 3] * 6, "system": sorted("abc" * 6), "run": [0, 0, 0, 1, 1, 1] * 3, "response": ["y"] * 18}
    assert {pair.verdict for pair in compare(votes, runs, baseline="b", resamples=99).pairs} == {"identical"}


@pytest.mark.parametrize("raters", [1, 3])
def test_a_system_that_never_says_yes_does_not_stop_the_others(raters: int) -> None:
    """Its precision is not defined; those of the others are judged as a family without it."""
    items = list(range(12))
    said = {"a": "yyn", "b": "yny", "c": "nyy", "never": "nnn"}
    ratings = {
        "item": items * raters,
        "rater": [f"r{k}" for k in range(raters) for _ in items],
        "response": ["y" if k % 3 else "n" for k in items] * raters,
    }
    answers = {
        "item": items * 4,
        "system": [name for name in said for _ in items],
        "response": [pattern[k % 3] for pattern in said.values() for k in items],
    }
    result = compare(ratings, answers, metric="precision", positive="y")
    pairs = {(pair.a, pair.b): pair for pair in result.pairs}
    assert pairs["a", "never"].verdict == "inconclusive"
    alone = compare(ratings, answers, systems="a,b,c", metric="precision", positive="y")
    for pair in alone.pairs:
        assert pairs[pair.a, pair.b].p_value == pytest.approx(pair.p_value, abs=0.05)
    assert any("not defined for never" in warning for warning in result.warnings)
