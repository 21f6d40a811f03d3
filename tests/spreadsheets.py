"""A spreadsheet as a labelling lead has it: the file of the page about spreadsheets and of its tests."""

import random
import zipfile
from pathlib import Path

__all__ = ["german_spreadsheet", "plain_table", "workbook"]

RATERS = ("Anna Müller", "Jürgen", "Zoë", "Ömer")
REMARKS = ("", "", "zu lang", "gut", "unklar, prüfen", "ähnlich wie oben")
TYPES = """<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/xl/workbook.xml"
 ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml"
 ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>"""
XML = '<?xml version="1.0"?>'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELS = (
    '<?xml version="1.0"?><Relationships xmlns="{}"><Relationship Id="rId1" Type="{}/{}" Target="{}"/></Relationships>'
)


def german_spreadsheet() -> bytes:
    """Sixty answers rated 0,0 to 5,0 in halves: semicolons, decimal commas, cp1252, a title, k.A., remarks."""
    rows = ["Qualität der Chatbot-Antworten, Runde 2;;;;;;", "", f"Nr;Antwort;{';'.join(RATERS)};Bemerkung"]
    rng = random.Random(4)
    for number, cells in enumerate(_cells(), 1):
        written = ("k.A." if cell is None else f"{cell:.1f}".replace(".", ",") for cell in cells)
        rows.append(f"{number};Antwort {number} für Kundin;{';'.join(written)};{rng.choice(REMARKS)}")
    return ("\r\n".join(rows) + "\r\n").encode("cp1252")


def plain_table() -> str:
    """The same ratings as quorate likes them: a row per response, points, UTF-8."""
    rows = [
        f"{number},{rater},{cell:.1f}"
        for number, cells in enumerate(_cells(), 1)
        for rater, cell in zip(RATERS, cells, strict=True)
        if cell is not None
    ]
    return "\n".join(["item,rater,response", *rows]) + "\n"


def _cells() -> list[list[float | None]]:
    rng = random.Random(4)
    return [_row(rng, rng.uniform(1, 4.5)) for _ in range(60)]


def _row(rng: random.Random, quality: float) -> list[float | None]:
    return [None if rng.random() < 0.08 else _half(quality + rng.gauss(0, 0.7)) for _ in RATERS]


def _half(score: float) -> float:
    return round(2 * min(max(score, 0), 5)) / 2


def sheet(rows: list[list[str]]) -> str:
    lines = [
        "".join(
            f'<c r="{"ABCDEFGH"[column]}{row}" t="inlineStr"><is><t>{cell}</t></is></c>'
            for column, cell in enumerate(line)
        )
        for row, line in enumerate(rows, start=1)
    ]
    body = "".join(f'<row r="{row}">{line}</row>' for row, line in enumerate(lines, start=1))
    return f'<?xml version="1.0"?><worksheet xmlns="{SHEETS}"><sheetData>{body}</sheetData></worksheet>'


def workbook(path: Path, *sheets: list[list[str]]) -> Path:
    """Write a workbook whose sheets are called S1, S2, …"""
    numbers = range(1, len(sheets) + 1)
    listed = "".join(f'<sheet name="S{k}" sheetId="{k}" r:id="rId{k}"/>' for k in numbers)
    related = "".join(
        f'<Relationship Id="rId{k}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{k}.xml"/>' for k in numbers
    )
    parts = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": RELS.format(PACKAGE, OFFICE, "officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'{XML}<workbook xmlns="{SHEETS}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{XML}<Relationships xmlns="{PACKAGE}">{related}</Relationships>',
        **{f"xl/worksheets/sheet{k}.xml": sheet(rows) for k, rows in zip(numbers, sheets, strict=True)},
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path
