"""What people paste, and what they read when something broke, through the command line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from quorate.cli import main


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(list(words))
    captured = capsys.readouterr()
    return (stop.value.code if isinstance(stop.value.code, int) else 0), captured.out, captured.err


@pytest.mark.parametrize(
    ("words", "headline", "sheet"),
    [
        ("plan --preset dices --difference 0.05", "Buy ", "is seen with 80 % power"),
        ("compare example:support example:support-answers", "atlas scores 0.", "With 80 % power the study could see"),
        (
            "compare example:claims example:claims-judges --baseline raters --margin 0.05",
            "1 of 2 judges ",
            "2 systems (larch, maple) with the raters themselves",
        ),
        ("compare example:replies --rated-system system", "atlas scores 0.508", "by mean rating. Inference"),
        ("describe example:replies --rated-system system", "80 outputs of 40 items", ""),
    ],
)
def test_markdown_and_latex_hold_headline_tables_and_data_sheet(
    words: str, headline: str, sheet: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {}
    for suffix in (".md", ".tex"):
        path = tmp_path / f"out{suffix}"
        assert run(capsys, *words.split(), "-o", str(path))[0] == 0
        texts[suffix] = path.read_text()
    first = texts[".md"].splitlines()[0]
    assert first.startswith(f"**{headline}")
    assert len(first.split()) <= 25
    assert sheet in texts[".md"]
    assert re.search(r"(?m)^\|.*---", texts[".md"])
    body = re.sub(r"(?m)^%.*$", "", texts[".tex"])
    assert body.count(r"\begin{tabular}") == body.count(r"\end{tabular}") >= 1
    text = re.sub(r"\$(\\[a-z]+|-)\$", "", body)
    assert not re.search(r"(?<!\\)[%#_$]|[^\x00-\xff€]", text)  # signs that LaTeX takes for its own, or has not


def test_an_error_of_ours_is_70_one_sentence_and_where_to_report_it(tmp_path: Path) -> None:
    """A library that cannot be imported is an error nobody expects."""
    (tmp_path / "polars.py").write_text("raise ZeroDivisionError")
    command = [sys.executable, "-m", "quorate", "compare", "example:support", "example:support-answers", "--gate"]
    env = os.environ | {"PYTHONPATH": str(tmp_path), "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120)
    assert (done.returncode, done.stdout) == (70, "")
    said = r"quorate: .*\(ZeroDivisionError\); please open an issue of quorate, with \S+\.\n"
    assert re.fullmatch(said, done.stderr)
    [kept] = tmp_path.glob("quorate-error-*.txt")
    assert "ZeroDivisionError" in kept.read_text()


def test_the_verbs_of_python_are_those_of_the_command_line() -> None:
    import quorate
    from quorate._question import QUESTIONS

    assert set(QUESTIONS) - set(dir(quorate)) == set()
