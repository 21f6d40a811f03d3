"""Words of a plan."""

from quorate.planning.words import money, right_items


def test_prices_have_cents_only_where_they_matter() -> None:
    assert (money(1234.4), money(2.5), money(3.0)) == ("1,234", "2.50", "3")


def test_no_number_of_items_may_be_enough() -> None:
    assert right_items({"items_low": 646, "items_high": 1013}) == "between 646 and 1,013 items may be right"
    assert "986 items or more" in right_items({"items_low": 986, "items_high": None})
    assert right_items({"items_low": None, "items_high": None}) == "no number of items may be enough"
