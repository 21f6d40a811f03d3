"""What `-o FILE.tex` writes, set by LaTeX itself: names of every kind, and no line that leaves its page."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import quorate
from quorate.results.latex import ENGINES
from quorate.results.result import Result

LATEX, XELATEX = shutil.which("pdflatex"), shutil.which("xelatex")
NAMES = [r"a_b%c&d#e$f{g}~^\h", '[2] <b>bold</b> "q" `x`', "*old|new--now*", "organisation/name-of-a-model" * 4]
MARGIN = 1.0
"""Points by which a table may stand out, which nobody sees."""


def answered(names: list[str]) -> Result:
    """Systems of these names beside raters, without two answers alike."""
    words = ["no", "50 % & more"]
    ratings = {
        "item": [f"i_{i}" for i in range(30) for _ in range(3)],
        "response": [words[(i + j) % 3 > 1] for i in range(30) for j in range(3)],
    }
    answers = {
        "item": [f"i_{i}" for _ in names for i in range(30)],
        "system": [name for name in names for _ in range(30)],
        "response": [words[i % (s + 2) > 0] for s in range(len(names)) for i in range(30)],
    }
    return quorate.compare(ratings, answers)


def set_by(engine: str, text: str, folder: Path, preamble: str = "") -> tuple[int, str]:
    (folder / "table.tex").write_text(text)
    head = rf"\documentclass{{article}}\usepackage{{booktabs}}{preamble}"
    (folder / "main.tex").write_text(rf"{head}\begin{{document}}\input{{table}}\end{{document}}")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "main.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=120)
    return done.returncode, done.stdout


@pytest.mark.skipif(LATEX is None, reason="no pdflatex on the path: apt-get install texlive-latex-recommended")
def test_every_kind_of_table_is_set_and_stays_on_its_page(tmp_path: Path) -> None:
    results = {
        "plan": quorate.plan("example:support", "example:support-answers", difference=0.05),
        "have": quorate.plan(preset="dices", difference=0.05, have=(200, 3), item_price=2, currency="€"),
        "compare": quorate.compare("example:support", "example:support-answers", by="channel"),
        "pool": quorate.plan(preset="dices", difference=0.1, have=(200, 3), item_price=2, pool=30, rater_share=0.05),
        "votes": quorate.compare("example:preferences", by="topic"),
        "judges": quorate.compare("example:claims", "example:claims-judges", baseline="raters", margin=0.05),
        "names": answered(NAMES),
        "describe": quorate.describe("example:support"),
        "estimate": quorate.estimate("example:moderation", "example:moderation-experts", "example:moderation-scores"),
        "audit": quorate.audit("dices", items=30, raters=3, replicates=50),
        "fit": quorate.fit("example:summaries"),
        "presets": quorate.presets(),
    }
    for name, result in results.items():
        code, log = set_by(str(LATEX), result.to_latex(), tmp_path)
        assert code == 0, f"{name}: {log[-2000:]}"
        wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
        assert max(wide, default=0.0) < MARGIN, name
    assert set_by(str(LATEX), r"a_b \unknown", tmp_path)[0] != 0  # and what is no LaTeX is seen


@pytest.mark.skipif(XELATEX is None, reason="no xelatex on the path: apt-get install texlive-xetex fonts-dejavu-core")
def test_names_in_other_scripts_say_which_engine_sets_them(tmp_path: Path) -> None:
    text = answered(["пункт 1", "מערכת א", "النموذج"]).to_latex()
    assert ENGINES in text
    assert ENGINES not in answered(NAMES).to_latex()
    fonts = r"\usepackage{fontspec}\setmainfont{DejaVu Sans}"
    code, log = set_by(str(XELATEX), text, tmp_path, fonts)
    assert code == 0, log[-2000:]
