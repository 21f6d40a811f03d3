import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quorate._errors import InputError
from quorate.app.uploads import StoredFile, Uploads, clean_name, is_example, parse_identity, size_words
from tests.asgi import multipart


def store(uploads: Uploads, name: str, content: bytes, piece: int = 7) -> StoredFile:
    (_, kind), body = multipart(name, content)

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), piece):
            yield body[start : start + piece]

    return asyncio.run(uploads.store(kind, pieces()))


def folder_of(tmp_path: Path, most: int = 1000) -> Uploads:
    (tmp_path / "private").mkdir()
    return Uploads(most, tmp_path / "private")


def test_a_file_is_kept_by_its_content(tmp_path: Path) -> None:
    uploads = folder_of(tmp_path)
    first, again = store(uploads, "a.csv", b"x,y\n1,2\n"), store(uploads, "b.csv", b"x,y\n1,2\n", piece=1000)
    assert first.digest == again.digest
    assert (uploads.folder / "files" / first.digest).read_bytes() == b"x,y\n1,2\n"
    found = uploads.find(again.identity)
    assert found is not None
    assert found.name == "b.csv"
    assert uploads.find(f"{'0' * 32}:a.csv") is None
    assert [path.name for path in (uploads.folder / "files").iterdir()] == [first.digest]


def test_a_file_that_is_too_large_leaves_nothing(tmp_path: Path) -> None:
    uploads = folder_of(tmp_path, most=100)
    with pytest.raises(InputError, match="larger than 100 bytes; start quorate app with --max-upload"):
        store(uploads, "a.csv", b"x" * 101)
    assert list((uploads.folder / "files").iterdir()) == []
    store(uploads, "a.csv", b"x" * 100)
    for letter in b"yzw":
        store(uploads, "a.csv", bytes([letter]) * 100)
    with pytest.raises(InputError, match="too much room"):
        store(uploads, "a.csv", b"v" * 100)


def test_files_that_come_at_once_share_the_room(tmp_path: Path) -> None:
    uploads = folder_of(tmp_path, most=100)

    async def one(letter: int) -> StoredFile | BaseException:
        (_, kind), body = multipart("a.csv", bytes([letter]) * 100)

        async def pieces() -> AsyncIterator[bytes]:
            for start in range(0, len(body), 7):
                await asyncio.sleep(0)
                yield body[start : start + 7]

        return await uploads.store(kind, pieces())

    async def several() -> list[StoredFile | BaseException]:
        return list(await asyncio.gather(*(one(letter) for letter in b"abcde"), return_exceptions=True))

    refused = [each for each in asyncio.run(several()) if isinstance(each, InputError)]
    assert refused
    assert all("too much room" in str(each) for each in refused)
    assert uploads.coming == {}
    assert sum(each.size for each in uploads.files.values()) <= 400
    assert sorted(path.name for path in (uploads.folder / "files").iterdir()) == sorted(uploads.files)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\evil.csv", "evil.csv"),
        ("/etc/shadow", "shadow"),
        ("..", "file"),
        ("", "file"),
        ("--grid.toml", "grid.toml"),
        ("example:support", "example_support"),
        ("a\0b\n.csv", "a_b_.csv"),
        ("<img src=x>.csv", "_img src_x_.csv"),
        ("pilot (2).csv", "pilot (2).csv"),
        ("a=b.csv", "a_b.csv"),
        ("ünï.csv", "ünï.csv"),
        ("gnp.\u202evsc.csv", "gnp._vsc.csv"),
        ("a\r\nSet-Cookie: x.csv", "a__Set-Cookie_ x.csv"),
        ("..\\..//..\\.csv", "csv"),
        ("x" * 300 + ".csv", "x" * 70 + ".csv"),
    ],
)
def test_a_name_is_only_a_name(given: str, kept: str) -> None:
    assert clean_name(given) == kept


def test_an_address_names_files_by_digest_alone() -> None:
    for identity in ("/etc/passwd", "../x:y", "0" * 31 + ":a.csv", "a.csv", "0" * 32 + ":"):
        with pytest.raises(InputError, match="choose the file again"):
            parse_identity(identity)
    assert parse_identity("0" * 32 + ":../a.csv") == ("0" * 32, "a.csv")
    assert is_example("example:support")
    assert not is_example("example:../../etc/passwd")


def test_files_of_a_question_stand_under_their_names(tmp_path: Path) -> None:
    uploads = folder_of(tmp_path)
    one, other = store(uploads, "a.csv", b"1"), store(uploads, "a.csv", b"2")
    assert (uploads.link("key", [one, one]) / "a.csv").read_bytes() == b"1"
    with pytest.raises(InputError, match=r"Two different files are called a\.csv"):
        uploads.link("other", [one, other])


def test_the_folder_is_private_and_goes() -> None:
    uploads = Uploads(1000)
    assert uploads.folder.stat().st_mode & 0o077 == 0
    store(uploads, "a.csv", b"1")
    uploads.remove()
    assert not uploads.folder.exists()


def test_a_form_without_a_file_is_refused(tmp_path: Path) -> None:
    uploads = folder_of(tmp_path)

    async def body(content: bytes) -> AsyncIterator[bytes]:
        yield content

    for kind, content in (("multipart/form-data", b""), ("multipart/form-data; boundary=x", b"--x--\r\n")):
        with pytest.raises(InputError, match="send it"):
            asyncio.run(uploads.store(kind, body(content)))
    nameless = b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nhello\r\n--x--\r\n'
    with pytest.raises(InputError, match="No file came with the form"):
        asyncio.run(uploads.store("multipart/form-data; boundary=x", body(nameless)))
    with pytest.raises(InputError, match="send the file again"):
        asyncio.run(uploads.store("multipart/form-data; boundary=x", body(b"something else")))


def test_sizes_in_words() -> None:
    assert [size_words(n) for n in (1, 2048, 5 << 20, 3 << 29)] == ["1 byte", "2 kB", "5 MB", "1.5 GB"]
