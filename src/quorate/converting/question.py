"""What `convert` is asked."""

from dataclasses import dataclass
from typing import Any, ClassVar

from quorate._errors import InputError
from quorate._question import flag_of, sources
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
    silent: ClassVar[str] = "order duplicates preferences"

    files: Any = sources()

    def check(self) -> None:
        """Refuse what cannot be asked."""
        super().check()
        idle = [flag_of(name) for name in self.silent.split() if name in self.reading]
        if idle:
            raise InputError(f"convert writes rows as they stand, so {idle[0]} would do nothing; leave it out.")
        if not self.files:
            raise InputError("name a log, a folder of logs or a table to convert.")
