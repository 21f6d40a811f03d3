"""How an estimate reads: what to buy, in a sentence and in a table; and who is taken for whom."""

from dataclasses import replace
from itertools import product

import quorate
from quorate.estimating.purchase import Purchase
from quorate.estimating.words import purchase_sentence, purchase_table, purchase_warnings

BOUGHT = Purchase("auc", None, 0.108, 0.06, experts=443, votes=None, mix=(1379, 1.24), cost=21352, far=True)


def test_what_to_buy_next_is_told_to_two_figures() -> None:
    assert purchase_table(BOUGHT).rows == [
        ("more expert labels alone", "440", "–", "–"),
        ("more votes alone", "–", "never enough", "–"),
        ("as many votes by voters who err half as often", "never enough", "–", "–"),
        ("the cheapest of both", "1,400", "1.2", "21,000"),
    ]
    assert purchase_sentence(BOUGHT) == (
        "For an interval 0.06 wide buy about 440 more expert labels; votes alone would not do; cheapest are 1,400 "
        "labels and 1.24 votes per item, for 21,000."
    )


def test_a_guess_and_a_purchase_that_cannot_be_told_are_warned_of() -> None:
    assert "beyond four times the data" in purchase_warnings(0.06, BOUGHT)[0]
    assert "no width to narrow" in purchase_warnings(0.06, None)[0]
    assert purchase_warnings(None, None) == []


def test_of_several_systems_a_cell_says_its_number_and_then_who_calls_it_so() -> None:
    true, called = list("abaabbab"), list("aabbabab")
    votes = {"item": range(8), "rater": ["r"] * 8, "response": true}
    systems = {"item": [*range(8)] * 2, "system": ["iota 2"] * 8 + ["s"] * 8, "response": called + true}
    found = quorate.estimate(votes, {"item": range(6), "label": true[:6]}, systems, metric="confusion")
    head = found.sentence().head
    assert head.startswith("0.")
    assert head.endswith(") is the share of items that are a and called a by iota 2")


def test_a_confusion_matrix_is_one_table() -> None:
    called, true = list("abaabb"), list("aabbab")
    votes = {"item": range(6), "rater": ["r"] * 6, "response": true}
    files = (votes, {"item": range(6), "label": true}, {"item": range(6), "system": ["s"] * 6, "response": called})
    found = quorate.estimate(*files, metric="confusion")
    # labels are all known: of six items a is called a once and b twice, b is called a twice and b once
    assert found.tables()["confusion"].rows == [("a", "0.167", "0.333"), ("b", "0.333", "0.167")]
    assert [row.metric for row in found.estimates[::2]] == [f"confusion:{i}:{j}" for i, j in product("ab", repeat=2)]
    assert found.sentence().head == "0.167 (0.167–0.167) is the share of items that are a and called a"
    assert "confusion" not in quorate.estimate(*files, metric="accuracy").tables()


def test_what_is_about_the_voters_or_the_items_is_said_once_for_every_system() -> None:
    votes = {
        "item": [i for i in range(90) for _ in range(3)],
        "response": [(i * 7 + r) % 5 > 1 for i in range(90) for r in range(3)],
    }
    experts = {"item": [*range(0, 90, 3)], "label": [int(i * 7 % 5 > 1) for i in range(0, 90, 3)]}
    scores = {
        "item": [*range(90)] * 2,
        "system": ["a"] * 90 + ["b"] * 90,
        "score": [(i * 7 % 5 + i % 3) / 8 for i in range(90)] + [(i * 7 % 5 + i % 7) / 12 for i in range(90)],
    }
    metrics = ["accuracy", "human_tpr", "prevalence"]
    found = quorate.estimate(votes, experts, scores, metric=metrics, method="gt", selection="ignore")
    table = found.tables()["estimates"]
    shown = [row[:2] for row in table.rows]
    once = [("every system", "human_tpr"), ("every system", "prevalence")]
    assert shown == [("a", "accuracy"), ("b", "accuracy"), *once]
    assert found.to_frame().height == 6  # files hold every row


def test_a_difference_of_nothing_has_no_sign() -> None:
    truth = [0, 1] * 20
    votes = {"item": range(40), "rater": ["r"] * 40, "response": truth}
    scores = {"item": range(40), "a": [y + k % 7 for k, y in enumerate(truth)]}
    scores["b"] = scores["a"]
    found = quorate.estimate(votes, {"item": range(10), "label": truth[:10]}, scores, metric="delta_auc", method="gt")
    for value in (-0.0, -1e-9):
        same = replace(found, estimates=(replace(found.estimates[0], value=value, low=-0.002, high=0.1),))
        assert str(same.sentence()) == "AUC difference 0.00 (0.00–0.10)."
        assert "-0.0000" not in str(same.tables()["estimates"])
