"""A browser without a screen: requests put to an ASGI application by hand, header by header."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message

__all__ = ["Reply", "multipart", "request"]

Header = tuple[str, str]


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: tuple[Header, ...]
    body: bytes

    def header(self, name: str) -> str:
        return ", ".join(value for key, value in self.headers if key == name)

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def request(
    app: ASGIApp, method: str, address: str, headers: Sequence[Header] = (), body: bytes | Iterable[bytes] = b"",
    *, hangs_up: bool = False,
) -> Reply:  # fmt: skip
    """Put one request to an application; a body may come in pieces, and be broken off."""
    path, _, query = address.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers],
        "client": ("127.0.0.1", 50000), "server": ("127.0.0.1", 8000),
    }  # fmt: skip
    pieces = iter([body] if isinstance(body, bytes) else body)
    sent: list[Message] = []

    ended = False

    async def receive() -> Message:
        nonlocal ended
        if ended:  # nobody hangs up before the answer is there
            await asyncio.sleep(60)
            return {"type": "http.disconnect"}
        piece = next(pieces, None)
        if piece is None and hangs_up:
            return {"type": "http.disconnect"}
        ended = piece is None
        return {"type": "http.request", "body": piece or b"", "more_body": not ended}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(_run(app, scope, receive, send))
    start = next(message for message in sent if message["type"] == "http.response.start")
    whole = b"".join(message.get("body", b"") for message in sent if message["type"] == "http.response.body")
    return Reply(start["status"], tuple((k.decode(), v.decode()) for k, v in start["headers"]), whole)


async def _run(app: ASGIApp, scope: Any, receive: Any, send: Any) -> None:
    await app(scope, receive, send)


def multipart(name: str, content: bytes) -> tuple[Header, bytes]:
    """Return the header and the body of a form that sends one file."""
    boundary = "a-boundary-of-tests"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
    return (
        ("content-type", f"multipart/form-data; boundary={boundary}"),
        head + content + f"\r\n--{boundary}--\r\n".encode(),
    )
