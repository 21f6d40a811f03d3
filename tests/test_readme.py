"""Every command in the README and in the guide to `describe` runs, and what they show is what comes out.

With QUORATE_UPDATE=1 the output shown for commands is replaced by the real one instead of being compared.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/how-to/describe.md", "docs/how-to/compare.md", "docs/how-to/estimate.md")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
UPDATE = bool(os.environ.get("QUORATE_UPDATE"))

pytestmark = pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="the pages come with the repository")


def blocks(page, language):
    return [content for kind, content in BLOCK.findall((ROOT / page).read_text()) if kind == language]


def run(command, folder):
    """Run a line as a reader would, with `quorate` on the path; what a terminal shows is stderr and stdout together."""
    here = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    line = re.sub(r"(^|\| )quorate ", rf"\1{shlex.quote(sys.executable)} -m quorate ", command)
    pipe = subprocess.PIPE
    done = subprocess.run(
        line, shell=True, cwd=folder, env=here, stdout=pipe, stderr=subprocess.STDOUT, timeout=120, check=False
    )
    return done.returncode, "".join(text.rstrip() + "\n" for text in done.stdout.decode().splitlines())


def shown(block):
    """Split a console block into commands and the output shown for each."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def update(page, old, new):
    path = ROOT / page
    path.write_text(path.read_text().replace(old, new, 1))


@pytest.mark.parametrize("page", PAGES)
def test_console_blocks_show_what_comes_out(page, tmp_path):
    for block in blocks(page, "console"):
        real = [(command, *run(command, tmp_path)) for command, _ in shown(block)]
        assert [code for _, code, _ in real] == [0] * len(real), real
        if UPDATE:
            update(page, block, "".join(f"$ {command}\n{text}" for command, _, text in real))
        else:
            assert [text for _, _, text in real] == [text for _, text in shown(block)]


@pytest.mark.parametrize("page", PAGES)
def test_commands_without_output_run(page, tmp_path):
    for block in blocks(page, "sh"):
        for line in block.splitlines():
            if line.startswith("quorate "):
                code, text = run(line, tmp_path)
                assert (code, "Traceback" in text) == (0, False), f"{line}: {text}"
            elif line.startswith("make "):
                target = line.split("#")[0].split()[1]
                assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
            else:
                assert line.startswith("pip install .")


@pytest.mark.parametrize("page", PAGES)
def test_python_blocks_are_true(page):
    for number, block in enumerate(blocks(page, "python")):
        test = doctest.DocTestParser().get_doctest(block, {}, f"{page}, block {number}", page, 0)
        assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_the_demo_is_the_command_the_readme_shows():
    demo = re.search(r"^demo:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    commands = [line.strip().replace("$(BIN)/", "") for line in demo.group(1).splitlines()]
    assert commands == [command for block in blocks("README.md", "console") for command, _ in shown(block)]


def test_a_changed_output_would_be_seen(tmp_path):
    """Negative control: the comparison fails when one shown number is changed."""
    (command, text), *_ = shown(blocks("README.md", "console")[0])
    assert run(command, tmp_path)[1] != text.replace("14 raters", "15 raters")
