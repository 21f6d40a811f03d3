"""What may reach the pages at all: one middleware in front of every route, and the headers of every answer.

A page of another site can make this machine's browser ask us (rebinding of names, forms, frames); none of it has our
cookie, our Origin or our Host. So a request must name us by a name that cannot be rebound, come from our own page or
from the person at the address bar, and bring the cookie that the secret of the first address became.
"""

import hmac
import ipaddress
import secrets
import time
from collections import deque
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")
TRUSTED_SITES = ("same-origin", "none")
"""What a browser says of a request of our own page, and of an address a person typed or kept as a bookmark."""
BODIES = ("application/json", "multipart/form-data")
TRIES, WHILE = 10, 60.0
"""Wrong secrets that are heard within so many seconds; then none is, not even the right one."""
LONGEST_QUERY = 16_000
HEADERS = {
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; "
    "object-src 'none'; img-src 'self' data:",  # plotly.js draws maps as pictures it makes itself
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
CLOSED = (
    "This page is private. Open it by the address that `quorate app` printed; if you followed a link, copy its address "
    "into the address bar."
)


@dataclass
class Guesses:
    """Counts wrong secrets, and stops listening when there were too many of late."""

    tries: int = TRIES
    seconds: float = WHILE
    wrong: "deque[float]" = field(default_factory=deque)

    def closed(self, now: float) -> bool:
        """Tell whether too many were wrong of late."""
        while self.wrong and self.wrong[0] <= now - self.seconds:
            self.wrong.popleft()
        return len(self.wrong) >= self.tries


@dataclass
class Guard:
    """Lets through what comes from our own pages, with the cookie, and nothing else.

    Parameters
    ----------
    app
        What is guarded.
    port
        Where it listens.
    token
        The secret in the first address.
    names
        Names of this machine that may stand in Host, without the port.
    any_address
        Whether Host may be any number address: those cannot be rebound.
    """

    app: ASGIApp
    port: int
    token: str
    names: tuple[str, ...] = LOCAL_NAMES
    any_address: bool = False
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    guesses: Guesses = field(default_factory=Guesses)

    @property
    def cookie(self) -> str:
        """Name of the cookie; ports of one machine share their cookies."""
        return f"quorate-{self.port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or refuse a request; what is no request of a page is not heard."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        request = Request(scope)
        refused = self._refusal(request)
        await (self.app if refused is None else refused)(scope, receive, _with_headers(send))

    def _refusal(self, request: Request) -> Response | None:
        """Return what to say instead of an answer; None for a request that may pass."""
        if not self._names_us(request.headers.getlist("host")):
            return _text("Host must name this machine and port.", 400)
        if len(request.url.query) > LONGEST_QUERY:
            return _text("The address is too long.", 414)
        if not self._from_us(request):
            return _text(CLOSED, 403)
        if request.method not in ("GET", "HEAD", "POST"):
            return _text("There is nothing to do here by this method.", 405)
        if request.method == "POST" and _body_kind(request) not in BODIES:
            return _text("Only JSON and multipart forms of our own pages are read.", 415)
        given = request.query_params.get("token")
        if given is not None and request.method == "GET":
            return self._first(request, given)
        return None if self._known(request) else _text(CLOSED, 403)

    def _names_us(self, hosts: list[str]) -> bool:
        if len(hosts) != 1:
            return False
        name, mark, port = hosts[0].lower().rpartition(":")
        if not mark or name.endswith(":") or (name.startswith("[") and not name.endswith("]")):
            name, port = hosts[0].lower(), "80"
        if port != str(self.port):
            return False
        return name in self.names or (self.any_address and _is_address(name))

    def _from_us(self, request: Request) -> bool:
        """Whether the browser says, by Fetch-Metadata and Origin, that the request is of our own page."""
        site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
        if site is not None and site not in TRUSTED_SITES:
            return False
        if origin is None:
            return request.method != "POST"
        return origin == f"http://{request.headers['host']}"

    def _first(self, request: Request, given: str) -> Response:
        """Turn the secret of the first address into a cookie, and the address into one that can be shown."""
        now = time.monotonic()
        if self.guesses.closed(now):
            return _text("Too many wrong secrets; wait a minute.", 429)
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            self.guesses.wrong.append(now)
            return _text(CLOSED, 403)
        rest = urlencode([pair for pair in parse_qsl(request.url.query) if pair[0] != "token"])
        path = "/" + request.url.path.lstrip("/\\")  # two slashes would name another machine
        answer = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
        answer.set_cookie(self.cookie, self.session, httponly=True, samesite="strict", path="/")
        return answer

    def _known(self, request: Request) -> bool:
        try:
            cookie = SimpleCookie(request.headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return cookie is not None and hmac.compare_digest(cookie.value.encode(), self.session.encode())


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _body_kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _text(sentence: str, status: int) -> Response:
    return Response(sentence + "\n", status, media_type="text/plain; charset=utf-8")


def _with_headers(send: Send) -> Send:
    """Put the headers on every answer; an answer's own stand where it has one."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in own]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sent
