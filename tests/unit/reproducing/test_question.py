"""What reproduce can be asked."""

from pathlib import Path
from typing import Any

import pytest

from quorate._errors import InputError
from quorate.reproducing.question import PAPERS, ReproduceQuestion


def test_papers_stand_in_their_order_and_all_is_all() -> None:
    assert ReproduceQuestion().papers == PAPERS
    assert ReproduceQuestion(["maven", "forest"]).papers == ("forest", "maven")
    assert ReproduceQuestion("maven,forest").papers == ("forest", "maven")


def test_settings_name_what_the_answer_depends_on() -> None:
    settings = ReproduceQuestion("maven", quick=True, workers=2, resume=True, progress=True, seed=3).settings()
    assert settings == {"papers": ["maven"], "quick": True, "data": None, "seed": 3}


def test_a_file_is_found_or_absent(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "annotations.csv").touch()
    question = ReproduceQuestion(data=tmp_path)
    assert question.file("jobs", "annotations.csv") == tmp_path / "jobs" / "annotations.csv"
    assert question.file("dices", "annotations.csv") is None
    assert question.inputs() == (str(tmp_path / "jobs" / "annotations.csv"),)


@pytest.mark.parametrize("wrong", [{"papers": "wood"}, {"workers": 0}, {"data": "nowhere"}])
def test_what_cannot_be_asked(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        ReproduceQuestion(**wrong)
