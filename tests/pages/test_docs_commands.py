"""Every command and every block of code of the docs, as test_readme runs those of the README and the tutorial."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.test_readme import FIRST_READ, PAGES, check_commands, check_console, check_python, files, folder

__all__ = ["files", "folder"]

OTHERS = [page for page in PAGES if page not in FIRST_READ]


@pytest.mark.parametrize("page", OTHERS)
@pytest.mark.parametrize("check", [check_console, check_commands])
def test_commands_do_what_the_page_says(check: Callable[[str, Path], None], page: str, folder: Path) -> None:
    check(page, folder)


@pytest.mark.parametrize("page", OTHERS)
@pytest.mark.usefixtures("folder")
def test_python_blocks_are_true(page: str) -> None:
    check_python(page)
