"""What stopped people who used quorate for the first time, through the command line, as they would type it."""

import json
import re
from pathlib import Path

import pytest

from quorate.cli import main
from tests.page import Seen
from tests.spreadsheets import german_spreadsheet, plain_table, workbook

ROOT = Path(__file__).parents[2]
UNCLEAR = ("ends open", "smallest ever", "who answer equally often", "the variance is about that")
"""Words that had to be read twice."""


def run(capsys: pytest.CaptureFixture[str], line: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(line.split())
    captured = capsys.readouterr()
    return (stop.value.code if isinstance(stop.value.code, int) else 0), captured.out, captured.err


def test_the_page_for_the_boss_parts_what_to_buy_from_what_there_is_then(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "boss.html"
    line = "plan --preset dices --difference 0.03 --have 200,3 --item-price 1 --rating-price 0.3 --currency €"
    assert run(capsys, f"{line} -o {page}")[0] == 0
    seen = re.sub(r"\s+", " ", Seen(page.read_text(encoding="utf-8")).text)
    bought = re.search(r"Buy ([\d,]+) more items with 3 raters each, beside the 200 there are, for ([\d,]+ €)", seen)
    assert bought is not None
    more, cost = bought.groups()
    there = f"{int(more.replace(',', '')) + 200:,}"
    for fact in (f"to buy{more} items × 3", f"cost from here{cost}", f"in all, items × raters{there} × 3"):
        assert fact in seen
    assert "difference0.030" in seen  # the one asked for
    assert seen.count("Agreement: share of raters who gave the system's answer.") == 1


def test_the_raters_asked_for_stand_in_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "plan --preset dices --difference 0.05 --raters 7 --json")
    found = json.loads(out)
    assert code == 0
    assert {row["n_raters"] for row in found["options"] if row["n_items"]} == {7}
    assert {row["n_raters"] for row in (*found["by_raters"], *found["grid"])} <= {7}


def test_the_spreadsheet_may_be_a_workbook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("fastexcel", reason="workbooks are read with the extra excel")
    monkeypatch.chdir(tmp_path)
    lines = [line.split(";") for line in german_spreadsheet().decode("cp1252").split("\r\n") if line]
    workbook(tmp_path / "bewertung.xlsx", lines)
    (tmp_path / "plain.csv").write_text(plain_table())
    code, out, err = run(capsys, "describe bewertung.xlsx --layout wide --json")
    assert code == 0
    assert "left out, unlike the columns of raters: Nr, Antwort, Bemerkung" in err
    _, plain, _ = run(capsys, "describe plain.csv --json")
    assert json.loads(out)["agreement"] == json.loads(plain)["agreement"]
    line = "plan bewertung.xlsx --layout wide --difference 0.2 --item-price 2 --rating-price 0.4 --raters 2"
    code, out, _ = run(capsys, f"{line} --currency € -o plan.html")
    assert (code, out.startswith("Buy ")) == (0, True)
    assert "\xa0€" in (tmp_path / "plan.html").read_text(encoding="utf-8")


def test_a_long_table_is_not_taken_for_a_wide_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its headers are in German, and --layout wide is no way out: items, raters and marks would all be raters."""
    monkeypatch.chdir(tmp_path)
    rows = [f"A{k};{who};{1 + (k + r) % 5},0" for k in range(20) for r, who in enumerate(("Anna", "Jörg", "Zoë"))]
    (tmp_path / "lang.csv").write_text("\n".join(["Antwort-ID;Bewerter;Note", *rows]), encoding="cp1252")
    code, _, err = run(capsys, "describe lang.csv --layout wide")
    assert code == 2
    assert "no column holds the words of another (Antwort-ID: A0, Bewerter: Anna …)" in err
    names = "--item-column Antwort-ID --rater-column Bewerter --response-column Note"
    code, out, _ = run(capsys, f"describe lang.csv {names}")
    assert (code, out.startswith("20 items, each rated by all 3 raters")) == (0, True)


def test_rated_outputs_give_each_system_its_mean(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "describe example:replies --rated-system system -q")
    assert code == 0
    means = re.search(r"Mean rating of each system\n +system +mean +interval.*\n +atlas +[\d.]+ +[\d.]+.to.[\d.]+", out)
    assert means is not None


@pytest.mark.parametrize(("switch", "colours"), [("FORCE_COLOR", True), ("NO_COLOR", False)])
def test_switches_of_colour_do_what_they_say(
    switch: str, colours: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(switch, "1")
    assert ("\x1b[" in run(capsys, "describe --help")[1]) == colours
    assert "\x1b[" not in run(capsys, "describe example:summaries")[1]


def test_what_had_to_be_read_twice_is_said_otherwise() -> None:
    places = [*ROOT.glob("src/**/*.py"), *ROOT.glob("src/**/*.html"), *ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
    texts = {place: re.sub(r"[\s\"]+", " ", place.read_text(encoding="utf-8")) for place in places if place.exists()}
    assert [(place.name, words) for place, text in texts.items() for words in UNCLEAR if words in text] == []
