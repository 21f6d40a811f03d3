"""Let a shell complete commands and options."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.completion.detect import ShellDetectionError, detect_shell

from quorate._errors import InputError
from quorate.cli import make_app
from quorate.cli.streams import put


def install_completion(
    *,
    shell: Literal["bash", "zsh", "fish", "powershell"] | None = None,
    output: Annotated[Path | None, Parameter(name=("--output", "-o"))] = None,
) -> int:
    """Let the shell complete commands and options from now on.

    Parameters
    ----------
    shell
        The shell; by default the one in use.
    output
        Where the script goes; by default where the shell looks for it.
    """
    try:
        place = make_app(listing=True).install_completion(shell=shell or detect_shell(), output=output)
    except ShellDetectionError:
        raise InputError("--install-completion cannot tell which shell this is; name it, as in --shell bash.") from None
    except (OSError, RuntimeError) as error:
        raise InputError(
            f"{output or 'The script of --install-completion'} cannot be written ({error}); "
            "name another place with -o FILE."
        ) from None
    return 0 if put(f"written: {place}; start the shell anew.") else 2
