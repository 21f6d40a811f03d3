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


def test_a_choice_that_was_rejected_is_none() -> None:
    options = {"options": [{"id": "A"}, {"id": "B"}]}
    log = read(
        lines(answer(1, "al", "accept", accept=["A"], **options), answer(2, "al", "reject", accept=["B"], **options))
    )
    assert log.frame["response"].to_list() == ["A"]
    assert reasons(log) == {"rejected by the rater: none of the options was chosen": 1}


def test_two_outputs_to_choose_from_are_a_comparison_shown_in_any_order() -> None:
    def shown(item: int, first: str, chosen: str) -> dict[str, Any]:
        ids = ["A", "B"] if first == "A" else ["B", "A"]
        return answer(item, "al", "accept", accept=[chosen], options=[{"id": k, "text": f"{k}{item}"} for k in ids])

    log = read(lines(shown(1, "A", "A"), shown(2, "B", "A"), shown(3, "B", "B")))
    assert log.kind == "preferences"
    assert log.frame["winner"].to_list() == ["A", "A", "B"]
    assert log.frame["shown_first"].to_list() == ["A", "B", "B"]


def test_a_session_names_the_rater_where_no_annotator_is_named() -> None:
    """By the whole session one person in two data sets would be two raters; by the task's hash an item two items."""
    one, two = answer(1, "ann", "accept"), answer(1, "bo", "reject")
    for line in (one, two):
        line["_session_id"] = line.pop("_annotator_id")
    two["_task_hash"] = 99
    assert read(lines(one, two)).frame.rows() == [("1", "ann", "accept"), ("1", "bo", "reject")]
