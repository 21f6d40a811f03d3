"""Files dropped on a page: kept in a private folder under the digest of their content, never under a name.

A file is asked for by its digest and what to call it, ``0123abcd…:pilot.csv``; the name only ever names a link inside
the folder of one question, so that sentences and commands say what the person calls the file.
"""

import hashlib
import os
import re
import secrets
import shutil
import tempfile
import unicodedata
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from quorate._errors import InputError
from quorate._text import count
from quorate.data.inputs import EXAMPLES

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

DIGEST = 32
"""Letters of a digest: 128 bits."""
LONGEST_NAME = 80
IDENTITY = re.compile(rf"([0-9a-f]{{{DIGEST}}}):(.+)", re.DOTALL)
HOLDS = 4
"""Times the largest file that all files together may take."""
MOST_HEADER = 16_384


class TooLargeError(InputError):
    """More than there is room for."""


@dataclass(frozen=True)
class StoredFile:
    """A file of the private folder: the digest of its content, what to call it, and its size."""

    digest: str
    name: str
    size: int

    @property
    def identity(self) -> str:
        """What stands in an address for the file."""
        return f"{self.digest}:{self.name}"


@dataclass
class Uploads:
    """The private folder, made for one run of the app and removed with it."""

    most: int
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="quorate-app-")))
    files: dict[str, StoredFile] = field(default_factory=dict)
    coming: dict[Path, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for part in ("files", "questions", "results"):
            (self.folder / part).mkdir(mode=0o700)

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        shutil.rmtree(self.folder, ignore_errors=True)

    async def store(self, content_type: str, body: AsyncIterator[bytes]) -> StoredFile:
        """Write the file of a multipart body to the folder as it comes; refuse one that is too large."""
        path = self.folder / "files" / f"part-{secrets.token_hex(8)}"
        try:
            with path.open("xb") as file:
                part = FilePart(parse_options_header(content_type)[1].get(b"boundary", b""))
                async for chunk in body:
                    for piece in part.read(chunk):
                        file.write(piece)
                    self.coming[path] = part.size
                    self._check_room(part.size)
            return self._keep(path, part)
        finally:
            self.coming.pop(path, None)
            path.unlink(missing_ok=True)

    def _check_room(self, size: int) -> None:
        if size > self.most:
            raise self.too_large()
        if sum(self.coming.values()) + sum(each.size for each in self.files.values()) > HOLDS * self.most:
            raise TooLargeError("All files together take too much room; start quorate app again, or with --max-upload.")

    def too_large(self) -> TooLargeError:
        """Return the refusal of a single file."""
        return TooLargeError(f"The file is larger than {size_words(self.most)}; start quorate app with --max-upload.")

    def _keep(self, path: Path, part: "FilePart") -> StoredFile:
        if not part.ended or part.name is None:
            raise InputError("No file came with the form; choose one and send it again.")
        stored = StoredFile(part.hash.hexdigest()[:DIGEST], clean_name(part.name), part.size)
        path.replace(self.folder / "files" / stored.digest)
        self.files.setdefault(stored.digest, stored)
        return stored

    def find(self, identity: str) -> StoredFile | None:
        """Return the file an address names, under the name it has there; None if its content is not here."""
        digest, name = parse_identity(identity)
        known = self.files.get(digest)
        return None if known is None else StoredFile(digest, name, known.size)

    def link(self, key: str, stored: Sequence[StoredFile]) -> Path:
        """Return a folder of one question in which each file stands under its name."""
        folder = self.folder / "questions" / key
        folder.mkdir(mode=0o700, exist_ok=True)
        contents = {each.name: each.digest for each in stored}
        for each in stored:
            if contents[each.name] != each.digest:
                raise InputError(f"Two different files are called {each.name}; rename one of them.")
            if not (folder / each.name).exists():
                os.link(self.folder / "files" / each.digest, folder / each.name)
        return folder


@dataclass
class FilePart:
    """The first file of a multipart body, as it comes: its name, its pieces, its size and digest."""

    boundary: bytes
    name: str | None = None
    size: int = 0
    ended: bool = False
    hash: hashlib.blake2b = field(default_factory=lambda: hashlib.blake2b(digest_size=DIGEST // 2))
    _header: tuple[bytes, bytes] = (b"", b"")
    _pieces: list[bytes] = field(default_factory=list)
    _within: bool = False

    def __post_init__(self) -> None:
        if not self.boundary:
            raise InputError("The form has no boundary; send it from the page.")
        calls: MultipartCallbacks = {
            "on_header_field": self._on_field,
            "on_header_value": self._on_value,
            "on_header_end": self._on_header_end,
            "on_part_data": self._on_data,
            "on_part_end": self._on_part_end,
        }
        self._parser = MultipartParser(self.boundary, calls)

    def read(self, chunk: bytes) -> list[bytes]:
        """Take in a chunk of the body and return what of it belongs to the file."""
        self._pieces.clear()
        try:
            self._parser.write(chunk)
        except FormParserError:
            raise InputError("The form came damaged; send the file again.") from None
        for piece in self._pieces:
            self.size += len(piece)
            self.hash.update(piece)
        return self._pieces

    def _on_field(self, data: bytes, start: int, end: int) -> None:
        name, value = self._header
        self._header = name + data[start:end], value
        self._check_header()

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        name, value = self._header
        self._header = name, value + data[start:end]
        self._check_header()

    def _check_header(self) -> None:
        if sum(map(len, self._header)) > MOST_HEADER:
            raise InputError("The form came damaged; send the file again.")

    def _on_header_end(self) -> None:
        name, value = self._header
        self._header = b"", b""
        if name.strip().lower() == b"content-disposition" and self.name is None:
            given = parse_options_header(value)[1].get(b"filename")
            if given is not None:
                self.name, self._within = given.decode(errors="replace"), True

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        if self._within:
            self._pieces.append(data[start:end])

    def _on_part_end(self) -> None:
        self.ended, self._within = self.ended or self._within, False


def parse_identity(identity: str) -> tuple[str, str]:
    """Return digest and clean name of what stands in an address for a file."""
    found = IDENTITY.fullmatch(identity)
    if found is None:
        raise InputError("An address names a file that cannot be; choose the file again.")
    return found[1], clean_name(found[2])


def clean_name(name: str) -> str:
    """Return a name that is only a name: no folder, no control, nothing a command line takes for something else."""
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    plain = re.sub(r"[^\w. ()+-]", "_", last).strip(". ")
    stem, dot, suffix = plain.lstrip("-").rpartition(".")
    short = f"{stem[: LONGEST_NAME - 10]}{dot}{suffix[:9]}" if dot else suffix[:LONGEST_NAME]
    return short or "file"


def is_example(identity: str) -> bool:
    """Tell whether an address names a bundled example."""
    return identity.startswith("example:") and identity.removeprefix("example:") in EXAMPLES


def size_words(size: int) -> str:
    """Write a size as people do."""
    for unit, letters in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {letters}"
    return count(size, "byte")
