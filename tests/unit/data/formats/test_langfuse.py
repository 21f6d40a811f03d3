"""Langfuse's scores, by its documentation."""

from tests.formats.reading import read


def test_a_category_is_its_word_and_the_author_the_rater() -> None:
    common = {"id": "1", "traceId": "t1", "name": "tone", "source": "ANNOTATION", "authorUserId": "u1"}
    scores = [
        {**common, "dataType": "CATEGORICAL", "value": 0, "stringValue": "rude"},
        {**common, "dataType": "NUMERIC", "value": 0.5, "traceId": "t2"},
    ]
    assert read({"data": scores, "meta": {}}).frame.select("item", "rater", "response").rows() == [
        ("t1", "u1", "rude"),
        ("t2", "u1", "0.5"),
    ]
