"""What an error nobody expected becomes: one sentence, and a file that says what happened."""

import os
import platform
import shlex
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from quorate._version import __version__


def crash_sentence(error: BaseException, words: Sequence[str]) -> str:
    """Keep the trace in a file and say where it is and what was typed."""
    kind, command = type(error).__name__, shlex.join(["quorate", *words])
    kept = _keep(error, command)
    where = "its trace could not be kept" if kept is None else f"please open an issue of quorate, with {kept}"
    return f"quorate: {command} met an error that is not yours ({kind}); {where}."


def _keep(error: BaseException, command: str) -> Path | None:
    """Write the trace to the folder for temporary files; None where that cannot be done."""
    about = f"quorate {__version__}, Python {sys.version.split()[0]}, {platform.platform()}\n{command}\n\n"
    text = about + "".join(traceback.format_exception(error))
    try:
        handle, name = tempfile.mkstemp(prefix="quorate-error-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        return None
    return Path(name)
