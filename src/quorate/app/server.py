"""The routes: a screen is a page whose address holds all that was asked; an answer is found by its digest."""

import gzip
import hashlib
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from quorate._errors import InputError
from quorate._version import __version__
from quorate.app.command_words import blamed_field, command, names_of, safe_words
from quorate.app.forms import Form, FormSource, form_of, screen_form
from quorate.app.jobs import Job, Jobs
from quorate.app.pages import render
from quorate.app.screens import READING, SCREENS, Screen
from quorate.app.uploads import StoredFile, TooLargeError, Uploads, is_example, parse_identity, size_words
from quorate.app.work import Task
from quorate.data.inputs import EXAMPLES
from quorate.describing.question import DescribeQuestion

SOON, LONG_POLL = 0.4, 10.0
"""Seconds a page waits for its answer before it shows progress, and an open page for news of it."""
STATIC = {
    "app.css": ("quorate.app", "text/css"),
    "app.js": ("quorate.app", "text/javascript"),
    "icon.svg": ("quorate.app", "image/svg+xml"),
    "report.css": ("quorate.report", "text/css"),
    "draw.js": ("quorate.report", "text/javascript"),
}
DOWNLOADS = {
    ".html": "text/html",
    ".csv": "text/csv",
    ".json": "application/json",
    ".parquet": "application/octet-stream",
}
DATA_FIRST = ("ratings", "item_column", "rater_column", "response_column", "scale", "order", "layout", "duplicates")
DATA_MORE = ("columns", "encoding", "decimal", "missing_values", "skip_rows", "preferences", "score", "filter")
DATA_LABELS = (("ratings", "File"), ("scale", "Kind of scale"), ("order", "Order of the answers"), *READING.items())
COLUMN_ROLES = {"item_column": "item", "rater_column": "rater", "response_column": "response"}
Answer = Callable[[Request], Awaitable[Response]]


class Server:
    """The pages of one run of the app: its routes, its files and its workers."""

    def __init__(self, *, max_upload: int, workers: int) -> None:
        self.uploads = Uploads(max_upload)
        self.jobs = Jobs(workers, self._forget)
        verbs = [Route(f"/{verb}", self._screen(screen)) for verb, screen in SCREENS.items()]
        self.app = Starlette(
            routes=[
                Route("/", self._start),
                Route("/data", self._data),
                *verbs,
                Route("/files", self._upload, methods=["POST"]),
                Route("/jobs/{key:str}", self._job),
                Route("/jobs/{key:str}/cancel", self._cancel, methods=["POST"]),
                Route("/download/{key:str}/{name:str}", self._download),
                Route("/static/{name:str}", self._static),
            ],
            exception_handlers={404: _missing},
        )

    def close(self) -> None:
        """End the workers and remove all files."""
        self.jobs.close()
        self.uploads.remove()

    async def _start(self, request: Request) -> Response:
        return self._page("start.html", screens=SCREENS, here="start")

    def _screen(self, screen: Screen) -> Answer:
        form = screen_form(screen)

        async def show(request: Request) -> Response:
            values = form.read(request.query_params.multi_items())
            job, problem = None, None
            if _ready(screen, form, values, request):
                try:
                    job = self._ask(screen.verb, form, values)
                    await job.wait(SOON, for_part=screen.live)
                except InputError as error:
                    problem = _problem(str(error), form, values)
            if job is not None and job.state == "refused":
                problem = _problem(job.value.sentence, form, values)
            if _wants_json(request):
                return JSONResponse(self._news(job, problem))
            return self._page(
                "screen.html", screen=screen, form=form, values=values, problem=problem, here=screen.verb,
                news=self._news(job, problem), missing=self._missing_files(form, values),
            )  # fmt: skip

        return show

    async def _data(self, request: Request) -> Response:
        """Show a file: each guess a menu, the first rows, and what was dropped."""
        form = form_of(FormSource(DescribeQuestion, DATA_FIRST, labels=DATA_LABELS))
        form = Form(list(form.first), [each for each in form.rest if each.name in DATA_MORE])
        values = form.read(request.query_params.multi_items())
        seen, problem, job = None, None, None
        if "ratings" in values:
            try:
                job = self._ask("describe", form, values, kind="look")
                await job.wait(LONG_POLL)
            except InputError as error:
                problem = _problem(str(error), form, values)
        if job is not None and job.ended:
            if job.state == "done":
                seen = job.value
                problem = None if seen["refusal"] is None else _problem(seen["refusal"], form, values)
            elif job.state == "refused":
                problem = _problem(job.value.sentence, form, values)
        state = {"form": form, "values": values, "seen": seen, "problem": problem, "roles": COLUMN_ROLES}
        state |= {"links": _onward(values), "state": "empty" if job is None else job.state}
        if _wants_json(request):
            html = self._render("look.html", **state)
            return JSONResponse({"state": state["state"], "html": html, "problem": problem})
        return self._page("data.html", **state, here="data")

    def _ask(self, verb: str, form: Form, values: Mapping[str, str], kind: str = "ask") -> Job:
        """Put a question to the workers, or find the answer that is known."""
        sources = [values[name] for name, each in form.fields.items() if each.kind == "file" and name in values]
        stored = [self._stored(one) for each in sources for one in each.split("\n") if not is_example(one)]
        named = {
            name: "\n".join(names_of(value.split("\n"))) if form.fields[name].kind == "file" else value
            for name, value in values.items()
        }
        words = safe_words(verb, form, named)
        key = _digest([__version__, kind, *words, *(each.digest for each in stored)])
        home = _digest([verb, *(f"{name}={values[name]}" for name in sorted(values) if name in HOME)])
        place = self.uploads.link(_digest(sorted({each.identity for each in stored})), stored)
        task = Task(
            kind, tuple(words), str(place), str(self.uploads.folder / "results" / f"{key}.pickle"),
            command(verb, form, named), tuple(values),
        )  # fmt: skip
        return self.jobs.ask(key, task, home if verb == "plan" else "")

    def _stored(self, identity: str) -> StoredFile:
        stored = self.uploads.find(identity)
        if stored is None:
            raise InputError(f"{parse_identity(identity)[1]} is not here yet; drop the file on this page.")
        return stored

    def _missing_files(self, form: Form, values: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return the fields whose file an address names but nobody dropped here, with its name."""
        missing = []
        for name, each in form.fields.items():
            for one in values.get(name, "").split("\n") if each.kind == "file" else ():
                if ":" in one and not is_example(one) and _unknown(self.uploads, one):
                    missing.append((name, one.partition(":")[2]))
        return missing

    def _news(self, job: Job | None, problem: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return what an open page must know of a job."""
        if problem is not None or job is None:
            return {"state": "refused" if problem else "empty", "problem": problem}
        now = time.monotonic()
        news: dict[str, Any] = {"state": job.state, "key": job.key, "problem": None}
        match job.state:
            case "done":
                news |= job.value
            case "waiting" | "working":
                news |= {"seconds": round(now - job.asked, 1), "progress": job.progress, "left": job.left(now)}
                news |= {} if job.part is None else {"html": job.part["html"]}
        return news

    async def _job(self, request: Request) -> Response:
        job = self.jobs.known.get(request.path_params["key"])
        if job is None:
            return JSONResponse({"state": "unknown"}, 404)
        await job.wait(0.5)
        return JSONResponse(self._news(job, _refusal(job) if job.state == "refused" else None))

    async def _cancel(self, request: Request) -> Response:
        self.jobs.cancel(request.path_params["key"], only_waiting="waiting" in request.query_params)
        return JSONResponse({"state": "cancelled"})

    async def _upload(self, request: Request) -> Response:
        length = request.headers.get("content-length", "")
        try:
            if length.isdecimal() and int(length) > self.uploads.most + (1 << 20):
                raise self.uploads.too_large()
            stored = await self.uploads.store(request.headers["content-type"], request.stream())
        except InputError as error:
            return self._refused_upload(request, str(error), 413 if isinstance(error, TooLargeError) else 400)
        except ClientDisconnect:  # the page was closed meanwhile
            return Response(status_code=400)
        if _wants_json(request):
            return JSONResponse({"identity": stored.identity, "name": stored.name, "size": size_words(stored.size)})
        return RedirectResponse(f"/data?{urlencode({'ratings': stored.identity})}", 303)

    def _refused_upload(self, request: Request, sentence: str, status: int) -> Response:
        if _wants_json(request):
            return JSONResponse({"problem": sentence}, status, headers={"connection": "close"})
        page = self._render("start.html", screens=SCREENS, here="start", problem=sentence)
        return HTMLResponse(page, status, headers={"connection": "close"})

    async def _download(self, request: Request) -> Response:
        key, suffix = request.path_params["key"], Path(request.path_params["name"]).suffix
        job = self.jobs.known.get(key)
        if job is None or job.state != "done" or suffix not in DOWNLOADS or job.task.kind != "ask":
            return HTMLResponse(self._render("lost.html", here=""), 404)
        task = Task("write", job.task.words, job.task.folder, job.task.result, job.task.command, suffix=suffix)
        writing = self.jobs.ask(f"{key}{suffix}", task)
        await writing.wait(60.0)
        if writing.state != "done":
            return HTMLResponse(self._render("lost.html", here=""), 503)
        name = f"quorate-{job.task.words[0]}{suffix}"
        return FileResponse(writing.value, filename=name, media_type=DOWNLOADS[suffix])

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name == "plotly.js":
            return _packed(_plotly(), "text/javascript")
        if name not in STATIC:
            return await _missing(request, None)
        package, kind = STATIC[name]
        return _packed(_read(package, name), kind)

    def _page(self, name: str, **values: Any) -> Response:
        return HTMLResponse(self._render(name, **values))

    def _render(self, name: str, **values: Any) -> str:
        return _rendered(name, **{"uploads": list(self.uploads.files.values()), **values})

    def _forget(self, key: str) -> None:
        kept = self.uploads.folder / "results" / key.partition(".")[0]
        for suffix in (".pickle", *DOWNLOADS):
            kept.with_suffix(suffix).unlink(missing_ok=True)


HOME = ("preset", "from_ratings", "with_answers", "alpha", "resample", "metric")


def _ready(screen: Screen, form: Form, values: Mapping[str, str], request: Request) -> bool:
    """Whether enough was said to ask: a live screen asks as soon as it can, others when told to."""
    if not values:
        return False
    needed = [each.name for each in form.fields.values() if each.required]
    return "go" in request.query_params or (screen.live and all(name in values for name in needed))


def _unknown(uploads: Uploads, identity: str) -> bool:
    try:
        return uploads.find(identity) is None
    except InputError:
        return False


def _problem(sentence: str, form: Form, values: Mapping[str, str]) -> dict[str, Any]:
    """Return what was refused, with the field it stands beside."""
    return {"sentence": sentence, "field": blamed_field(sentence, form, values)}


def _refusal(job: Job) -> dict[str, Any]:
    """Return what was refused of a job, of which the words of the command say what was filled in."""
    verb, *words = job.task.words
    form = screen_form(SCREENS[verb])
    names = {each.flag: name for name, each in form.fields.items()}
    given = {names[flag]: value for flag, _, value in (word.partition("=") for word in words)}
    return _problem(job.value.sentence, form, given)


def _onward(values: Mapping[str, str]) -> dict[str, str]:
    """Return the query with which other screens read the same file in the same way."""
    reading = {name: value for name, value in values.items() if name != "ratings"}
    file = values.get("ratings", "")
    return {
        "describe": urlencode({"ratings": file, **reading}),
        "compare": urlencode({"ratings": file, **reading}),
        "plan": urlencode({"from_ratings": file, **reading, "difference": "0.05"}),
        "estimate": urlencode({"votes": file}),
    }


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def _digest(parts: list[str]) -> str:
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=12).hexdigest()


def _packed(content: bytes, kind: str) -> Response:
    headers = {"content-encoding": "gzip", "cache-control": "private, max-age=3600", "vary": "accept-encoding"}
    return Response(content, media_type=kind, headers=headers)


@cache
def _read(package: str, name: str) -> bytes:
    return gzip.compress(files(package).joinpath("static", name).read_bytes(), mtime=0)


@cache
def _plotly() -> bytes:
    return gzip.compress(files("plotly").joinpath("package_data", "plotly.min.js").read_bytes(), 6, mtime=0)


@cache
def _map_style() -> str:
    """Return the name under which plotly.js looks for the style of maps, before it puts one into the page."""
    found = re.search(rb'getElementById\("([0-9a-f]{64})"\)', gzip.decompress(_plotly()))
    return "no-map-style" if found is None else found[1].decode()


def _rendered(name: str, **values: Any) -> str:
    usual = {"problem": None, "uploads": (), "examples": EXAMPLES, "all_screens": SCREENS, "version": __version__}
    return render(name, **{**usual, "map_style": _map_style(), **values})


async def _missing(request: Request, error: object) -> Response:
    return HTMLResponse(_rendered("lost.html", here=""), 404)
