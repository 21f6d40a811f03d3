"""Start the pages and stop them: the socket, the address, the browser, and what is left when it ends."""

import secrets
import signal
import socket
import sys
import webbrowser
from contextlib import suppress
from threading import Timer

import uvicorn

from quorate._errors import InputError
from quorate.app.command import LOOPBACK
from quorate.app.safety import LOCAL_NAMES, Guard
from quorate.app.server import Server


def run(*, host: str, port: int, token: str | None, max_upload: int, browser: bool, workers: int) -> int:
    """Serve the pages until Ctrl-C; return the exit code."""
    listener = listen(host, port)
    number: int = listener.getsockname()[1]
    secret = secrets.token_urlsafe(24) if token is None else token
    signal.signal(signal.SIGTERM, _stop)
    server = Server(max_upload=max_upload, workers=workers)
    try:
        guard = guard_of(server, host, number, secret)
        address = f"http://{shown_host(host)}:{number}/?token={secret}"
        print(f"quorate app: {address}\nCtrl-C stops it. Files you drop on the page stay on this machine.", flush=True)
        if host not in LOOPBACK:
            print(OPEN, file=sys.stderr, flush=True)
        if browser:
            Timer(0.6, webbrowser.open, (address,)).start()
        config = uvicorn.Config(
            guard, log_level="warning", access_log=False, server_header=False, lifespan="off", timeout_keep_alive=30,
            timeout_graceful_shutdown=2, ws="none", proxy_headers=False,
        )  # fmt: skip
        engine = uvicorn.Server(config)
        if sys.platform != "win32":  # the terminal was closed
            signal.signal(signal.SIGHUP, lambda *_: setattr(engine, "should_exit", True))
        engine.run(sockets=[listener])
    except KeyboardInterrupt:
        pass
    finally:
        server.close()
        listener.close()
    with suppress(OSError):  # nobody may be left to read it
        print("quorate app: stopped; the files are removed.", flush=True)
    return 0


OPEN = (
    "Others on the network can reach this: whoever knows the token sees every page and file. What is sent is not "
    "encrypted; on a network you do not trust leave --host out and come through ssh -L PORT:127.0.0.1:PORT."
)


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or say why none can be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise InputError(f"--host {host} --port {port} cannot be had ({error.strerror}); try another.") from None
    return listener


def guard_of(server: Server, host: str, port: int, token: str) -> Guard:
    """Return the guard in front of the pages; on the network, number addresses and this machine's name pass too."""
    if host in LOOPBACK:
        return Guard(server.app, port, token)
    names = (*LOCAL_NAMES, shown_host(host).lower(), socket.gethostname().lower(), socket.getfqdn().lower())
    return Guard(server.app, port, token, names, any_address=True)


def shown_host(host: str) -> str:
    """Return a host as an address names it."""
    return f"[{host}]" if ":" in host else host
