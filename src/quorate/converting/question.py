"""What `convert` is asked."""

from dataclasses import dataclass
from typing import Any, ClassVar

from quorate._errors import InputError
from quorate._question import sources
from quorate.data.reading import LogReading


@dataclass(frozen=True)
class ConvertQuestion(LogReading):
    """What to make a long table of.

    Parameters
    ----------
    files
        Logs or exports of other tools, folders of them, or tables; name=FILE names the system of a file.
    """

    first: ClassVar[str] = "files score filter"

    files: Any = sources()

    def check(self) -> None:
        """Refuse what cannot be asked."""
        super().check()
        if not self.files:
            raise InputError("name a log, a folder of logs or a table to convert.")
