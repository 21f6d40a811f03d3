"""The task journal: any number of workers, a kill in the middle, and other settings."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from quorate import InputError
from quorate._tasks import Execution, _progress, prefetch, run_tasks

TASKS = {str(i): (i,) for i in range(7)}
CALLS: list[int] = []
RESUMED = Execution(workers=1, resume=True)


def square(x: int) -> int:
    return x * x


def noted(x: int) -> int:
    CALLS.append(x)
    return x * x


def test_results_come_in_the_order_of_the_tasks_for_any_number_of_workers(tmp_path: Path) -> None:
    alone = run_tasks(square, TASKS, settings={}, journal=tmp_path / "a.jsonl")
    together = run_tasks(square, TASKS, settings={}, execution=Execution(workers=2), journal=tmp_path / "b.jsonl")
    assert alone == together == {str(i): i * i for i in range(7)}
    assert list(alone) == list(together)


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    whole = run_tasks(square, TASKS, settings={"n": 1}, journal=journal)
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:4]) + lines[4][:9])  # header, three results, half a line
    CALLS.clear()
    assert run_tasks(noted, TASKS, settings={"n": 1}, journal=journal, execution=RESUMED) == whole
    assert CALLS == [3, 4, 5, 6]
    kept = [json.loads(line)["key"] for line in journal.read_text().splitlines()[1:]]
    assert sorted(kept) == sorted(TASKS)


def test_without_resume_a_run_starts_anew(tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    run_tasks(square, TASKS, settings={}, journal=journal)
    CALLS.clear()
    run_tasks(noted, TASKS, settings={}, journal=journal)
    assert list(range(7)) == CALLS


def test_a_journal_of_other_settings_is_refused(tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    run_tasks(square, TASKS, settings={"n": 1}, journal=journal)
    with pytest.raises(InputError, match="other settings"):
        run_tasks(square, TASKS, settings={"n": 2}, journal=journal, execution=RESUMED)


def test_a_finished_run_resumes_without_work(tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    run_tasks(square, TASKS, settings={}, journal=journal)
    CALLS.clear()
    run_tasks(noted, TASKS, settings={}, journal=journal, execution=RESUMED)
    assert CALLS == []


def test_prefetch_keeps_the_order() -> None:
    assert [part**2 for part in prefetch(iter(range(4)))] == [0, 1, 4, 9]


def test_prefetch_passes_on_what_goes_wrong() -> None:
    def parts() -> Iterator[int]:
        yield 1
        raise ValueError("no more")

    ready = prefetch(parts())
    assert next(ready) == 1
    with pytest.raises(ValueError, match="no more"):
        next(ready)


def test_colours_that_are_forced_bring_no_bar_into_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert list(_progress(iter([("a", 1)]), 1, 0, "work")) == [("a", 1)]
    assert capsys.readouterr().err == ""


def test_what_a_journal_holds_but_does_not_fit_is_worked_out_again(tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    run_tasks(str, TASKS, settings={}, journal=journal)
    CALLS.clear()
    squares = run_tasks(
        noted, TASKS, settings={}, journal=journal, execution=RESUMED, fits=lambda found, x: found == x * x
    )
    assert squares == {str(i): i * i for i in range(7)}
    assert list(range(7)) == CALLS
