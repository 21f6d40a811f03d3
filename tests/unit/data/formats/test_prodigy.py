"""Prodigy's JSON lines, by the layout of its documentation."""

from typing import Any

from tests.formats.reading import lines, read, reasons


def answer(item: int, who: str, said: str, **more: Any) -> dict[str, Any]:
    return {"_input_hash": item, "_task_hash": 10 * item, "answer": said, "_annotator_id": f"my-set-{who}", **more}


def test_choices_are_responses_and_ignored_ones_are_missing() -> None:
    options = {"options": [{"id": "A"}, {"id": "B"}]}
    log = read(
        lines(
            answer(1, "alex", "accept", accept=["A"], **options),
            answer(1, "bo", "accept", accept=["B"], **options),
            answer(2, "alex", "ignore", accept=[], **options),
        )
    )
    assert log.frame.rows() == [("1", "alex", "A"), ("1", "bo", "B")]
    assert reasons(log) == {"ignored by the rater": 1}


def test_yes_and_no_to_a_label_is_the_response() -> None:
    log = read(lines(answer(1, "alex", "accept", label="SPAM"), answer(2, "alex", "reject", label="SPAM")))
    assert log.frame["response"].to_list() == ["accept", "reject"]
    both = lines(answer(1, "alex", "accept", label="SPAM"), answer(1, "alex", "reject", label="HATE"))
    assert read(both, "HATE").frame["response"].to_list() == ["reject"]
