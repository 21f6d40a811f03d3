"""Text is brought to UTF-8 from what people have, and refused where it is in two encodings."""

import pytest

from quorate import InputError
from quorate.data.reading import parse_encoding
from quorate.data.text_encoding import to_utf8, wide_encoding

TEXT = "item,rater\nq1,Zoë\nq2,Jürgen\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_text_is_recognised_and_said_where_it_is_not_utf_8(encoding: str) -> None:
    data, notes = to_utf8("r.csv", TEXT.encode(encoding))
    assert data.decode() == TEXT
    assert bool(notes) == (not encoding.startswith("utf-8"))


def test_a_named_encoding_is_taken_at_its_word() -> None:
    assert to_utf8("r.csv", "Łódź".encode("iso8859-2"), "iso8859-2")[0].decode() == "Łódź"
    with pytest.raises(InputError, match=r"r\.csv, row 2 is not ASCII text.*--encoding"):
        to_utf8("r.csv", TEXT.encode(), "ascii")


@pytest.mark.parametrize("data", [TEXT.encode() + "ü".encode("cp1252"), b"\x07\xff\n"])
def test_what_is_no_text_of_windows_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="not UTF-8 text"):
        to_utf8("r.csv", data)


def test_a_binary_file_is_no_wide_text() -> None:
    assert wide_encoding(bytes(range(256)) * 8) is None
    assert wide_encoding(bytes(1000)) is None


@pytest.mark.parametrize("encoding", ["base64", "rot13", "zlib", "undefined", "x", ""])
def test_what_encodes_no_text_is_no_encoding(encoding: str) -> None:
    with pytest.raises(InputError, match="is not known; usual ones are utf-8"):
        parse_encoding("--encoding", encoding)
    assert parse_encoding("--encoding", "utf-16") == "utf-16"


def test_an_encoding_that_does_not_say_where_it_fails_is_refused() -> None:
    with pytest.raises(InputError, match=r"r\.csv is damaged punycode text"):
        to_utf8("r.csv", b'a-"', "punycode")
