"""Bad files and bad command lines through the real command: exit code 2, one helpful sentence, nothing else.

Each case: what goes wrong, the files, the words after `quorate describe`, and what the sentence must contain – the
file, the row and the column where there is one, and the way out.
"""

import gzip
import io
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.run import Run

GOOD = "item,rater,response\nq1,ann,yes\nq1,bob,no\nq2,ann,no\nq2,bob,no\n"
VOTES = "item,yes,no\nq1,3,2\nq2,5,0\nq3,1,4\nq4,2,3\nq5,5,0\n"


def _workbook() -> bytes:
    book = io.BytesIO()
    with zipfile.ZipFile(book, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return book.getvalue()


BAD_FILES: dict[str, tuple[str, str | bytes, str, list[str]]] = {
    "no response column": ("r.csv", "item,rater,remark,day\nq1,ann,good,1\n", "", ["r.csv", "only item, rater, remark", "--response-column"]),
    "no item column": ("r.csv", "thing,rater,response\nq1,ann,yes\n", "", ["no item column", "thing", "--item-column"]),
    "no header": ("r.csv", "q1,ann,yes\nq1,bob,no\n", "", ["first row is q1, ann, yes", "put item,rater,response above"]),
    "misspelt column": ("r.csv", GOOD, "--response-column respons", ["'respons'", "did you mean --response-column response?"]),
    "unknown column": ("r.csv", GOOD, "--rater-column xyz", ["'xyz'", "item, rater, response", "--rater-column"]),
    "unknown part of an item key": ("r.csv", GOOD, "--item-column item,turn", ["'turn'", "--item-column"]),
    "empty file": ("r.csv", "", "", ["r.csv is empty", "header"]),
    "blank file": ("r.csv", "\n \n\n", "", ["r.csv is empty"]),
    "header only": ("r.csv", "item,rater,response\n", "", ["no usable rows", "only a header"]),
    "binary junk": ("r.csv", bytes(range(256)) * 8, "", ["binary file", "CSV"]),
    "workbook": ("r.xlsx", _workbook(), "", ["Excel workbook", "CSV"]),
    "two encodings": ("r.csv", (GOOD + "q3,Zoë,no\n").encode() + "q3,Zoë,no\n".encode("latin-1"), "", ["row 7", "UTF-8", "--encoding"]),
    "unknown encoding": ("r.csv", GOOD, "--encoding klingon", ["--encoding klingon", "cp1252"]),
    "too much skipped": ("r.csv", GOOD, "--skip-rows 9", ["r.csv", "--skip-rows"]),
    "wide, headers of another language": ("r.csv", "Nr;Anna;Bernd\n1;gut;gut\n2;gut;schlecht\n", "", ["Nr, Anna, Bernd", "--item-column and --response-column", "--layout wide"]),
    "words among decimals": ("r.csv", "item;rater;score\nq1;a;1,5\nq1;b;2,5\nq2;a;weiß nicht\nq2;b;3,5\n", "", ["row 4", "column 'score'", "'weiß nicht'", "--missing-values", "--scale nominal"]),
    "row too long": ("r.csv", GOOD + "q3,ann,no, maybe\n", "", ["row 6 has 4 fields", "header has 3"]),
    "row too short": ("r.csv", GOOD + "q3,ann\nq3,bob,no\n", "", ["row 6 has 2 fields"]),
    "row too short, with quotes": ("r.csv", GOOD + '"q,3",ann,no\nq4,ann\n', "", ["row 7 has 2 fields"]),
    "quote left open": ("r.csv", GOOD + 'q3,"ann,no\nq3,bob,no\n', "", ["row 6", "quote is not closed"]),
    "quote left open in the last column": ("r.csv", GOOD + 'q3,ann,"no\nq3,bob,no\n', "", ["row 6", "quote is not closed"]),
    "two quotes left open": ("r.csv", GOOD + 'q3,ann,"no\nq3,bob,no\nq4,ann,"yes\n', "", ["row 6", "quote"]),
    "header twice": ("r.csv", "item,rater,rater,response\nq1,a,b,yes\n", "", ["row 1", "two columns called 'rater'"]),
    "off the declared scale": ("r.csv", "item,rater,mood\nq1,a,low\nq1,b,meh\n", "--response-column mood --order low,high", ["row 3", "column 'mood'", "'meh'", "low, high", "--order"]),
    "number off the declared scale": ("r.csv", "item,rater,stars\nq1,a,5\nq1,b,6\n", "--order 1,2,3,4,5", ["row 3", "column 'stars'", "'6'"]),
    "wide, off the declared scale": ("r.csv", "item,rater1,rater2\nq1,low,high\nq2,low,mid\n", "--order low,high", ["row 3", "column 'rater2'", "'mid'"]),
    "word on an interval scale": ("r.csv", "item,rater,score\nq1,a,1.5\nq1,b,two\n", "--scale interval", ["row 3", "column 'score'", "'two'", "--scale nominal"]),
    "infinity on an interval scale": ("r.csv", "item,rater,score\nq1,a,1.5\nq1,b,inf\n", "--scale interval", ["row 3", "'inf'"]),
    "decimal comma or thousands": ("r.csv", "item;rater;score\nq1;a;1,500\nq1;b;2\n", "", ["column 'score'", "'1,500'", "--decimal"]),
    "ordinal words without order": ("r.csv", GOOD, "--scale ordinal", ["r.csv", "--order no,yes"]),
    "order names a category twice": ("r.csv", GOOD, "--order no,no,yes", ["--order", "twice"]),
    "all responses missing": ("r.csv", "item,rater,response\nq1,a,\nq1,b,\n", "", ["no usable rows", "no row has a response"]),
    "all responses NA": ("r.csv", "item,rater,score\nq1,a,NA\nq1,b,NA\n", "", ["no usable rows", "'NA'", "--scale nominal"]),
    "response without item": ("r.csv", GOOD + ",ann,yes\n", "", ["row 6", "no item"]),
    "damaged log": ("a.eval", b"PK\x03\x04" + b"x" * 200, "", ["a.eval", "damaged zip"]),
    "log without scores": ("a.json", '{"version": 2, "eval": {"model": "m"}, "samples": [{"id": 1, "error": "late"}]}', "", ["an Inspect log", "holds no value", "1 left out"]),
    "log with several questions": ("a.json", '[{"id": 1, "data": {}, "annotations": [{"result": [{"from_name": "q", "value": {"rating": 1}}, {"from_name": "s", "value": {"rating": 2}}]}]}]', "", ["several questions: q, s", "--score NAME"]),
    "log laid out oddly": ("a.jsonl", '{"doc_id": 0, "doc": {}, "resps": [], "metrics": [["x"]]}', "", ["a.jsonl"]),
    "log nested too deeply": ("a.json", '{"testCases": [{"metricsData": ' + "[" * 100_000, "", ["nested too deeply"]),
    "damaged gzip": ("r.csv.gz", gzip.compress(GOOD.encode())[:-9], "", ["r.csv.gz", "damaged gzip"]),
    "broken JSON line": ("r.jsonl", '{"item": 1, "response": 2}\n{"item": 1,\n', "", ["row 2", "not valid JSON"]),
    "JSON that is no table": ("r.json", "[1, 2, 3]", "", ["list of objects"]),
    "JSON columns that do not match": ("r.json", '{"item": [1, 2], "response": [1]}', "", ["columns do not match"]),
    "empty JSON": ("r.json", "[]", "", ["r.json is empty"]),
    "JSON with a list as response": ("r.jsonl", '{"item": 1, "response": ["a", "b"]}\n', "", ["column 'response'", "lists or objects"]),
    "Parquet junk": ("r.parquet", b"PAR1 nothing in between PAR1", "", ["Parquet"]),
    "LeWiDi with a missing rater": ("r.json", '{"7": {"annotators": "a,b", "annotations": "1"}}', "", ["item '7'", "annotators"]),
    "negative count": ("r.csv", VOTES + "q6,-1,6\n", "--layout counts", ["row 7", "column 'yes'", "'-1' is not a count"]),
    "fractional count": ("r.csv", VOTES + "q6,2.5,2.5\n", "--layout counts", ["row 7", "'2.5' is not a count"]),
    "empty count": ("r.csv", VOTES + "q6,,5\n", "--layout counts", ["row 7", "an empty cell is not a count"]),
    "counts or ratings": ("r.csv", "item,yes,no\nq1,3,2\nq2,5,1\n", "", ["--layout wide", "--layout counts"]),
    "unknown --columns": ("r.csv", VOTES, "--layout counts --columns yes,maybe", ["'maybe'", "--columns"]),
    "duplicates refused": ("r.csv", GOOD + "q2,bob,yes\n", "--duplicates error", ["row 6", "'bob'", "'q2'", "--duplicates"]),
}  # fmt: skip

BAD_USAGE = {
    "no file": ("", ["RATINGS", "example:support"]),
    "missing path": ("nowhere.csv", ["no file nowhere.csv"]),
    "a directory": (".", ["is a directory"]),
    "unknown example": ("example:nope", ["'nope'", "support"]),
    "two files": ("r.csv other.csv", ["'other.csv'", "--help"]),
    "unknown option": ("r.csv --xyzzy", ["--xyzzy", "--help"]),
    "misspelt option": ("r.csv --confidnce 0.9", ["did you mean --confidence?"]),
    "unknown scale": ("r.csv --scale ordnal", ["'ordnal'", "nominal, ordinal or interval"]),
    "unknown layout": ("r.csv --layout square", ["'square'", "long, wide or counts"]),
    "confidence 0": ("r.csv --confidence 0", ["--confidence", "between 0 and 1"]),
    "confidence 1": ("r.csv --confidence 1", ["--confidence", "between 0 and 1"]),
    "confidence 2": ("r.csv --confidence 2", ["--confidence", "between 0 and 1"]),
    "confidence in words": ("r.csv --confidence high", ["--confidence must be a number"]),
    "negative top": ("r.csv --top -1", ["--top", "from 0 up"]),
    "negative seed": ("r.csv --seed -1", ["--seed", "from 0 up"]),
    "unknown suffix": ("r.csv -o items.docx", ["items.docx", ".csv, .parquet or .json"]),
    "no such folder": ("r.csv -o nowhere/items.csv", ["nowhere/items.csv", "directory does not exist"]),
    "over the ratings": ("r.csv -o r.csv", ["r.csv", "is an input"]),
    "-o without a name": ("r.csv -o", ["-o needs a value"]),
}


def assert_refused(done: subprocess.CompletedProcess[str], said: list[str]) -> None:
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("quorate: ")
    assert done.stderr.endswith((".\n", "?\n"))
    assert done.stderr.count("\n") == 1
    missing = [words for words in said if words not in done.stderr]
    assert not missing, f"{missing} not in {done.stderr!r}"


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_in_one_sentence(case: str, quorate: Run, tmp_path: Path) -> None:
    name, content, words, said = BAD_FILES[case]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert_refused(quorate("describe", name, *words.split(), cwd=tmp_path), said)


@pytest.mark.parametrize("case", BAD_USAGE)
def test_bad_usage_is_refused_in_one_sentence(case: str, quorate: Run, tmp_path: Path) -> None:
    words, said = BAD_USAGE[case]
    (tmp_path / "r.csv").write_text(GOOD)
    assert_refused(quorate("describe", "--quiet", *words.split(), cwd=tmp_path), said)
    assert [path.name for path in tmp_path.iterdir()] == ["r.csv"]
    assert (tmp_path / "r.csv").read_text() == GOOD


@pytest.mark.parametrize(("word", "said"), [("descrbe", "did you mean describe?"), ("frobnicate", "the commands are")])
def test_an_unknown_command_is_refused(word: str, said: str, quorate: Run) -> None:
    assert_refused(quorate(word), [f"'{word}'", said])


def test_no_thread_for_tables_is_refused(quorate: Run) -> None:
    """The library that reads them panics, which would be an error of ours."""
    done = quorate("describe", "example:support", POLARS_MAX_THREADS="0")
    assert done.returncode == 2
    assert done.stderr.startswith("quorate: POLARS_MAX_THREADS cannot be 0")


def test_empty_standard_input_is_refused(quorate: Run) -> None:
    assert_refused(quorate("describe", "-"), ["standard input is empty"])


def test_a_name_with_line_ends_and_escape_codes_still_gives_one_plain_line(quorate: Run, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text('item,rater,response\n"q\n\x1b[31m1",ann,yes\n"q\n\x1b[31m1",ann,no\n')
    done = quorate("describe", "r.csv", "--duplicates", "error", cwd=tmp_path)
    assert_refused(done, ["more than once"])
    assert "\x1b" not in done.stderr


def test_an_unwritable_place_leaves_nothing_behind(quorate: Run, tmp_path: Path) -> None:
    """A directory stands where the finished file should go, under a name that only appears at the end."""
    (tmp_path / "r.csv").write_text(GOOD)
    (tmp_path / "items.csv").mkdir()
    assert_refused(quorate("describe", "-q", "r.csv", "-o", "items.csv", cwd=tmp_path), ["items.csv", "directory"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items.csv", "r.csv"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a place where nobody may write: /proc")
def test_a_place_where_nobody_may_write_is_refused(quorate: Run) -> None:
    assert_refused(
        quorate("describe", "-q", "example:support", "-o", "/proc/items.csv"), ["Cannot write /proc/items.csv"]
    )


def test_good_input_is_not_refused(quorate: Run, tmp_path: Path) -> None:
    """Negative control: the file all cases start from is fine."""
    (tmp_path / "r.csv").write_text(GOOD)
    done = quorate("describe", "r.csv", cwd=tmp_path)
    assert done.returncode == 0
    assert "2 items" in done.stdout
