"""`quorate app`: open the pages in a browser; what they need is imported when the command runs."""

import os
import re
from typing import Annotated

from cyclopts import Parameter

from quorate._errors import InputError
from quorate._question import check_workers
from quorate.cli.whole_numbers import WHOLE

LOOPBACK = ("127.0.0.1", "localhost", "::1")
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
LEAST_TOKEN = 12
"""Letters of a token that is not soon guessed."""


def serve(
    *,
    port: Annotated[int, Parameter(show_default=False), WHOLE] = 0,
    host: str = "127.0.0.1",
    token: str | None = None,
    max_upload: str = "1G",
    browser: Annotated[bool, Parameter(negative="--no-browser", show_default=False)] = True,
    workers: Annotated[int | None, WHOLE] = None,
) -> int:
    """Ask every question in a browser: choose a file, look at the data, move a slider, pass the report on.

    The pages are served to this machine alone, by an address that holds a secret, until Ctrl-C.

    Files that are dropped on a page stay here, in a private folder that goes when the command ends.

    Examples:
      quorate app
      quorate app --port 8080 --no-browser
      quorate app --host 0.0.0.0 --port 8080 --token 'a long secret of your own'

    Parameters
    ----------
    port
        Port to listen on; a free one if not given.
    host
        Address to listen on. Any other than this machine's own is open to the network, and demands --token.
    token
        The secret in the first address; drawn at random if not given.
    max_upload
        Largest file that may be dropped on a page, such as 200M or 2G.
    browser
        Open the address in a browser, which it does unless told not to.
    workers
        Processes that answer; if not given one per core, but at least two and at most four.
    """
    size = parse_size("--max-upload", max_upload)
    check_address(host, port, token)
    if workers is not None:
        check_workers(workers)
    try:
        from quorate.app.service import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "python_multipart"):
            raise
        raise InputError("The pages need Starlette and uvicorn: pip install 'quorate[app]'.") from None
    processes = workers or min(max(os.cpu_count() or 2, 2), 4)
    return run(host=host, port=port, token=token, max_upload=size, browser=browser, workers=processes)


def parse_size(flag: str, text: str) -> int:
    """Return the bytes that a text such as 200M names."""
    found = re.fullmatch(r"(\d{1,12})\s*([kmg]?)i?b?", text.strip().lower())
    if found is None or int(found[1]) == 0:
        raise InputError(f"{flag} {text} is not a size; write 200M or 2G.")
    return int(found[1]) * UNITS[found[2]]


def check_address(host: str, port: int, token: str | None) -> None:
    """Refuse a port no machine has, and the open network without a secret of the user's own."""
    if not 0 <= port < 1 << 16:
        raise InputError(f"--port {port} is no port; use 1024 to 65535, or leave it out for a free one.")
    if token is not None and (len(token) < LEAST_TOKEN or not token.isascii() or not token.isprintable()):
        raise InputError(f"--token must be {LEAST_TOKEN} letters or more, without accents, so that nobody guesses it.")
    if host not in LOOPBACK and token is None:
        raise InputError(
            f"--host {host} opens the pages, and every file dropped on them, to the network without encryption: give "
            "--token SECRET, which all who ask must know, or leave --host out."
        )
