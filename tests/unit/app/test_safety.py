import asyncio
import hmac
from typing import Any

import pytest
from starlette.responses import PlainTextResponse

from quorate.app.safety import HEADERS, Guard, Guesses
from tests.asgi import Header, Reply, request

PORT, TOKEN = 8123, "the-secret-of-tests"
HOST = ("host", f"127.0.0.1:{PORT}")
JSON = ("content-type", "application/json")
ORIGIN = ("origin", f"http://127.0.0.1:{PORT}")


def guard(**more: Any) -> Guard:
    return Guard(PlainTextResponse("inside"), PORT, TOKEN, session="known", **more)


def cookie(inside: Guard) -> Header:
    return "cookie", f"{inside.cookie}={inside.session}"


def get(inside: Guard, *headers: Header, path: str = "/") -> Reply:
    return request(inside, "GET", path, headers)


def test_our_own_page_passes() -> None:
    inside = guard()
    for host in ("127.0.0.1", "localhost", "[::1]", "LOCALHOST"):
        reply = get(inside, ("host", f"{host}:{PORT}"), cookie(inside))
        assert (reply.status, reply.text) == (200, "inside")


@pytest.mark.parametrize(
    "host",
    ["evil.example", f"evil.example:{PORT}", f"127.evil:{PORT}", f"127.0.0.1.evil.example:{PORT}", "127.0.0.1",
     "127.0.0.1:80", f"localhost.evil:{PORT}", f"127.0.0.1:{PORT}:{PORT}", f"[::1]:{PORT}x", f"evil@127.0.0.1:{PORT}",
     f"::1:{PORT}", f"0.0.0.0:{PORT}", f"2130706433:{PORT}", f"127.1:{PORT}", "", ":", "[::1"],
)  # fmt: skip
def test_another_host_is_refused_as_in_a_rebinding_of_names(host: str) -> None:
    inside = guard()
    assert get(inside, ("host", host), cookie(inside)).status == 400


def test_a_missing_or_double_host_is_refused() -> None:
    inside = guard()
    assert get(inside, cookie(inside)).status == 400
    assert get(inside, HOST, ("host", "evil.example"), cookie(inside)).status == 400


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_other_sites_are_refused_by_fetch_metadata(site: str) -> None:
    inside = guard()
    assert get(inside, HOST, cookie(inside), ("sec-fetch-site", site)).status == 403
    assert get(inside, HOST, cookie(inside), ("sec-fetch-site", "same-origin")).status == 200
    assert get(inside, HOST, cookie(inside), ("sec-fetch-site", "none")).status == 200


def test_foreign_origins_are_refused() -> None:
    inside = guard()
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{PORT}", f"http://localhost:{PORT}"):
        for method in ("GET", "POST"):
            reply = request(inside, method, "/", [HOST, cookie(inside), JSON, ("origin", origin)])
            assert reply.status == 403


def test_a_post_needs_our_origin_and_a_body_no_plain_form_can_send() -> None:
    inside = guard()
    known = [HOST, cookie(inside)]
    assert request(inside, "POST", "/", [*known, ORIGIN, JSON]).status == 200
    assert request(inside, "POST", "/", [*known, JSON]).status == 403
    for kind in ("text/plain", "application/x-www-form-urlencoded", "", "text/json"):
        assert request(inside, "POST", "/", [*known, ORIGIN, ("content-type", kind)]).status == 415
    crossed = [HOST, cookie(inside), ("content-type", "text/plain"), ("sec-fetch-site", "cross-site")]
    assert request(inside, "POST", "/", crossed).status == 403
    assert request(inside, "DELETE", "/", known).status == 405


def test_the_secret_of_the_first_address_becomes_a_cookie() -> None:
    inside = guard()
    first = get(inside, HOST, path=f"/plan?preset=dices&token={TOKEN}")
    assert (first.status, first.header("location")) == (303, "/plan?preset=dices")
    words = first.header("set-cookie").lower()
    assert "httponly" in words
    assert "samesite=strict" in words
    assert TOKEN not in words
    assert get(inside, HOST).status == 403
    assert get(inside, HOST, ("cookie", f"{inside.cookie}=known")).status == 200
    assert get(inside, HOST, ("cookie", f"{inside.cookie}=unknown")).status == 403
    assert get(inside, HOST, ("cookie", "quorate-1=known")).status == 403


def test_the_first_address_leads_nowhere_else() -> None:
    inside = guard()
    for path in ("//evil.example/x", "/\\evil.example", "///evil.example"):
        place = get(inside, HOST, path=f"{path}?token={TOKEN}").header("location")
        assert place.startswith("/")
        assert place[1:2] not in ("/", "\\")


class Sealed(str):
    """A secret that may not be compared as text: that ends at the first letter that differs, and time tells where."""

    def __eq__(self, other: object) -> bool:
        raise AssertionError("a secret was compared as text")

    __ne__ = __eq__
    __hash__ = str.__hash__


def test_secrets_are_compared_whole_in_a_time_that_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[bytes, bytes]] = []
    whole = hmac.compare_digest

    def compare(given: bytes, secret: bytes) -> bool:
        seen.append((given, secret))
        return whole(given, secret)

    monkeypatch.setattr(hmac, "compare_digest", compare)
    inside = Guard(PlainTextResponse("inside"), PORT, Sealed(TOKEN), session=Sealed("known"))
    for given, status in (("", 403), (TOKEN[:-1], 403), (TOKEN + "x", 403), (TOKEN, 303)):
        assert get(inside, HOST, path=f"/?token={given}").status == status
        assert seen.pop() == (given.encode(), TOKEN.encode())
    for given, status in (("k", 403), ("know", 403), ("known", 200)):
        assert get(inside, HOST, ("cookie", f"{inside.cookie}={given}")).status == status
        assert seen.pop() == (given.encode(), b"known")
    assert not seen


def test_guessing_is_heard_ten_times_a_minute() -> None:
    inside = guard()
    tries = [get(inside, HOST, path=f"/?token=guess-{i}").status for i in range(12)]
    assert tries == [403] * 10 + [429] * 2
    assert get(inside, HOST, path=f"/?token={TOKEN}").status == 429  # not even the right one
    assert get(inside, HOST, cookie(inside)).status == 200  # who is known stays known


def test_guesses_are_forgotten_after_a_minute() -> None:
    guesses = Guesses(tries=2, seconds=60.0)
    guesses.wrong.extend([0.0, 30.0])
    assert guesses.closed(59.0)
    assert not guesses.closed(61.0)


def test_nothing_may_be_framed_or_loaded_from_elsewhere() -> None:
    inside = guard()
    for reply in (get(inside, HOST, cookie(inside)), get(inside, HOST), get(inside)):
        policy = reply.header("content-security-policy")
        assert policy.startswith("default-src 'self'; frame-ancestors 'none'")
        assert "unsafe" not in policy
        assert {name for name, _ in reply.headers} >= set(HEADERS)


def test_on_the_network_number_addresses_pass_and_names_do_not() -> None:
    inside = guard(any_address=True, names=("localhost", "our-machine"))
    for host in (f"192.168.1.7:{PORT}", f"[fe80::1]:{PORT}", f"our-machine:{PORT}"):
        assert get(inside, ("host", host), cookie(inside)).status == 200
    assert get(inside, ("host", f"evil.example:{PORT}"), cookie(inside)).status == 400


def test_an_address_has_an_end() -> None:
    inside = guard()
    assert get(inside, HOST, cookie(inside), path="/?x=" + "a" * 20_000).status == 414


def test_what_is_no_request_of_a_page_is_not_heard() -> None:
    async def nothing(*_: object) -> Any:
        raise AssertionError

    asyncio.run(guard()({"type": "websocket"}, nothing, nothing))
