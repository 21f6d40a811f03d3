"""The files of the task journal: where they live, and how shares stand beside the whole."""

from pathlib import Path

import pytest

from quorate import InputError
from quorate._journal import journal_path, open_journal, read_journals, share_path, write_result


def test_the_journal_lives_where_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("QUORATE_CACHE", str(tmp_path))
    assert journal_path("audit", {"a": 1}).parent == tmp_path


def test_settings_have_a_journal_each() -> None:
    assert journal_path("audit", {"n": 1}).name != journal_path("audit", {"n": 2}).name


def written(journal: Path, *keys: str) -> None:
    with open_journal(journal, {}, fresh=False) as file:
        for key in keys:
            write_result(file, key, key.upper(), journal)


def test_shares_are_read_with_the_whole(tmp_path: Path) -> None:
    whole = tmp_path / "sweep-1f.jsonl"
    written(whole, "a")
    written(share_path(whole, 1, 2), "b")
    written(share_path(whole, 2, 2), "c")
    written(tmp_path / "sweep-2f.1-of-2.jsonl", "d")  # of other settings
    assert read_journals(whole, {}) == {"a": "A", "b": "B", "c": "C"}
    assert share_path(whole, 1, 1) == whole


def test_a_fresh_journal_puts_the_shares_away_and_a_fresh_share_only_itself(tmp_path: Path) -> None:
    whole = tmp_path / "sweep-1f.jsonl"
    shares = [share_path(whole, part, 2) for part in (1, 2)]
    for path in (whole, *shares):
        written(path, path.name)
    open_journal(shares[0], {}, fresh=True).close()
    assert sorted(read_journals(whole, {})) == sorted([whole.name, shares[1].name])
    open_journal(whole, {}, fresh=True).close()
    assert read_journals(whole, {}) == {}
    assert list(tmp_path.iterdir()) == [whole]


def test_a_folder_whose_name_is_too_long_is_refused_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("QUORATE_CACHE", str(tmp_path / ("x" * 300)))
    with pytest.raises(InputError, match="Cannot read"):
        read_journals(journal_path("audit", {"a": 1}), {"a": 1})
