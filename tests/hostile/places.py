"""Hostile places: databases, workbooks, folders, links and pipes where a table is looked for or written."""

import io
import os
import socket
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from tests.hostile.tables import Random, Rows, as_parquet, mangled

TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default '
    'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
    'ContentType="application/xml"/></Types>'
)
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELS = '<Relationships xmlns="{}"><Relationship Id="rId1" Type="{}/{}" Target="{}"/></Relationships>'
BOOK = f'<workbook xmlns="{SHEETS}" xmlns:r="{OFFICE}"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>'
CELL_KINDS = ("inlineStr", "inlineStr", "inlineStr", "n", "b", "e", "d", "str", "s", "x")


def as_workbook(rows: Rows, rng: Random) -> bytes:
    """Write a table as an Excel workbook, a cell or a part of it as no program does."""
    odd = rng.random() < 0.3
    lines = [
        f'<row r="{row}">{"".join(_cell(cell, rng, odd=odd and rng.random() < 0.1) for cell in line)}</row>'
        for row, line in enumerate(rows, start=1)
    ]
    parts = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": RELS.format(PACKAGE, OFFICE, "officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": BOOK,
        "xl/_rels/workbook.xml.rels": RELS.format(PACKAGE, OFFICE, "worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEETS}"><sheetData>{"".join(lines)}</sheetData></worksheet>',
    }
    if rng.random() < 0.3:
        _spoil(parts, rng)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content.encode(errors="replace"), zipfile.ZIP_DEFLATED)
    return mangled(out.getvalue(), rng)


def _cell(cell: str, rng: Random, *, odd: bool) -> str:
    kind = rng.choice(CELL_KINDS) if odd else "inlineStr"
    text = escape("".join(letter for letter in cell if letter >= " "))
    return f'<c t="{kind}"><is><t>{text}</t></is></c>' if kind == "inlineStr" else f'<c t="{kind}"><v>{text}</v></c>'


def _spoil(parts: dict[str, str], rng: Random) -> None:
    name = rng.choice(list(parts))
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    kinds: list[Callable[[], str]] = [
        lambda: "",
        lambda: parts[name][: len(parts[name]) // 2],
        lambda: bomb + parts[name],
        lambda: parts[name].replace("<row", "<row r='99999999999'", 1),
        lambda: parts[name].replace("<c ", "<c r='XFE1048577' ", 1),
        lambda: parts[name].replace("<c ", "<c r='ZZZZZZ1' ", 1),
        lambda: parts[name].replace(
            "</sheetData>", "<row r='1048576'><c r='xfd1048576'><v>1</v></c></row></sheetData>"
        ),
        lambda: parts[name].replace("<sheetData>", "<dimension ref='A1:XFD1048576'/><sheetData>"),
        lambda: parts[name].replace('Target="', 'TargetMode="External" Target="http://127.0.0.1:9/'),
        lambda: parts[name].replace("<sheet ", "<sheet state='veryHidden' "),
        lambda: parts[name].replace("<v>", "<f>1/0</f><v>#DIV/0!"),
        lambda: parts[name].replace("sheet1", "../../../etc/passwd"),
        lambda: parts[name].replace("<sheets>", "<sheets/><x>").replace("</sheets>", "</x>"),
        lambda: parts[name] * 2,
        lambda: "<a>" * 5000,
    ]
    parts[name] = rng.choice(kinds)()


def as_sqlite(rows: Rows, rng: Random) -> bytes:
    """Write a table as a SQLite database: columns of mixed kinds, views without an end, bytes that are no text."""
    names = list(dict.fromkeys(name.replace('"', "").replace("\0", "").strip() or "x" for name in rows[0] or ["x"]))
    names = list({name.encode("utf-8", "replace").decode().lower(): name for name in names}.values())
    quoted = [f'"{name}"'.encode("utf-8", "replace").decode() for name in names]
    with tempfile.TemporaryDirectory() as folder:
        base = sqlite3.connect(Path(folder) / "x.db")
        base.execute(f"CREATE TABLE ratings ({', '.join(quoted)})")
        marks = ", ".join("?" * len(quoted))
        for row in rows[1:]:
            cells = [_value(cell, rng) for cell in (row + [None] * len(quoted))[: len(quoted)]]
            base.execute(f"INSERT INTO ratings VALUES ({marks})", cells)
        base.execute(
            "CREATE VIEW endless AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
        )
        base.execute("CREATE VIEW broken AS SELECT * FROM absent")
        base.execute("CREATE VIEW twice AS SELECT *, * FROM ratings")
        base.execute("CREATE TRIGGER gone AFTER INSERT ON ratings BEGIN DELETE FROM ratings; END")
        base.execute('CREATE TABLE "a b;--" (item, rater, response AS (item || rater))')
        base.commit()
        base.close()
        return mangled((Path(folder) / "x.db").read_bytes(), rng)


def _value(cell: Any, rng: Random) -> Any:
    if cell is None or rng.random() < 0.9:
        return None if cell is None else str(cell).encode("utf-8", "replace").decode()
    return rng.choice([None, 1, 0.5, b"\xff\x00", 2**63 - 1, -(2**63), float("inf"), "", "x"])


def as_duckdb(rows: Rows, rng: Random) -> bytes:
    """Write a table as a DuckDB database."""
    import duckdb

    names = list({name.lower() or "x": name or "x" for name in _texts(rows[0] or ["x"])}.values())
    with tempfile.TemporaryDirectory() as folder:
        base = duckdb.connect(f"{folder}/x.db", config={"threads": 1})
        kinds = [rng.choice(["VARCHAR"] * 12 + ["BLOB", "VARCHAR[]"]) for _ in names]
        columns = ", ".join(
            '"' + name.replace('"', '""') + '" ' + kind for name, kind in zip(names, kinds, strict=True)
        )
        base.execute(f"CREATE TABLE ratings ({columns})")
        for row in rows[1:30]:
            cells = _texts((row + [""] * len(names))[: len(names)])
            made = (
                [cell] if kind.endswith("[]") else cell.encode() if kind == "BLOB" else cell
                for cell, kind in zip(cells, kinds, strict=True)
            )
            base.execute(f"INSERT INTO ratings VALUES ({', '.join('?' * len(names))})", list(made))
        base.close()
        return mangled(Path(f"{folder}/x.db").read_bytes(), rng)


def _texts(cells: list[str]) -> list[str]:
    return [cell.encode("utf-8", "replace").decode().replace("\0", "") for cell in cells]


QUERIES = (
    *("ratings",) * 12,
    "", "endless", "broken", "twice", "nothing", 'a"b', "SELECT * FROM ratings", "SELECT 1", "SELECT", "select * from ratings limit 0",
    "DROP TABLE ratings", "SELECT * FROM read_csv('/etc/passwd')", "with x as (select 1) select * from x", "PRAGMA writable_schema = 1",
    "select * from ratings; drop table ratings", "select item, item from ratings", "select zeroblob(1000000000)", "select 1/0", "sqlite_master",
    "select load_extension('x')", "ratings?x", "select * from generate_series(1, 100000000000)", "select '\u202e' as item, 1 as rater, 2 as response",
    "a b;--", "values(1,2,3)", "explain select 1", "vacuum into 'x.db'", "delete from ratings returning *", "attach database 'x.db' as x", "/**/ select 1",
    "select " + "+".join(["1"] * 3000), "select * from pragma_table_info('ratings')", "select 'a' || char(0) as item, cast(x'ff' as text) as response",
)  # fmt: skip


def as_folder(rows: Rows, rng: Random) -> dict[str, bytes]:
    """Return the files of a folder that holds a table in parts."""
    half, header = len(rows) // 2, rows[:1]
    other = [list(row) for row in [*header, *rows[half:]]]
    if rng.random() < 0.3 and other[0]:
        other[0][rng.randrange(len(other[0]))] = rng.choice(["domain", "x", "ITEM", ""])
    names = rng.choice(
        [
            ("a.parquet", "b.parquet"),
            ("week=1/a.parquet", "week=2/a.parquet"),
            ("item=1/a.parquet", "b.parquet"),
            ("=x/a.parquet", "x=/b.parquet"),
        ]
    )
    made = {f"folder/{names[0]}": as_parquet(rows[: half + 1], rng), f"folder/{names[1]}": as_parquet(other, rng)}
    for _ in range(rng.choice([0, 0, 1])):
        made[rng.choice(["folder/notes.txt", "folder/._a.parquet", "folder/c.PARQUET", "folder/c.json"])] = (
            rng.randbytes(20)
        )
    return {name: mangled(data, rng) for name, data in made.items()}


FOLDERS = (
    "folder",
    "folder",
    "folder/",
    "folder/*.parquet",
    "folder/**/*.parquet",
    "folder/*",
    "./folder/../folder",
    "fol*",
    "folder/[",
    "folder/?.parquet",
)
PLACES = ("broken link", "link loop", "folder loop", "socket", "hard link", "link", "empty folder", "folder called .csv", "/dev/null", "/proc/self/mem", "/proc/self/fd")  # fmt: skip


def lay(kind: str, folder: Path, like: str) -> None:
    """Make something in a folder that is no file; it is called `odd.csv`, and `like` is a file that is there."""
    odd = folder / "odd.csv"
    match kind:
        case "broken link":
            odd.symlink_to("nowhere.csv")
        case "link loop":
            odd.symlink_to("odd.csv")
        case "folder loop":
            odd.mkdir()
            for name in ("a", "b"):
                (odd / name).symlink_to("..")
        case "socket":
            _bind(odd)
        case "hard link":
            os.link(folder / like, odd)
        case "link":
            odd.symlink_to(like)
        case "empty folder":
            odd.mkdir()
        case "folder called .csv":
            (odd / "x.csv").mkdir(parents=True)


def _bind(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def word_of(kind: str) -> str:
    """Return what names a place at the command line."""
    return kind if kind.startswith("/") else "odd.csv"
