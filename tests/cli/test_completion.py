"""`quorate --install-completion` writes where it is told, and refuses in a sentence."""

from pathlib import Path

import pytest

from tests.run import Run


def test_the_script_completes_verbs_and_options(quorate: Run, tmp_path: Path) -> None:
    done = quorate("--install-completion", "--shell", "bash", "-o", tmp_path / "quorate.sh", HOME=str(tmp_path))
    assert done.returncode == 0
    assert done.stdout.startswith(f"written: {tmp_path}")
    script = (tmp_path / "quorate.sh").read_text()
    assert "--rated-system" in script
    assert str(tmp_path / "quorate.sh") in (tmp_path / ".bashrc").read_text()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--shell", "bash", "-o", "/dev/full"), "/dev/full cannot be written"),
        (("--shell", "bash", "-o", "/dev/null/x"), "/dev/null/x cannot be written"),
        (("--shell", "csh"), "--shell cannot be 'csh'"),
    ],
)
def test_what_cannot_be_written_is_said(words: tuple[str, ...], reason: str, quorate: Run, tmp_path: Path) -> None:
    done = quorate("--install-completion", *words, HOME=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"quorate: {reason}")
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
