"""How files become arrays over the same items."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from quorate._errors import InputError
from quorate.estimating.evidence import (
    Evidence,
    LoadedEvidence,
    correct_labels,
    is_best_of,
    read_evidence,
    share_labels,
)
from quorate.estimating.question import EstimateQuestion

VOTES: dict[str, list[Any]] = {
    "item": list("abcd"),
    "positive": [3, 0, 2, 1],
    "total": [3, 3, 3, 3],
}


def _read(*files: Any, **how: Any) -> LoadedEvidence:
    return read_evidence(EstimateQuestion(*files, **how))


def test_best_of_k_is_recognised_and_equal_numbers_of_votes_are_not() -> None:
    assert is_best_of(np.array([2, 1, 0, 2]), np.array([2, 3, 2, 3]))
    assert not is_best_of(np.array([2, 1, 0, 2]), np.array([3, 3, 3, 3]))
    assert not is_best_of(np.array([1, 1, 3]), np.array([2, 3, 4]))


def test_files_are_matched_by_item_whatever_their_order() -> None:
    experts = {"item": ["d", "a"], "label": [0, 1]}
    scores = {"item": list("dcba"), "system": ["m"] * 4, "score": [0.1, 0.2, 0.3, 0.4]}
    one = _read(VOTES, experts, scores).evidence
    shuffled = pl.DataFrame(VOTES).sample(fraction=1, shuffle=True, seed=1)
    two = _read(shuffled, pl.DataFrame(experts)[::-1], scores).evidence
    for name in ("positive", "total", "label", "has_label"):
        assert getattr(one, name).tolist() == getattr(two, name).tolist()
    assert one.scores["m"].tolist() == [0.4, 0.3, 0.2, 0.1]
    assert one.n_experts == (1, 1)


def test_long_votes_and_counted_votes_are_the_same() -> None:
    rows = [
        (item, f"r{k}", int(k < v)) for item, v in zip(VOTES["item"], VOTES["positive"], strict=True) for k in range(3)
    ]
    long = pl.DataFrame(rows, schema=["item", "rater", "response"], orient="row")
    one, two = _read(VOTES).evidence, _read(long).evidence
    assert one.positive.tolist() == two.positive.tolist()
    assert two.named_votes is not None
    assert np.bincount(two.named_votes.item, two.named_votes.vote).tolist() == one.positive.tolist()


def test_a_score_column_per_system_and_labels_in_words() -> None:
    scores = {"item": list("abcd"), "small": [1, 2, 3, 4], "large": [4.0, 3.0, 2.0, 1.5]}
    votes = {"item": list("aabbccdd"), "response": ["spam", "ham"] * 4}
    experts = {
        "item": ["a", "b", "b", "b", "c", "c"],
        "label": ["spam", "ham", "spam", "ham", "spam", "ham"],
    }
    loaded = _read(votes, experts, scores, positive="spam")
    assert list(loaded.evidence.scores) == ["large", "small"]
    assert loaded.evidence.label_shares[:, 1].tolist() == [1, 0, 0.5]  # c is a tie
    assert loaded.evidence.label[:2].tolist() == [1, 0]
    assert any("several expert labels" in note for note in loaded.notes)


def test_experts_as_a_column_of_the_votes() -> None:
    votes = {**VOTES, "gold": [1, None, 0, None]}
    evidence = _read(votes, expert_column="gold").evidence
    assert evidence.has_label.tolist() == [True, False, True, False]


def test_items_with_scores_only_stay_if_experts_label_such_items() -> None:
    scores = {"item": list("abcdef"), "score": [1, 2, 3, 4, 5, 6]}
    loaded = _read(VOTES, {"item": ["e", "a"], "label": [1, 0]}, scores)
    assert loaded.items.to_list() == list("abcdef")
    assert loaded.evidence.total.tolist() == [3, 3, 3, 3, 0, 0]
    assert any("1 item with scores only" in note for note in loaded.notes)
    loaded = _read(VOTES, {"item": ["b", "a"], "label": [1, 0]}, scores)
    assert loaded.items.to_list() == list("abcd")
    assert any("without votes or an expert label" in note for note in loaded.notes)


def test_an_item_that_one_of_two_systems_judged_is_no_item_of_both() -> None:
    scores = {"item": [*"abcdef", *"abcdeg"], "system": ["m"] * 6 + ["n"] * 6, "score": range(12)}
    loaded = _read(VOTES, {"item": ["e", "a"], "label": [1, 0]}, scores)
    assert loaded.items.to_list() == list("abcde")


def test_experts_items_nobody_voted_on_are_left_out_where_no_others_are_known() -> None:
    votes = {"item": [f"v{i}" for i in range(50)], "positive": [i % 4 for i in range(50)], "total": [3] * 50}
    experts = {"item": ["v1", "v2", "v3", "x1", "x2"], "label": [0, 1, 0, 1, 1]}
    loaded = _read(votes, experts)
    assert loaded.evidence.n_items == 50
    assert loaded.evidence.n_experts == (2, 1)
    assert any("2 expert labels of items nobody voted on left out" in note for note in loaded.notes)
    assert _read(votes, {**experts, "weight": [1.0] * 5}).evidence.n_items == 52
    names, positive = [*(f"v{i}" for i in range(49)), "x1"], [*(i % 4 for i in range(49)), 0]
    listed = {"item": names, "positive": positive, "total": [3] * 49 + [0]}
    assert _read(listed, {"item": ["v1", "v2", "x1"], "label": [0, 1, 1]}).evidence.n_experts == (1, 2)


@pytest.mark.parametrize(
    ("files", "how", "words"),
    [
        (({"item": ["a"], "response": [2]},), {}, "neither 0 nor 1"),
        (({"item": ["a"], "remark": ["x"]},), {}, "neither votes .* nor counts"),
        (({"item": ["a"], "positive": [4], "total": [3]},), {}, "votes are counts"),
        (
            ({"item": ["a", "a"], "positive": [1, 1], "total": [3, 3]},),
            {},
            "item 'a' has votes already",
        ),
        ((VOTES, {"item": ["a"], "label": ["maybe"]}), {}, "neither 0 nor 1"),
        (
            (VOTES, {"item": ["a", "a"], "label": [1, 0]}),
            {"several_experts": "error"},
            "expert label already",
        ),
        (
            (VOTES, {"item": ["a"], "label": [1], "weight": [-1]}),
            {},
            "a weight is a number above 0",
        ),
        ((VOTES, None, {"item": ["a"], "score": [1]}), {}, "no score for item 'b' and 2 more"),
        ((VOTES, None, {"item": ["a"], "score": ["high"]}), {}, "'high' is not a number"),
        (
            (VOTES, None, {"item": ["a", "a"], "score": [1, 2]}),
            {},
            "a score of that system already",
        ),
        (
            (VOTES, None, {"item": ["z"], "score": [1]}),
            {"missing": "drop"},
            "no item has both votes and a score",
        ),
        (
            (VOTES, None, {"item": list("abcd"), "score": ["1", "2", "NaN", "4"]}),
            {},
            "row 3, column 'score': 'NaN' is no score .* --missing drop",
        ),
        (
            (VOTES, None, {"item": list("abcd"), "score": [1.0, np.inf, 2.0, 3.0]}),
            {"missing": "drop"},
            "row 2, column 'score': 'inf' is no score that can be ranked; mend it",
        ),
        (
            ({"item": ["a"], "response": ["yes"]}, {"item": ["a"], "label": [1]}),
            {"positive": "yes"},
            "column 'label' .* is 'yes', only 1; check --positive",
        ),
        ((VOTES,), {"by": "team"}, "'team'"),
        ((VOTES,), {"expert_column": "gld"}, "'gld'"),
        ((VOTES,), {"truth": {"item": ["a"], "label": [1]}}, "truth says nothing of item 'b'"),
    ],
)
def test_bad_input_gives_one_sentence(files: tuple[Any, ...], how: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        _read(*files, **how)


def test_scores_that_are_nan_can_be_left_out() -> None:
    scores = {"item": list("abcd"), "score": [0.1, np.nan, 0.3, 0.4]}
    loaded = _read(VOTES, None, scores, missing="drop")
    assert loaded.items.to_list() == ["a", "c", "d"]
    assert any("1 item without a score left out" in note for note in loaded.notes)


def test_missing_scores_can_be_left_out() -> None:
    loaded = _read(VOTES, None, {"item": list("abc"), "score": [1, 2, 3]}, missing="drop")
    assert loaded.items.to_list() == list("abc")
    assert "1 item without a score left out" in loaded.notes[0]


STARS = {
    "item": list("aabbccdd"),
    "rater": list("xyxyxyxy"),
    "response": ["1", "2", "3", "3", "10", "2", "1", "1"],
}


def test_whole_numbers_with_a_point_are_the_labels_without() -> None:
    experts = {"item": list("abd"), "label": ["1.0", "0.0", ""]}
    long = {"item": list("abc"), "response": ["1", "0", "1"]}
    for how in ({}, {"positive": "1"}):
        assert _read(long, experts, **how).evidence.n_experts == (1, 1)
    grades = {"item": list("abcd"), "response": ["1", "2", "3", "2"]}
    loaded = _read(grades, {"item": list("ab"), "label": ["3.0", "2.00"]}, {"item": list("abcd"), "m": ["2.0"] * 4})
    assert loaded.evidence.classes == ("1", "2", "3")
    assert loaded.evidence.n_experts == (0, 1, 1)
    assert loaded.evidence.outputs["m"].tolist() == [[0.0, 1.0, 0.0]] * 4
    apart = _read({"item": list("abc"), "response": ["1.0", "1.5", "2.0"]}).evidence
    assert apart.classes == ("1.0", "1.5", "2.0")


def test_a_column_with_a_word_among_numbers_is_no_system_and_is_named() -> None:
    loaded = _read(VOTES, None, {"item": list("abcd"), "A": [1, 2, 3, 4], "B": ["1", "n/k", "3", "4"]})
    assert loaded.evidence.systems == ["A"]
    assert any("row 2, column 'B': 'n/k' is not a number, so B is not judged" in note for note in loaded.notes)
    words = {"item": list("abcd"), "A": [1, 2, 3, 4], "text": list("wxyz")}
    assert not any("text" in note for note in _read(VOTES, None, words).notes)


def test_any_labels_are_classes_numbers_in_their_order() -> None:
    loaded = _read(
        STARS,
        {"item": ["a", "b"], "label": [1, 10]},
        {"item": list("abcd"), "score": [1.2, 3, 9.5, 1]},
    )
    evidence = loaded.evidence
    assert (evidence.classes, evidence.named) == (("1", "2", "3", "10"), True)
    assert evidence.votes.tolist() == [[1, 1, 0, 0], [0, 0, 2, 0], [0, 1, 0, 1], [2, 0, 0, 0]]
    assert evidence.label[:2].tolist() == [0, 3]
    assert evidence.scores["score"].tolist() == [1.2, 3, 9.5, 1]
    assert "1: 1, 2: 0, 3: 0, 10: 1" in loaded.load_report[1]


def test_counts_by_class_and_class_probabilities_or_chosen_classes() -> None:
    votes = {"item": list("ab"), "e": [3, 0], "n": [1, 4], "c": [0, 0], "source_label": ["e", "n"]}
    experts = {"item": ["a", "b"], "label": ["e", "c"]}
    given = {
        "item": list("ab"),
        "system": ["m", "m"],
        "e": [0.7, 0.1],
        "n": [0.2, 0.8],
        "c": [0.1, 0.1],
    }
    evidence = _read(votes, experts, given).evidence
    assert (evidence.classes, evidence.votes.tolist()) == (("e", "n", "c"), [[3, 1, 0], [0, 4, 0]])
    assert evidence.outputs["m"].tolist() == [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]]
    chosen = _read(votes, experts, {"item": list("ab"), "system": ["m", "m"], "response": ["n", "c"]}).evidence
    assert chosen.outputs["m"].tolist() == [[0, 1, 0], [0, 0, 1]]
    wide = _read(votes, experts, {"item": list("ab"), "first": ["n", "c"], "second": ["e", "e"]}).evidence
    assert list(wide.outputs) == ["first", "second"]


def test_several_experts_are_a_majority_a_share_or_corrected() -> None:
    experts = {"item": list("aaabbc"), "label": [1, 1, 0, 1, 0, 0]}
    major = _read(VOTES, experts).evidence
    assert major.has_label.tolist() == [True, True, True, False]
    assert major.label_shares[:, 1] == pytest.approx([1, 1 / 2, 0])  # b is a tie
    clear = _read(VOTES, {"item": list("aaabc"), "label": [1, 1, 0, 1, 0]}).evidence
    assert clear.label_share is None
    share = _read(VOTES, experts, several_experts="share").evidence
    assert share.label_shares[:, 1] == pytest.approx([2 / 3, 1 / 2, 0])
    assert major.label_times is None
    times = share.keep(share.has_label).label_times
    assert times is not None
    assert times.tolist() == [3, 2, 1]
    # pairs alike: 1 of 3 on a, 0 of 1 on b, on average 1/6, no better than chance
    with pytest.raises(InputError, match="agree in 17% of the pairs, hardly more than by chance"):
        _read(VOTES, experts, several_experts="correct")
    once = _read(VOTES, {"item": list("aabcd"), "label": [1, 1, 0, 1, 0]}, several_experts="correct")
    assert any("1 item labelled again agree in 100.0%" in note for note in once.notes)
    assert once.evidence.label_shares[:, 1] == pytest.approx([1, 0, 1, 0])


def test_weights_without_labels_are_told() -> None:
    experts = {"item": list("abc"), "label": [1, 0, None], "weight": [1.0, 2.0, 3.0]}
    assert any("1 of 3 rows with a weight has no label" in note for note in _read(VOTES, experts).notes)
    assert not any("weight" in note for note in _read(VOTES, {**experts, "label": [1, 0, 1]}).notes)
    assert not any("weight" in note for note in _read(VOTES, {"item": list("abc"), "label": [1, 0, None]}).notes)


def test_corrected_labels_undo_errors_on_average() -> None:
    # two labels, error e: alike (1 - e)² + e² = 0.905 for e = 0.05; a share s becomes (s - e) / (1 - 2 e)
    rng = np.random.default_rng(0)
    n = 200_000
    truth = rng.integers(0, 2, n)
    wrong = rng.binomial(2, 0.05, n)
    positive = np.where(truth == 1, 2 - wrong, wrong)
    said = np.stack([2 - positive, positive], 1).astype(float)
    evidence = Evidence(np.ones((n, 2), int), truth, np.ones(n, bool), label_share=said)
    mended, note = correct_labels(evidence)
    assert "errs in about 5.0%" in note[0] or "errs in about 4.9%" in note[0] or "errs in about 5.1%" in note[0]
    error = 5 * np.sqrt(0.05 / n) / 0.9
    assert mended.label_shares[truth == 1, 1].mean() == pytest.approx(1.0, abs=error + 0.003)  # and that of e itself
    assert share_labels(evidence).label_shares[truth == 1, 1].mean() == pytest.approx(0.95, abs=error)


def test_clusters_and_groups_are_columns_of_any_file() -> None:
    votes = {**VOTES, "doc": ["p", "p", "q", "q"]}
    experts = {"item": list("abcd"), "label": [1, 0, 1, 0], "site": list("xxyy")}
    loaded = _read(votes, experts, cluster="doc", by="site")
    assert loaded.evidence.cluster is not None
    assert loaded.evidence.cluster.tolist() == [0, 0, 1, 1]
    assert loaded.groups is not None
    assert loaded.groups[1] == ("x", "y")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (({"item": list("ab"), "response": ["1", "maybe"]},), "'maybe' is neither 0 nor 1"),
        (
            ({"item": [str(i) for i in range(300)], "response": [f"w{i}" for i in range(300)]},),
            "300 different labels",
        ),
        (
            (
                STARS,
                {"item": ["a"], "label": [1]},
                {"item": list("abcd"), "score": ["x", "1", "2", "3"]},
            ),
            "not a number",
        ),
        (({"item": list("ab"), "e": [3, 0], "n": [1, -4]},), "neither votes"),
        (
            (STARS, {"item": ["a"], "label": [1]}, {"item": list("abcd"), "m": ["3", "x", "1", "3"]}),
            "row 2, column 'm': no voter or expert ever says 'x'",
        ),
        (
            (
                {"item": list("abcd"), "response": list("xyzx")},
                {"item": ["a"], "label": ["x"]},
                {"item": list("abcd"), "x": [0.5] * 4, "y": [0.1, 0.2, 0.3, 0.4]},
            ),
            "has a column for x, y and none for z",
        ),
    ],
)
def test_bad_labels_give_one_sentence(files: tuple[Any, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        _read(*files)


def test_votes_are_no_expert_labels(tmp_path: Path) -> None:
    votes, gold = str(tmp_path / "votes.csv"), str(tmp_path / "gold.csv")
    long = pl.DataFrame({"item": list("aabb"), "rater": list("xyxy"), "response": [1, 0, 1, 1]})
    long.write_csv(votes)
    long.with_columns(gold=pl.Series([1, 1, 0, 0])).write_csv(gold)
    with pytest.raises(InputError, match="column 'response', holds the votes and cannot be the expert labels too"):
        _read(votes, votes)
    assert _read(gold, gold).evidence.n_experts == (1, 1)


def test_more_groups_than_can_be_estimated_are_refused_before_the_work() -> None:
    n = 2001
    votes = {"item": list(range(n)), "positive": [1] * n, "total": [2] * n, "place": list(range(n))}
    with pytest.raises(InputError, match="--by place has 2,001 groups; estimate within 2,000 at most"):
        read_evidence(EstimateQuestion(votes, {"item": [0, 1], "label": [0, 1]}, by="place"))
