"""What an audit can do: travel between processes, and name what was asked."""

import pickle
from pathlib import Path

import pytest

from quorate import Audit, audit


@pytest.fixture
def result(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Audit:
    monkeypatch.setenv("QUORATE_CACHE", str(tmp_path))
    return audit("dices", items=20, raters=3, metric="agreement", null="sharp", test="default,welch", replicates=60)


def test_a_result_survives_a_pickle(result: Audit) -> None:
    again = pickle.loads(pickle.dumps(result))
    assert again.to_dict() == result.to_dict()
    assert str(again) == str(result)


def test_settings_name_the_population_and_every_option_but_how_it_ran(result: Audit) -> None:
    settings = result.settings
    assert settings["population"]["name"] == "dices"
    assert (settings["test"], settings["unit"], settings["null"]) == (["default", "welch"], ["auto"], "sharp")
    assert not {"workers", "resume"} & set(settings)


def test_the_table_has_a_row_for_each_test(result: Audit) -> None:
    table = result.tables()["tests"]
    assert [row[0] for row in table.rows] == ["default", "welch"]
    assert "99.9 % interval" in table.header
    assert "claims" in table.header
