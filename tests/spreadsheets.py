"""A spreadsheet as a labelling lead has it: the file of the page about spreadsheets and of its tests."""

import random

__all__ = ["german_spreadsheet", "plain_table"]

RATERS = ("Anna Müller", "Jürgen", "Zoë", "Ömer")
REMARKS = ("", "", "zu lang", "gut", "unklar, prüfen", "ähnlich wie oben")


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
