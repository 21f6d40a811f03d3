import pytest

from quorate._errors import InputError
from quorate.app.command import check_address, parse_size


def test_sizes() -> None:
    sizes = {"1": 1, "200M": 200 << 20, "2G": 2 << 30, "5 kB": 5 << 10, "1GiB": 1 << 30}
    assert {text: parse_size("--max-upload", text) for text in sizes} == sizes
    for text in ("", "0", "-1", "1T", "1.5G", "many"):
        with pytest.raises(InputError, match="is not a size"):
            parse_size("--max-upload", text)


def test_the_network_needs_a_secret() -> None:
    check_address("127.0.0.1", 0, None)
    check_address("::1", 0, None)
    check_address("0.0.0.0", 8080, "a long secret of mine")
    for host in ("0.0.0.0", "192.168.1.2", "127.evil", "::"):
        with pytest.raises(InputError, match="without encryption: give --token"):
            check_address(host, 8080, None)
