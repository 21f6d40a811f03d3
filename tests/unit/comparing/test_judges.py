"""Judges beside raters."""

from typing import Any

import numpy as np
import pytest

from quorate import InputError, compare

LABELS = ["no", "yes"]


def world(seed: int = 1, n_items: int = 60, n_raters: int = 5) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Items of their own difficulty, raters who answer alike, and a judge that answers as one more rater."""
    rng = np.random.default_rng(seed)
    chance = rng.beta(1, 1, n_items)
    said = (rng.random((n_items, n_raters)) < chance[:, None]).astype(int)
    judge = (rng.random(n_items) < chance).astype(int)
    item = np.repeat(np.arange(n_items), n_raters)
    ratings = {
        "item": item.tolist(),
        "rater": np.tile([f"r{j}" for j in range(n_raters)], n_items).tolist(),
        "response": [LABELS[x] for x in said.ravel()],
    }
    answers: dict[str, list[Any]] = {
        "item": list(range(n_items)),
        "system": ["judge"] * n_items,
        "response": [LABELS[x] for x in judge],
    }
    return ratings, answers


def copied(ratings: dict[str, list[Any]], rater: str) -> dict[str, list[Any]]:
    rows = [k for k, name in enumerate(ratings["rater"]) if name == rater]
    return {
        "item": [ratings["item"][k] for k in rows],
        "system": ["clone"] * len(rows),
        "response": [ratings["response"][k] for k in rows],
    }


def test_one_judge_is_compared_with_raters_like_a_pair() -> None:
    ratings, answers = world()
    result = compare(ratings, answers, baseline="raters", margin=0.2)
    [judge], [pair] = result.judges, result.pairs
    assert (pair.a, pair.b) == ("judge", "raters")
    assert judge.agreement - judge.rater_agreement == pytest.approx(judge.difference)
    assert (judge.difference, judge.low, judge.high) == (pair.difference, pair.low, pair.high)
    assert result.ceiling == pytest.approx(judge.rater_agreement)
    assert [standing.ceiling for standing in result.ranking] == [result.ceiling]
    assert pair.unit == "items+raters"


def test_raters_are_scored_against_the_others_one_by_one() -> None:
    ratings, answers = world(n_items=12)
    result = compare(ratings, answers, baseline="raters")
    said = np.array([LABELS.index(x) for x in ratings["response"]]).reshape(12, 5)
    expected = {f"r{j}": np.mean([said[:, j] == said[:, k] for k in range(5) if k != j]) for j in range(5)}
    assert {row.rater: row.score for row in result.rater_scores} == pytest.approx(expected)


def test_a_judge_that_repeats_a_rater_is_taken_for_that_rater() -> None:
    ratings, _ = world()
    result = compare(ratings, copied(ratings, "r2"), baseline="raters")
    [judge] = result.judges
    assert judge.repeats == "r2"
    said = np.array([LABELS.index(x) for x in ratings["response"]]).reshape(60, 5)
    others = [k for k in range(5) if k != 2]
    assert judge.agreement == pytest.approx(np.mean([said[:, 2] == said[:, k] for k in others]))
    assert any("r2" in warning for warning in result.warnings)


def test_easy_items_make_nobody_a_copy() -> None:
    ratings, answers = world()
    same = {**ratings, "response": ["yes"] * len(ratings["response"])}
    result = compare(same, {**answers, "response": ["yes"] * 60}, baseline="raters")
    assert result.judges[0].repeats is None
    assert result.judges[0].verdict == "identical"


def test_items_of_one_rater_are_left_out_and_said() -> None:
    ratings, answers = world()
    more = {key: [*values, extra] for (key, values), extra in zip(ratings.items(), (60, "r0", "yes"), strict=True)}
    judged = {key: [*values, extra] for (key, values), extra in zip(answers.items(), (60, "judge", "no"), strict=True)}
    result = compare(more, judged, baseline="raters")
    assert result.judges[0].n_items == 60
    assert any("1 of 61 items have one rater" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"rater": None}, {}, "does not say who answered"),
        ({"rater": ["r0"] * 300}, {}, "answered more than once"),
        ({}, {"metric": "spearman", "scale": "ordinal", "order": "no,yes"}, "no value for one rater"),
        ({}, {"test": "bootstrap"}, "leave --test out"),
        ({}, {"epsilon": "experienced"}, "experts, skilled, crowd"),
        ({}, {"systems": "judge,nobody"}, "no system 'nobody'"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(
    change: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    ratings, answers = world()
    table = {key: values for key, values in (ratings | change).items() if values is not None}
    with pytest.raises(InputError, match=message):
        compare(table, answers, baseline="raters", **options)


def test_judges_are_compared_with_raters_within_groups() -> None:
    ratings, answers = world(n_items=80)
    topic = [f"t{i % 2}" for i in ratings["item"]]
    result = compare({**ratings, "topic": topic}, answers, baseline="raters", by="topic")
    for group in result.groups:
        kept = [k for k, name in enumerate(topic) if name == group.group]
        own = {key: [values[k] for k in kept] for key, values in ratings.items()}
        rows = [k for k, item in enumerate(answers["item"]) if f"t{item % 2}" == group.group]
        theirs = {key: [values[k] for k in rows] for key, values in answers.items()}
        [alone] = compare(own, theirs, baseline="raters").pairs
        [pair] = group.pairs
        assert (pair.difference, pair.low, pair.high) == pytest.approx((alone.difference, alone.low, alone.high))
        assert pair.p_adjusted is not None
        assert pair.p_adjusted >= pair.p_value
    assert "By topic" in str(result)
    assert [row.by for row in result.heterogeneity] == ["topic"]


def test_a_judge_surely_worse_is_not_said_to_be_left_open() -> None:
    ratings, answers = world(n_items=300, n_raters=8)
    often = [LABELS[0] if i % 3 else x for i, x in enumerate(answers["response"])]
    result = compare(ratings, {**answers, "response": often}, baseline="raters", margin=0.5)
    [judge] = result.judges
    close = compare(ratings, {**answers, "response": often}, baseline="raters", margin=abs(judge.difference))
    assert (close.judges[0].verdict, close.judges[0].high < 0) == ("inconclusive", True)
    assert ", but perhaps by less than" in close.sentence()
    assert "To settle judge, ask more" in str(close)


def test_a_system_called_raters_is_refused() -> None:
    ratings, answers = world()
    with pytest.raises(InputError, match="rename it"):
        compare(ratings, {**answers, "system": ["raters"] * 60}, baseline="raters")


def test_the_ceiling_stands_beside_every_leaderboard() -> None:
    ratings, answers = world()
    both = {key: values * 2 for key, values in answers.items()} | {"system": ["a"] * 60 + ["b"] * 60}
    result = compare(ratings, both)
    said = np.array([LABELS.index(x) for x in ratings["response"]]).reshape(60, 5)
    pairs = [np.mean(said[:, j] == said[:, k]) for j in range(5) for k in range(j)]
    assert result.ceiling == pytest.approx(np.mean(pairs))
    nameless = {key: values for key, values in ratings.items() if key != "rater"}
    assert compare(nameless, both).ceiling is None
    assert compare(ratings, both, metric="wins").ceiling is None


def test_a_rater_far_from_all_others_is_named() -> None:
    ratings, answers = world(n_items=300, n_raters=8)
    turned = [
        LABELS[1 - LABELS.index(said)] if rater == "r3" else said
        for rater, said in zip(ratings["rater"], ratings["response"], strict=True)
    ]
    notes = "\n".join(compare({**ratings, "response": turned}, answers, baseline="raters").notes())
    assert "Rater r3 scores" in notes
    assert "Rater r" not in "\n".join(compare(ratings, answers, baseline="raters").notes())


def test_few_raters_name_how_to_test_one_judge_alone() -> None:
    ratings, answers = world(n_items=40)
    other = {**answers, "system": ["other"] * len(answers["item"]), "response": answers["response"][::-1]}
    both = {name: [*answers[name], *other[name]] for name in answers}
    [warning] = [each for each in compare(ratings, both, baseline="raters").warnings if "borrow" in each]
    assert warning.endswith("--systems NAME tests one judge alone.")
