"""DeepEval's test runs, by the layout its code writes."""

from typing import Any

from tests.formats.reading import read, reasons


def test_the_item_is_what_was_asked_not_the_order() -> None:
    def case(order: int, asked: str, score: float | None, error: str | None = None) -> dict[str, Any]:
        return {"input": asked, "order": order, "metricsData": [{"name": "faith", "score": score, "error": error}]}

    cases = [case(0, "a", 0.5), case(1, "b", 1.0), case(2, "a", 0.75), case(3, "c", None, "late")]
    log = read({"testCases": cases, "identifier": "new"})
    assert log.frame["item"].n_unique() == 2
    assert log.frame["repeat"].to_list() == ["1", "1", "2"]
    assert log.frame["system"].unique().to_list() == ["new"]
    assert reasons(log) == {"the metric failed with an error; it is not 0": 1}
