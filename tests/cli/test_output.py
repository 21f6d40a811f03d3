"""No verb writes over a file it reads, whatever the file is called: exit 2, one sentence, the file as it was."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from quorate import describe
from quorate._errors import InputError
from quorate.cli import main
from quorate.cli.output import to_json
from quorate.data.inputs import example_path
from quorate.results.files import check_output

FILES = {
    "ratings.csv": "support",
    "answers.csv": "support-answers",
    "votes.csv": "moderation",
    "experts.csv": "moderation-experts",
    "scores.csv": "moderation-scores",
}
POPULATION = '{"kind": "dirichlet", "alpha": [5.22, 0.86, 2.75], "categories": ["no", "unsure", "yes"]}'
GRID = """
populations = ["dices", "population.json"]
metrics = ["agreement"]
effects = [0.2]
items = [20]
raters = [2]
"""
OUTPUTS = "item,system,rater,score\n" + "".join(
    f"{item},{system},{rater},{(item * 7 + len(system) * 3 + ord(rater)) % 5}\n"
    for item in range(12)
    for system in ("one", "three")
    for rater in "ab"
)
PILOT = "--from ratings.csv --with answers.csv"
CROWD = "--votes votes.csv --experts experts.csv --scores scores.csv"
STUDY = "--items 20 --raters 3"
CASES = [
    ("describe ratings.csv", "ratings.csv"),
    ("compare ratings.csv answers.csv --resamples 99", "ratings.csv"),
    ("compare ratings.csv answers.csv --resamples 99", "answers.csv"),
    ("compare outputs.csv --rated-system system --response-column score", "outputs.csv"),
    ("plan --from ratings.csv --difference 0.1 --items 100 --raters 3", "ratings.csv"),
    (f"plan {PILOT} --difference 0.1 --items 100 --raters 3", "ratings.csv"),
    (f"plan {PILOT} --difference 0.1 --items 100 --raters 3", "answers.csv"),
    ("plan --resample ratings.csv --effect 0.3 --items 100 --raters 3", "ratings.csv"),
    ("plan --population population.json --difference 0.1 --items 100 --raters 3", "population.json"),
    ("plan --grid grid.toml", "population.json"),
    (f"estimate {CROWD}", "votes.csv"),
    (f"estimate {CROWD}", "experts.csv"),
    (f"estimate {CROWD}", "scores.csv"),
    (f"estimate {CROWD} --method oracle --truth truth.csv", "truth.csv"),
    ("fit ratings.csv", "ratings.csv"),
    ("fit ratings.csv --evaluate population.json", "population.json"),
    (f"audit --resample ratings.csv {STUDY} --replicates 20", "ratings.csv"),
    (f"audit --from ratings.csv {STUDY} --replicates 20", "ratings.csv"),
    (f"audit --population population.json {STUDY} --replicates 20", "population.json"),
]
"""What is typed, and which of the files it names `-o` names too."""
ONE_EACH = [*{words.split()[0]: (words, name) for words, name in CASES}.values()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with files to read."""
    for name, example in FILES.items():
        shutil.copy(example_path(example), tmp_path / name)
    (tmp_path / "population.json").write_text(POPULATION)
    (tmp_path / "outputs.csv").write_text(OUTPUTS)
    (tmp_path / "grid.toml").write_text(GRID)
    labels = (tmp_path / "scores.csv").read_text().splitlines()[1:]
    (tmp_path / "truth.csv").write_text(
        "item,label\n" + "".join(f"{line.split(',')[0]},{i % 2}\n" for i, line in enumerate(labels))
    )
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def link(path: Path) -> Path:
    made = path.with_name(f"link{path.suffix}")
    made.symlink_to(path)
    return made


def hard_link(path: Path) -> Path:
    made = path.with_name(f"twin{path.suffix}")
    made.hardlink_to(path)
    return made


ALIASES: dict[str, Callable[[Path], object]] = {
    "its full name": lambda path: path,
    "a relative name": lambda path: f"./{path.name}",
    "a detour": lambda path: f"sub/../{path.name}",
    "a link": link,
    "a twin": hard_link,
}


def refused(words: str, output: object, capsys: pytest.CaptureFixture[str]) -> bool:
    """Run a command; say whether it ended with the one sentence, before anything was read."""
    with pytest.raises(SystemExit) as end:
        main([*words.split(), "-o", str(output)])
    error = capsys.readouterr().err
    return end.value.code == 2 and error.count("\n") == 1 and "it is an input and stays as it is" in error


@pytest.mark.parametrize(("words", "name"), CASES)
def test_no_input_is_written_over(words: str, name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (folder / name).read_bytes()
    assert refused(words, name, capsys)
    assert (folder / name).read_bytes() == before


@pytest.mark.parametrize("alias", ALIASES)
@pytest.mark.parametrize(("words", "name"), ONE_EACH)
def test_an_input_is_known_by_any_name(
    words: str, name: str, alias: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder / name).read_bytes()
    assert refused(words, ALIASES[alias](folder / name), capsys)
    assert (folder / name).read_bytes() == before


@pytest.mark.parametrize("alias", ALIASES)
def test_an_input_that_was_read_by_another_name_is_known(
    alias: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder / "ratings.csv").read_bytes()
    assert refused(f"describe {ALIASES[alias](folder / 'ratings.csv')}", "ratings.csv", capsys)
    assert (folder / "ratings.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("describe -", "ratings.csv"),
        ("fit -", "ratings.csv"),
        ("compare - answers.csv", "ratings.csv"),
        ("compare ratings.csv -", "answers.csv"),
        ("plan --from - --difference 0.1 --items 100 --raters 3", "ratings.csv"),
        (f"estimate {CROWD.replace('votes.csv', '-')}", "votes.csv"),
        (f"audit --resample - {STUDY} --replicates 20", "ratings.csv"),
    ],
)
def test_a_file_behind_standard_input_is_not_written_over(words: str, name: str, folder: Path) -> None:
    before = (folder / name).read_bytes()
    run = [sys.executable, "-m", "quorate", *words.split(), "-o", name]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    with (folder / name).open() as file:
        done = subprocess.run(run, stdin=file, capture_output=True, text=True, env=env, timeout=600, check=False)
    assert done.returncode == 2
    assert "it is an input" in done.stderr
    assert (folder / name).read_bytes() == before


@pytest.mark.parametrize("name", ["votes.csv", "experts.csv", "scores.csv"])
def test_curves_are_not_written_over_an_input(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (folder / name).read_bytes()
    assert refused(f"estimate {CROWD} --curves {name}", "report.html", capsys)
    assert (folder / name).read_bytes() == before


@pytest.mark.parametrize("name", ["ratings.csv", "answers.csv"])
@pytest.mark.parametrize("place", [".", "sub/..", "{folder}"])
def test_simulate_writes_no_study_over_what_it_resamples(
    name: str, place: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The files of a study have fixed names, so a directory can hold an input of one of them."""
    shutil.copy(example_path("support"), folder / name)
    before = (folder / name).read_bytes()
    words = f"simulate --resample {name} --items 10 --raters 2"
    assert refused(words, place.format(folder=folder), capsys)
    assert (folder / name).read_bytes() == before


def test_a_grid_is_not_written_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "twin.json").hardlink_to(folder / "grid.toml")
    assert refused("plan --grid grid.toml", "twin.json", capsys)
    assert (folder / "grid.toml").read_text() == GRID


def test_simulate_may_write_beside_what_it_resamples(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Negative control: a directory without an input of these names is written to."""
    words = "simulate --resample ratings.csv --items 10 --raters 2"
    assert not refused(words, "sub", capsys)
    assert (folder / "sub" / "answers.csv").exists()


def test_another_file_is_written_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Negative control: what is no input is replaced."""
    assert not refused("describe ratings.csv", "answers.csv", capsys)
    assert (folder / "answers.csv").read_text().startswith("item,responses,disagreement")


def test_bundled_examples_are_inputs_too() -> None:
    with pytest.raises(InputError, match="it is an input"):
        check_output(example_path("support"), ["example:support"])
    check_output(example_path("support"), ["example:summaries"])


def test_what_is_not_there_is_no_input(tmp_path: Path) -> None:
    check_output(tmp_path / "new.csv", ["old.csv"])
    (tmp_path / "new.csv").touch()
    check_output(tmp_path / "new.csv", [str(tmp_path / "old.csv"), "no such folder/x.csv"])
    check_output(None, ["old.csv"])


def test_a_gate_whose_picture_cannot_be_drawn_leaves_no_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "kaleido", None)
    monkeypatch.chdir(tmp_path)
    words = "compare example:support example:support-answers --gate --junit gate.xml -o gate.svg -q"
    with pytest.raises(SystemExit) as stop:
        main(words.split())
    assert stop.value.code == 2
    assert list(tmp_path.iterdir()) == []


def test_marks_of_direction_stand_as_codes_in_json() -> None:
    marks = "\u061c\u200e\u202e\u2066\ufff9\U000e0041"
    text = to_json(describe({"item": ["a", "b"], "rater": ["r", "s"], "response": [f"x{marks}", "y"]}))
    assert not set(marks) & set(text)
    assert marks in json.loads(text)["scale"]["categories"][0]
