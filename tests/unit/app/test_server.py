"""The pages with real workers: what a screen says is what its command prints, and what goes wrong is said."""

import gzip
import html
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from quorate.app.safety import Guard
from quorate.app.screens import SCREENS
from quorate.app.server import Server
from quorate.cli import main
from tests.asgi import Reply, multipart, request
from tests.page import EVIL, Seen

PORT = 8123
HOST, ORIGIN = ("host", f"127.0.0.1:{PORT}"), ("origin", f"http://127.0.0.1:{PORT}")
ACCEPT = ("accept", "application/json")


class Visitor:
    """Somebody with the cookie, who asks and waits."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.guard = Guard(server.app, PORT, "the-secret-of-tests")
        self.known = [HOST, ("cookie", f"{self.guard.cookie}={self.guard.session}")]

    def get(self, address: str, **query: str) -> Reply:
        return request(self.guard, "GET", f"{address}?{urlencode(query)}" if query else address, self.known)

    def ask(self, address: str, **query: str) -> Any:
        """Ask as an open page does, and wait for the answer."""
        news = request(self.guard, "GET", f"{address}?{urlencode(query)}", [*self.known, ACCEPT]).json
        return self.wait(news)

    def wait(self, news: Any) -> Any:
        end = time.monotonic() + 60
        while news["state"] in ("waiting", "working") and time.monotonic() < end:
            news = request(self.guard, "GET", f"/jobs/{news['key']}", [*self.known, ACCEPT]).json
        return news

    def post(self, address: str, body: bytes = b"{}", kind: str = "application/json") -> Reply:
        return request(self.guard, "POST", address, [*self.known, ORIGIN, ACCEPT, ("content-type", kind)], body)

    def upload(self, name: str, content: bytes) -> Reply:
        (_, kind), body = multipart(name, content)
        return self.post("/files", body, kind)

    def file(self, name: str, content: bytes) -> str:
        identity: str = self.upload(name, content).json["identity"]
        return identity


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    server = Server(max_upload=1 << 20, workers=1)
    yield Visitor(server)
    server.close()
    assert not server.uploads.folder.exists()


RATINGS = b"Who,Comment,Verdict\n" + b"".join(
    f"{who},c{i},{['no', 'yes'][(i % 3 > 0) ^ ((i * 5 + j * 3) % 7 == 0)]}\n".encode()
    for i in range(40)
    for j, who in enumerate("abc")
)
QUESTIONS = [
    ("describe", {"ratings": "example:support"}),
    ("plan", {"preset": "dices", "difference": "0.06", "item_price": "2"}),
    ("compare", {"ratings": "example:support", "answers": "example:support-answers", "margin": "0.05"}),
    ("compare", {"ratings": "example:replies", "rated_system": "system"}),
    ("compare", {"ratings": "example:preferences"}),
    ("estimate", {
        "votes": "example:moderation", "experts": "example:moderation-experts", "scores": "example:moderation-scores",
    }),
    ("audit", {"preset": "dices", "items": "30", "raters": "3", "null": "sharp", "replicates": "100"}),
]  # fmt: skip


def printed(words: list[str]) -> str:
    """What a command prints."""
    out = io.StringIO()
    with redirect_stdout(out), pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 0
    return out.getvalue()


def letters(text: str) -> str:
    """A text without the marks between its words: a page sets the headline apart where a terminal has a colon."""
    return re.sub(r"\W", "", text).lower()


def text_of(page: str) -> str:
    return " ".join(Seen(page).text.split())


def test_every_screen_is_asked_something() -> None:
    assert {verb for verb, _ in QUESTIONS} == set(SCREENS)


@pytest.mark.parametrize(("verb", "query"), QUESTIONS)
def test_a_page_says_what_its_command_and_its_python_print(
    verb: str, query: dict[str, str], visitor: Visitor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    news = visitor.ask(f"/{verb}", **query, go="1")
    assert news["state"] == "done"
    words = shlex.split(news["command"])
    assert words[:2] == ["quorate", verb]
    answer = json.loads(printed([*words[1:], "--json"]))
    assert answer == visitor.get(f"/download/{news['key']}/answer.json").json
    shown = text_of(news["html"])
    assert letters(answer["sentence"]) in letters(shown)
    assert all(warning in shown for warning in answer["warnings"])
    code = f"{news['python']}import json\nprint(json.dumps(result.to_dict()))\n"
    if verb == "describe":  # one process is enough; the others are compared by what they ask
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)
        assert json.loads(done.stdout.splitlines()[-1]) == answer
    else:
        out = io.StringIO()
        with redirect_stdout(out):
            exec(compile(code, "copied", "exec"), {})
        assert json.loads(out.getvalue().splitlines()[-1]) == answer


def test_a_file_is_read_by_the_columns_a_person_names(visitor: Visitor, tmp_path: Path) -> None:
    file = visitor.file("odd columns.csv", RATINGS)
    page = visitor.get("/data", ratings=file)
    assert "no item and no response column" in page.text
    assert "Verdict" in page.text  # the columns are there to choose from
    reading = {"item_column": "Comment", "rater_column": "Who", "response_column": "Verdict"}
    page = visitor.get("/data", ratings=file, **reading)
    assert "120 responses on 40 items by 3 raters" in page.text
    news = visitor.ask("/plan", from_ratings=file, difference="0.1", **reading)
    assert news["state"] == "done"
    (tmp_path / "odd columns.csv").write_bytes(RATINGS)
    before = Path.cwd()
    try:
        os.chdir(tmp_path)
        assert news["sentence"] in " ".join(printed(shlex.split(news["command"])[1:]).splitlines())
    finally:
        os.chdir(before)


def test_the_data_screen_says_how_the_command_reads_a_file(
    visitor: Visitor, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    content = RATINGS.replace(b"c7,yes", b"c7,").replace(b"c8,yes", b"c8,yes\na,c8,no")
    (tmp_path / "odd.csv").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    words = ["--item-column", "Comment", "--rater-column", "Who", "--response-column", "Verdict"]
    with pytest.raises(SystemExit):
        main(["describe", "odd.csv", *words])
    told = " ".join(capsys.readouterr().err.split())
    reading = {"item_column": "Comment", "rater_column": "Who", "response_column": "Verdict"}
    page = visitor.get("/data", ratings=visitor.file("odd.csv", content), **reading).text
    [report] = re.findall(r'<pre class="report">(.*?)</pre>', page, re.DOTALL)
    assert " ".join(html.unescape(report).split()) in told
    assert "2 rows without a response dropped" in report


def test_an_address_holds_the_state_and_asks_for_the_file_it_needs(visitor: Visitor) -> None:
    file = visitor.file("mine.csv", RATINGS)
    reading = {"item_column": "Comment", "rater_column": "Who", "response_column": "Verdict"}
    unknown = visitor.get("/describe", ratings="0" * 32 + ":theirs.csv", **reading).text
    assert "Drop the same file here" in unknown
    assert "theirs.csv is not here yet" in unknown
    known = visitor.ask("/describe", ratings=file, **reading)
    again = visitor.get("/describe", ratings=file, **reading).text
    assert letters(known["sentence"]) in letters(text_of(again))
    assert 'value="Comment"' in again


def test_of_several_files_the_absent_ones_are_asked_for(visitor: Visitor) -> None:
    visitor.file("first.csv", RATINGS)
    here, absent = visitor.file("again.csv", RATINGS), f"{'0' * 32}:theirs.csv"
    asked = [("ratings", here), ("answers", "example:support-answers"), ("more", here), ("more", absent)]
    page = visitor.get(f"/compare?{urlencode(asked)}").text
    assert f'<option value="{absent}" data-absent="yes" selected>theirs.csv (drop it here)</option>' in page
    assert page.count(f'<option value="{here}" selected>again.csv</option>') == 2  # under whatever name it came first
    assert page.count("data-absent") == 1


def test_the_same_question_is_answered_once(visitor: Visitor) -> None:
    first = visitor.ask("/describe", ratings="example:summaries")
    job = visitor.server.jobs.known[first["key"]]
    assert visitor.ask("/describe", ratings="example:summaries", top="5")["key"] == first["key"]
    assert visitor.server.jobs.known[first["key"]] is job
    assert visitor.ask("/describe", ratings="example:summaries", top="4")["key"] != first["key"]


@pytest.mark.parametrize(
    ("verb", "query", "field", "sentence"),
    [
        ("plan", {"preset": "dices", "difference": "much"}, "difference", "--difference must be a number, not 'much'."),
        ("plan", {"preset": "dices", "difference": "0,05"}, "difference", "must be a number, not '0,05'; write 0.05."),
        ("plan", {"preset": "dices", "difference": "0.5"}, "difference", "out of reach in this population: at most"),
        ("compare", {"ratings": "example:support", "answers": "example:support-answers", "metric": "foo", "go": "1"},
         "metric", "unknown metric 'foo'"),
        ("describe", {"ratings": "example:support", "response_column": "nothing"}, "response_column",
         "has no column 'nothing'"),
        ("audit", {"preset": "dices", "raters": "3", "go": "1"}, "items", "--items"),
    ],
)  # fmt: skip
def test_a_refusal_is_the_command_lines_own_and_stands_beside_its_field(
    verb: str, query: dict[str, str], field: str | None, sentence: str, visitor: Visitor
) -> None:
    news = visitor.ask(f"/{verb}", **query)
    assert news["state"] == "refused"
    problem = news["problem"]
    assert sentence in problem["sentence"]
    assert problem["field"] == field
    page = html.unescape(visitor.get(f"/{verb}", **query).text)
    assert f'data-problem="{field or ""}" role="alert">{problem["sentence"]}' in page


def test_a_table_and_a_report_can_be_taken_along(visitor: Visitor) -> None:
    key = visitor.ask("/describe", ratings="example:support")["key"]
    report = visitor.get(f"/download/{key}/report.html")
    assert report.header("content-disposition") == 'attachment; filename="quorate-describe.html"'
    assert "quorate describe example:support" in re.sub(r"</?span[^>]*>", "", report.text)
    assert visitor.get(f"/download/{key}/table.csv").text.startswith("item,responses,")
    for address in (f"/download/{key}/x.pickle", f"/download/{key}/..", "/download/nothing/report.html"):
        assert visitor.get(address).status == 404


def test_no_path_of_the_disk_can_be_asked_for(visitor: Visitor, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_bytes(RATINGS.replace(b"Comment", b"Confidential"))
    for path in (str(secret), f"file://{secret}", f"example:{secret}", f"{'0' * 32}:{secret}", "-", "/dev/stdin"):
        for verb, name in (("describe", "ratings"), ("plan", "from_ratings"), ("estimate", "votes")):
            said = visitor.get(f"/{verb}", **{name: path, "difference": "0.05", "go": "1"}).text
            assert "Confidential" not in said
            assert "Choose the file again" in said or "choose the file again" in said or "not here yet" in said
    for name in ("population", "preset", "alpha", "resample", "metric", "items", "unit", "positive"):
        news = visitor.ask("/plan", **{"preset": "dices", "difference": "0.05", name: str(secret)})
        assert "Confidential" not in json.dumps(news)
    for address in ("/static/../server.py", "/static/..%2fserver.py", "/static/server.py", "/files", "/../etc/passwd"):
        assert visitor.get(address).status in (404, 405)


def test_names_from_files_are_text_everywhere(visitor: Visitor) -> None:
    cells = [
        (f"{EVIL['item']}{i}", f"{EVIL['rater']}{j}", f"{EVIL['category']}{i % 2}") for i in range(9) for j in "xyz"
    ]
    rows = [",".join(f'"{cell}"' for cell in row) for row in cells]
    content = ("item,rater,response\n" + "\n".join(rows)).encode()
    file = visitor.file(f"{EVIL['system']}.csv", content)
    news = visitor.ask("/describe", ratings=file)
    assert news["state"] == "done"
    pages = [visitor.get(address, ratings=file).text for address in ("/data", "/describe", "/")]
    for page in (*pages, news["html"]):
        seen = Seen(page)
        assert not {"img", "svg", "b"} & set(seen.tags)
        assert not [name for name in seen.attributes if name.startswith("on")]
        assert all(kind in (None, "application/json") for kind in seen.scripts)


def test_bombs_are_refused_in_words(visitor: Visitor) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ratings.csv", b"0" * (64 << 20))
    sheet = io.BytesIO()
    with zipfile.ZipFile(sheet, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/worksheets/sheet1.xml", b" " * (300 << 20))
    bombs = {
        "bomb.zip": packed.getvalue(),
        "bomb.xlsx": sheet.getvalue(),
        "bomb.csv.gz": gzip.compress(b"\0" * (256 << 20), 9),
    }
    for name, content in bombs.items():
        assert len(content) < 1 << 20
        news = visitor.ask("/describe", ratings=visitor.file(name, content))
        assert news["state"] == "refused"
        assert news["problem"]["sentence"].startswith(name)
        assert news["problem"]["field"] == "ratings"


def test_a_link_in_an_archive_leads_nowhere(visitor: Visitor, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"Confidential": 1}')
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("header.json", "ratings.csv", "../../ratings.csv", "samples/1_epoch_1.json"):
            link = zipfile.ZipInfo(name)
            link.external_attr = 0o120777 << 16  # a symbolic link
            archive.writestr(link, str(secret))
    for name in ("links.zip", "links.eval", "links.xlsx"):
        news = visitor.ask("/describe", ratings=visitor.file(name, packed.getvalue()))
        assert news["state"] == "refused"
        assert "Confidential" not in json.dumps(news)


def test_an_upload_that_is_broken_off_leaves_nothing(visitor: Visitor) -> None:
    (_, kind), body = multipart("half.csv", b"x" * 1000)
    headers = [*visitor.known, ORIGIN, ACCEPT, ("content-type", kind)]
    assert request(visitor.guard, "POST", "/files", headers, body[:500], hangs_up=True).status == 400
    assert not [path for path in (visitor.server.uploads.folder / "files").iterdir() if path.name.startswith("part")]


def test_an_upload_has_a_limit(visitor: Visitor) -> None:
    large = visitor.upload("large.csv", b"x" * ((1 << 20) + 1))
    assert (large.status, "larger than 1 MB" in large.json["problem"]) == (413, True)
    (_, kind), _ = multipart("x.csv", b"")
    told = request(
        visitor.guard, "POST", "/files",
        [*visitor.known, ORIGIN, ACCEPT, ("content-type", kind), ("content-length", str(1 << 40))], b"",
    )  # fmt: skip
    assert told.status == 413
    assert visitor.upload("../../x.csv", b"a,b\n").json["name"] == "x.csv"


def test_a_killed_worker_is_told_and_the_next_question_works(visitor: Visitor) -> None:
    long = {"preset": "dices", "items": "500", "raters": "50", "replicates": "100000", "null": "sharp", "go": "1"}
    news = request(visitor.guard, "GET", f"/audit?{urlencode(long)}", [*visitor.known, ACCEPT]).json
    job = visitor.server.jobs.known[news["key"]]
    end = time.monotonic() + 30
    while job.state == "waiting" and time.monotonic() < end:
        time.sleep(0.02)
    [slot] = visitor.server.jobs.slots
    os.kill(slot.process.pid, signal.SIGKILL)
    assert visitor.wait(news)["state"] == "killed"
    assert visitor.ask("/describe", ratings="example:support", top="3")["state"] == "done"
    idle = slot.process
    os.kill(idle.pid, signal.SIGKILL)
    idle.join(timeout=600)
    assert visitor.ask("/describe", ratings="example:support", top="6")["state"] == "done"


def test_long_work_tells_how_far_it_is_and_can_be_cancelled(visitor: Visitor) -> None:
    long = {"preset": "dices", "items": "200", "raters": "5", "replicates": "200000", "null": "sharp", "go": "1"}
    address = f"/audit?{urlencode(long)}"
    news = request(visitor.guard, "GET", address, [*visitor.known, ACCEPT]).json
    end = time.monotonic() + 30
    while not news.get("progress") and time.monotonic() < end:
        news = request(visitor.guard, "GET", f"/jobs/{news['key']}", [*visitor.known, ACCEPT]).json
    assert news["state"] == "working"
    assert 0 < news["progress"][0] < news["progress"][1]
    assert news["left"] > 0
    reloaded = request(visitor.guard, "GET", address, [*visitor.known, ACCEPT]).json
    assert reloaded["key"] == news["key"]  # a reload finds the same work
    assert "Working" in visitor.get(address).text
    visitor.post(f"/jobs/{news['key']}/cancel")
    assert visitor.wait(news)["state"] == "cancelled"
    assert visitor.ask("/describe", ratings="example:support", top="2")["state"] == "done"
    assert visitor.get("/jobs/nothing").status == 404
