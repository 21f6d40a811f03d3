"""Every command and every block of code in the README and the pages runs, and what they show is what comes out.

Blocks of a page follow one another in one folder, which holds the files the pages speak of. With QUORATE_UPDATE=1 the
output shown for commands is replaced by the real one instead of being compared.
"""

import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import quorate
from quorate.cli import main
from tests.spreadsheets import german_spreadsheet

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "tests" / "formats" / "data"
PAGES = ["README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]
FIRST_READ = ["README.md", "docs/tutorial.md"]
"""Pages whose commands run here; those of the others run with `make docs`, in tests/pages."""
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
RUN, QUIET = {"console", "sh", "python", "toml"}, {"", "text", "bash", "shell", "yaml"}
"""Languages of blocks that are run, and of blocks that may hold no command."""
UPDATE = bool(os.environ.get("QUORATE_UPDATE"))
LONG = ("--grid forest", "reproduce all", "docs/tools")
"""Commands that take minutes; tests/slow runs them."""
SEEN: set[str] = set()
"""Commands that ran on another page, which has the same files."""
FILES = {
    "pilot.csv": "support",
    "ratings.csv": "support",
    "answers.csv": "support-answers",
    "stars.csv": "summaries",
    "votes.csv": "moderation",
    "experts.csv": "moderation-experts",
    "scores.csv": "moderation-scores",
}
"""What the files of the pages stand for."""

pytestmark = pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="the pages come with the repository")


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the pages speak of."""
    folder = tmp_path_factory.mktemp("files")
    bundled = Path(quorate.__file__).parent / "data" / "bundled"
    for name, example in FILES.items():
        shutil.copy(bundled / f"{example}.csv", folder / name)
    (folder / "bewertung.csv").write_bytes(german_spreadsheet())
    for log in ("new.eval", "old.eval", "promptfoo.json", "label-studio.json"):
        shutil.copy(LOGS / log, folder / log)
    shutil.copytree(LOGS / "lm-eval", folder / "lm-eval")
    run("quorate fit pilot.csv -o pilot.json", folder)
    write_weeks(pl.read_csv(folder / "ratings.csv", infer_schema_length=None), folder)
    return folder


def write_weeks(table: pl.DataFrame, folder: Path) -> None:
    """Write the ratings as a folder of Parquet files, and into a database if there is one."""
    for number, part in enumerate(table.iter_slices(200)):
        place = folder / "weeks" / f"week={number}"
        place.mkdir(parents=True)
        part.write_parquet(place / "part.parquet")
    duckdb: Any = pytest.importorskip("duckdb")
    with duckdb.connect(str(folder / "votes.db")) as base:
        base.execute("CREATE TABLE votes AS SELECT * FROM read_parquet(?)", [str(folder / "weeks/*/*.parquet")])


@pytest.fixture
def folder(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reader's folder."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")  # short work needs no workers, which take seconds to start
    return tmp_path


def blocks(page: str, *languages: str) -> list[str]:
    return [content for kind, content in BLOCK.findall((ROOT / page).read_text()) if kind in languages]


def run(command: str, folder: Path) -> tuple[object, str]:
    """Run a line as a reader would; what a terminal shows is stderr and stdout together."""
    if not command.startswith("quorate "):
        return run_in_shell(command, folder)
    command, _, filtered = command.partition(" | ")
    code, text = run_here(command, folder)
    return (code, text) if code or not filtered else run_in_shell(filtered, folder, text)


def run_here(command: str, folder: Path) -> tuple[object, str]:
    """Run a command of quorate in this process, for speed."""
    words = shlex.split(command, comments=True)[1:]
    here = os.getcwd()
    with io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) as screen:
        os.chdir(folder)
        try:
            with redirect_stdout(screen), redirect_stderr(screen), pytest.raises(SystemExit) as end:
                main(words)
        finally:
            os.chdir(here)
        return end.value.code, trimmed(screen.buffer.getvalue().decode())


def run_in_shell(command: str, folder: Path, stdin: str = "") -> tuple[int, str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    line = re.sub(r"^quorate ", f"{shlex.quote(sys.executable)} -m quorate ", command)
    pipe, same = subprocess.PIPE, subprocess.STDOUT
    done = subprocess.run(
        line, shell=True, cwd=folder, env=env, input=stdin.encode(), timeout=120, check=False, stdout=pipe, stderr=same
    )
    return done.returncode, trimmed(done.stdout.decode())


def trimmed(text: str) -> str:
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def shown(block: str) -> list[tuple[str, str]]:
    """Split a console block into commands and the output shown for each."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def update(page: str, old: str, new: str) -> None:
    path = ROOT / page
    path.write_text(path.read_text().replace(old, new, 1))


def check_console(page: str, folder: Path) -> None:
    """Compare what console blocks show with what comes out."""
    for block in blocks(page, "console"):
        real = [(command, *run(command, folder)) for command, _ in shown(block)]
        assert [code for _, code, _ in real] == [0] * len(real), real
        if UPDATE:
            update(page, block, "".join(f"$ {command}\n{text}" for command, _, text in real))
        else:
            assert [text for _, _, text in real] == [text for _, text in shown(block)]


def check_commands(page: str, folder: Path) -> None:
    """Run the commands that stand without an output."""
    for block in blocks(page, "toml"):
        (folder / block.splitlines()[0].removeprefix("# ")).write_text(block)
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    for line in (line for line in lines if line and not line.startswith("#")):
        if line.startswith("make "):
            target = line.split("#")[0].split()[1]
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        elif not line.startswith("pip install") and not any(words in line for words in LONG) and line not in SEEN:
            code, text = run(quicker(line), folder)
            SEEN.add(line)
            assert (code, "Traceback" in text) == (0, False), f"{line}: {text}"


def quicker(line: str) -> str:
    """Let an audit whose numbers nobody sees be of few studies."""
    if not line.startswith("quorate audit"):
        return line
    command, _, _ = re.sub(r" --replicates \d+", "", line).partition(" #")
    return f"{command} --replicates 20"


def check_python(page: str) -> None:
    """Run the blocks of Python; one with prompts shows what comes out."""
    names: dict[str, Any] = {}
    for number, block in enumerate(blocks(page, "python")):
        if ">>>" not in block:
            exec(compile(block, f"{page}, block {number}", "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(block, names, f"{page}, block {number}", page, 0)
        test.globs = names
        assert doctest.DocTestRunner(verbose=False).run(test, clear_globs=False).failed == 0


@pytest.mark.parametrize("page", FIRST_READ)
@pytest.mark.parametrize("check", [check_console, check_commands])
def test_commands_do_what_the_page_says(check: Callable[[str, Path], None], page: str, folder: Path) -> None:
    check(page, folder)


@pytest.mark.parametrize("page", FIRST_READ)
@pytest.mark.usefixtures("folder")
def test_python_blocks_are_true(page: str) -> None:
    check_python(page)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_stands_in_a_block_that_is_run(page: str) -> None:
    """A block without a language is not run, so it may hold no command."""
    for block in blocks(page, *QUIET):
        assert not re.search(r"^(\$ )?quorate ", block, re.MULTILINE), block


def stray(text: str) -> list[str]:
    """Say what in a text could hide a command: fences that are not seen, and languages that are not run."""
    fences = re.findall(r"^[ \t>]*(?:```|~~~)", text, re.MULTILINE)
    found = BLOCK.findall(text)
    unseen = [] if len(fences) == 2 * len(found) else ["a fence that is indented, quoted or left open"]
    return unseen + [kind for kind, _ in found if kind not in RUN | QUIET]


@pytest.mark.parametrize("page", PAGES)
def test_no_block_escapes(page: str) -> None:
    assert stray((ROOT / page).read_text()) == []


def test_a_block_that_escapes_would_be_seen() -> None:
    """Negative control: an indented fence, and a language nobody runs."""
    assert stray("- a list\n\n  ```sh\n  quorate plan\n  ```\n") != []
    assert stray("```pycon\n>>> 1 + 1\n3\n```\n") == ["pycon"]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = BLOCK.sub("", (ROOT / page).read_text())
    for address in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, place = address.partition("#")
        if "://" in address or path.startswith("mailto:"):
            continue
        target = (ROOT / page).parent / path if path else ROOT / page
        made = target.name in ("cli.md", "sources.md")  # made from the code when the site is built
        assert target.exists() or made, f"{page}: {address}"
        if place and target.exists():
            assert place in anchors(target.read_text()), f"{page}: {address}"


def anchors(text: str) -> set[str]:
    """The places of a page that a link can name."""
    titles = re.findall(r"^#+ (.*)$", BLOCK.sub("", text), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title.lower())).strip("-") for title in titles}


def test_the_demo_is_the_command_the_readme_shows() -> None:
    demo = re.search(r"^demo:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert demo is not None
    lines = [line.strip() for line in demo.group(1).splitlines() if not line.strip().startswith("@")]
    commands = [line.replace("$(BIN)/", "") for line in lines]
    assert commands == [command for block in blocks("README.md", "console") for command, _ in shown(block)]


def test_a_changed_output_would_be_seen(folder: Path) -> None:
    """Negative control: the comparison fails when one shown number is changed."""
    (command, text), *_ = shown(blocks("README.md", "console")[0])
    assert run(command, folder)[1] != text.replace("14 raters", "15 raters")


def test_a_process_of_its_own_says_the_same(folder: Path) -> None:
    """Commands run inside this process, for speed; one in a process of its own shows that nothing else differs."""
    (command, text), *_ = shown(blocks("README.md", "console")[0])
    assert run_in_shell(command, folder) == (0, text)


def test_a_dead_link_would_be_seen() -> None:
    """Negative control: the anchors of a page are its titles, and no more."""
    assert anchors("# One title\n## Why is p never 0?\n") == {"one-title", "why-is-p-never-0"}
