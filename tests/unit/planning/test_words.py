"""Words of a plan."""

from quorate.planning.words import items_asked_for, money


def test_prices_have_cents_only_where_they_matter() -> None:
    assert (money(1234.4), money(2.5), money(3.0)) == ("1,234", "2.50", "3")


def test_no_number_of_items_may_be_enough() -> None:
    assert items_asked_for({"items_low": 646, "items_high": 1013}) == "ask for 646 to 1,013 items"
    assert "986 items or more" in items_asked_for({"items_low": 986, "items_high": None})
    assert items_asked_for({"items_low": None, "items_high": None}) == "find no number of items enough"
