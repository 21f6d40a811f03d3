"""Zip archives, read member by member, and no further than memory allows."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from quorate._errors import InputError

ZIP = b"PK\x03\x04"
END, END64, LOCATOR = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
TAIL = 22 + 0xFFFF
"""Bytes of a file in which the end of its directory stands."""
MOST_DIRECTORY, MOST_MEMBER = 1 << 26, 1 << 28
"""Bytes of the list of members, and of one member unpacked."""
LOCAL_HEADER = 30
ZSTD = 93
"""The compression method that Python reads from 3.14 on."""
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)


@dataclass(frozen=True)
class Archive:
    """A zip archive that is open; of members with one name the last counts."""

    name: str
    file: BinaryIO
    members: zipfile.ZipFile

    @property
    def names(self) -> list[str]:
        """What the members are called, each once."""
        return list(dict.fromkeys(self.members.namelist()))

    def read(self, member: str, most: int = MOST_MEMBER) -> bytes:
        """Return a member unpacked, or refuse one that is damaged or has no end in sight."""
        info = self.members.getinfo(member)
        try:
            unpacked = self._zstd(info, most) if info.compress_type == ZSTD else self._plain(info, most)
        except DAMAGE as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{self.name}: {member} is damaged; write or download the file again.") from None
        if len(unpacked) > most:
            raise InputError(
                f"{self.name}: {member} unpacks to more than {most / 2**20:,.0f} MB; check where the file is from."
            )
        return unpacked

    def _plain(self, info: zipfile.ZipInfo, most: int) -> bytes:
        with self.members.open(info) as member:
            return member.read(most + 1)

    def _zstd(self, info: zipfile.ZipInfo, most: int) -> bytes:
        """Unpack what the zip module of this Python only lists: the bytes after the member's own header."""
        self.file.seek(info.header_offset)
        header = self.file.read(LOCAL_HEADER)
        name_size, extra_size = struct.unpack("<HH", header[26:30])
        self.file.seek(info.header_offset + LOCAL_HEADER + name_size + extra_size)
        if info.compress_size > most:
            raise InputError(f"{self.name}: {info.filename} has more than {most / 2**20:,.0f} MB; read a part of it.")
        return _unzstd(self.name, self.file.read(info.compress_size), most + 1)


@contextmanager
def open_archive(name: str, file: BinaryIO) -> Iterator[Archive]:
    """Open an archive whose list of members is not itself a trap."""
    try:
        _check_directory(name, file)
        members = zipfile.ZipFile(file)
    except DAMAGE as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} is a damaged zip archive; write or download it again.") from None
    with members:
        yield Archive(name, file, members)


def _check_directory(name: str, file: BinaryIO) -> None:
    size = file.seek(0, io.SEEK_END)
    file.seek(max(size - TAIL, 0))
    tail = file.read(TAIL)
    place = tail.rfind(END)
    if place < 0:
        raise zipfile.BadZipFile
    (directory,) = struct.unpack("<I", tail[place + 12 : place + 16])
    if tail[place - 20 : place - 16] == LOCATOR:
        (offset,) = struct.unpack("<Q", tail[place - 12 : place - 4])
        file.seek(min(offset, size))
        large = file.read(56)
        if large.startswith(END64):
            (directory,) = struct.unpack("<Q", large[40:48])
    file.seek(0)
    if directory > MOST_DIRECTORY:
        raise InputError(f"{name} lists more members than a log has ({directory / 2**20:,.0f} MB of names); check it.")


def _unzstd(name: str, packed: bytes, most: int) -> bytes:
    try:
        from backports import zstd
    except ImportError:
        raise InputError(
            f"{name} is packed with zstd: pip install 'quorate[inspect]' to read it, or write it as JSON with "
            "inspect log convert --to json."
        ) from None
    try:
        with zstd.ZstdFile(io.BytesIO(packed)) as frames:
            unpacked: bytes = frames.read(most)
    except zstd.ZstdError:
        raise zipfile.BadZipFile from None
    return unpacked
