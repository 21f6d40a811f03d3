"""Annotations of the alternative annotator test: two nested maps."""

from quorate.data.formats.alt_test import is_alt_test
from tests.formats.reading import read


def test_raters_map_items_to_labels() -> None:
    log = read({"ann1": {"i1": "A", "i2": "B"}, "ann2": {"i2": "A", "i3": None}})
    assert log.frame.rows() == [("i1", "ann1", "A"), ("i2", "ann1", "B"), ("i2", "ann2", "A")]


def test_a_table_by_column_is_none() -> None:
    assert not is_alt_test({"item": {"0": "a", "1": "b"}, "response": {"0": "x", "1": "y"}})
