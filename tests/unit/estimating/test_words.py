"""How an estimate reads: what to buy, in a sentence and in a table."""

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
