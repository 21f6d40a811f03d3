"""A record becomes a command: its fields are the options, its docstring the help, its files are never written over."""

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from pathlib import Path
from typing import Any, Literal

import pytest
from cyclopts import App, CoercionError, MissingArgumentError, Parameter, UnknownOptionError

import quorate
from quorate._errors import InputError
from quorate._question import QUESTIONS, numbers, option, source
from quorate._version import __version__
from quorate.cli import BESIDE, DATA, main, make_app
from quorate.cli.command import _pasted, command
from quorate.cli.output import OutputOptions
from quorate.data.reading import Reading


@dataclass(frozen=True)
class Picnic(Reading):
    """What to eat.

    Parameters
    ----------
    basket
        File of what there is.
    with_wine
        File of wines.
    plates
        How many plates, such as 1-3.
    place
        Where to sit.
    shade
        Under a tree.
    """

    basket: Any = source()
    _: KW_ONLY
    with_wine: Any = source(None, flag="--wine")
    plates: Sequence[int] | str | None = option(None, parse=numbers, cli=list[str])
    place: Literal["grass", "bench"] = "grass"
    shade: bool = False

    def check(self) -> None:
        if self.place == "bench" and self.shade:
            raise InputError("--shade is for the grass")


ASKED: list[tuple[Picnic, bool, OutputOptions]] = []
"""What the command was called with."""


@command
def picnic(question: Picnic, *, dry: bool = False, output: OutputOptions) -> int:
    """Eat outside.

    Examples:
      quorate picnic basket.csv

    Parameters
    ----------
    dry
        Without rain.
    """
    ASKED.append((question, dry, output))
    return 3


def test_a_long_example_is_still_one_command_when_it_is_copied() -> None:
    example = "  quorate plan a.csv" + "".join(f" --option-{letter} value" for letter in "abcdefgh")
    lines = _pasted(f"Examples:\n{example}\n  quorate plan a.csv").split("\n")
    assert (lines[0], lines[-1]) == ("Examples:", "  quorate plan a.csv")
    assert len(lines) == 5
    assert max(map(len, lines)) < 80
    assert " ".join(line.removesuffix("\\").strip() for line in lines[1:-1]) == example.strip()


@pytest.mark.parametrize("verb", sorted(QUESTIONS))
def test_no_example_of_the_help_is_broken_by_an_ordinary_terminal(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    lines = re.split("\n *\n|╭", capsys.readouterr().out.partition("ample")[2])[0].splitlines()[1:]
    assert lines
    for line, before in zip(lines, [None, *lines], strict=False):
        assert line.startswith(("  quorate ", "  cat ")) or str(before).endswith("\\"), line


def run(*words: object) -> tuple[Picnic, bool, OutputOptions]:
    app = App(name="picnic", default_parameter=Parameter(negative=""), help_format="plaintext")
    app.default(picnic)
    code = app(list(map(str, words)), exit_on_error=False, print_error=False, result_action="return_value")
    assert code == 3
    return ASKED.pop()


def test_every_field_is_an_option_and_words_are_parsed() -> None:
    question, dry, output = run(
        "b.csv", "--wine", "w.csv", "--plates", "1-3,7", "--place", "bench", "--item-column", "x"
    )
    assert question == Picnic("b.csv", with_wine="w.csv", plates=(1, 2, 3, 7), place="bench", item_column="x")
    assert (dry, output) == (False, OutputOptions())


def test_an_option_of_a_list_may_repeat() -> None:
    assert run("b.csv", "--plates", "1", "--plates", "4,5", "--shade")[0] == Picnic(
        "b.csv", plates=(1, 4, 5), shade=True
    )


def test_defaults_are_those_of_the_record() -> None:
    assert run("b.csv")[0] == Picnic("b.csv")


def test_the_seed_reaches_the_question() -> None:
    question, _, output = run("b.csv", "--seed", 5, "--json", "-q")
    assert question.seed == 5
    assert output == OutputOptions(json=True, quiet=True)


def test_options_of_the_command_alone_stay_its_own() -> None:
    assert run("b.csv", "--dry")[1] is True


def test_a_question_that_cannot_be_asked_is_refused_before_the_command_runs() -> None:
    with pytest.raises(InputError, match="--shade is for the grass"):
        run("b.csv", "--place", "bench", "--shade")
    assert ASKED == []


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ([], MissingArgumentError),
        (["b.csv", "--place", "moon"], CoercionError),
        (["b.csv", "--wines", "w.csv"], UnknownOptionError),
        (["b.csv", "--with-wine", "w.csv"], UnknownOptionError),
        (["b.csv", "--seed", "x"], CoercionError),
    ],
)
def test_what_is_no_option_is_an_error(words: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        run(*words)


def test_the_signature_holds_inputs_first() -> None:
    parameters = inspect.signature(picnic).parameters
    assert next(iter(parameters)) == "basket"
    assert parameters["basket"].default is inspect.Parameter.empty
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for name, each in parameters.items() if name != "basket")
    assert "question" not in parameters


def test_help_says_what_the_record_says_under_its_headings(capsys: pytest.CaptureFixture[str]) -> None:
    app = App(name="picnic", default_parameter=Parameter(negative=""), help_format="plaintext")
    app.default(picnic)
    app(["--help"], exit_on_error=False, result_action="return_value")
    text = " ".join(capsys.readouterr().out.split())
    for line in ("Eat outside.", "quorate picnic basket.csv", "How many plates, such as 1-3.", "Without rain."):
        assert line in text
    place = {words: text.index(words) for words in ("--plates", "--dry", "Reading the data", "--item-column", "--seed")}
    assert place["--plates"] < place["Reading the data"] < place["--item-column"]
    assert place["--dry"] < place["Reading the data"]
    assert text.index("Output") < place["--seed"]


def without_help(app: App) -> list[str]:
    arguments = app.assemble_argument_collection(parse_docstring=True)
    return [each.name for each in arguments if each.show and not (each.parameter.help or "").strip()]


BESIDES = {
    "compare": {"gate": "assert_not_worse", "strict": "assert_not_worse", "junit": "report.gate"},
    "estimate": {"curves": "Estimation.curves"},
}
"""Options of single commands, and what Python has for them."""
WRITTEN = {each.name for each in fields(OutputOptions)}


def without_a_name_in_python(verb: str, *functions: Callable[..., Any]) -> set[str]:
    """The options of a command that no keyword of these functions is called like."""
    command = make_app(listing=False)[verb].default_command
    keywords = {name for function in functions for name in inspect.signature(function).parameters}
    assert command is not None
    return set(inspect.signature(command).parameters) - keywords - WRITTEN - {"output", *BESIDES.get(verb, {})}


@pytest.mark.parametrize("verb", QUESTIONS)
def test_everything_that_can_be_typed_has_a_name_in_python(verb: str) -> None:
    functions = [getattr(quorate, verb), *([quorate.sweep] if verb == "plan" else [])]
    assert without_a_name_in_python(verb, *functions) == set()


def test_an_option_without_a_name_in_python_would_be_seen() -> None:
    """Negative control: one plan knows no grid and no workers."""
    assert {"grid", "workers", "resume"} <= without_a_name_in_python("plan", quorate.plan)


@pytest.mark.parametrize("verb", QUESTIONS)
def test_every_option_of_every_verb_has_its_line_of_help(verb: str) -> None:
    assert without_help(make_app(listing=False)[verb]) == []


def test_an_option_without_help_would_be_seen() -> None:
    """Negative control."""

    def bare(*, told: int = 0, secret: int = 0) -> None:
        """Do nothing.

        Parameters
        ----------
        told
            A number.
        """

    app = App()
    app.default(bare)
    assert without_help(app) == ["--secret"]


@pytest.mark.parametrize("option", ["", "--wine"])
def test_no_input_is_written_over(option: str, tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    path.write_text("x")
    words = [path] if not option else ["other.csv", option, path]
    with pytest.raises(InputError, match="it is an input and stays as it is"):
        run(*words, "-o", path)
    assert ASKED == []
    assert path.read_text() == "x"


def test_another_file_may_be_written_over(tmp_path: Path) -> None:
    """Negative control: only inputs are refused."""
    for name in ("b.csv", "c.csv"):
        (tmp_path / name).write_text("x")
    assert run(tmp_path / "b.csv", "-o", tmp_path / "c.csv")[2].output == tmp_path / "c.csv"


def test_help_lists_what_people_need_first_and_hides_what_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    make_app(listing=False)(["compare", "--help"], exit_on_error=False, result_action="return_value")
    said = capsys.readouterr().out
    assert said.index("What people need first") < said.index("More options") < said.index("Reading the data")
    assert "[default: False]" not in said
    assert "[default: None]" not in said
    assert "FILE" in said
    assert "Try: quorate describe" not in said  # that example is of another verb


@pytest.mark.parametrize(
    ("verb", "silent"), [("audit", "--with "), ("simulate", "--with "), ("plan", "--expert-price")]
)
def test_help_leaves_out_what_only_says_why_it_does_nothing(
    verb: str, silent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    make_app(listing=False)([verb, "--help"], exit_on_error=False, result_action="return_value")
    said = capsys.readouterr().out
    assert silent not in said
    assert said.index("--pool") < said.rindex("─ Long work ─" if verb != "simulate" else "─ Output ─")


@pytest.mark.parametrize("verb", [*QUESTIONS, *BESIDE])
def test_help_is_of_this_verb_and_says_nothing_empty(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    make_app(listing=False)([verb, "--help"], exit_on_error=False, result_action="return_value")
    said = capsys.readouterr().out
    assert said.startswith(" ".join(filter(None, ("Usage: quorate", verb, DATA.get(verb)))))  # the data come first
    assert not re.search(r"\[default: ((False|True|None|0|\"\")\]|\()|\[choices: ,|[Ii]n Python", said)
    assert "PATH" not in said or verb in ("simulate", "reproduce")  # where a folder is named
    assert set(re.findall(r"^  quorate (\S+)", said, re.MULTILINE)) == {verb}
    data = re.findall("[A-Z]+", DATA.get(verb, "").partition(" --")[0])  # one word for one thing, here and below
    panels = re.findall(r"^│[ *]+([A-Z]+)…? --", said, re.MULTILINE)
    assert panels == data
    assert "─ Parameters ─" not in said or "─ What people need first ─" not in said  # no heading of its own besides


def test_cite_prints_bibtex_of_this_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert make_app(listing=False)(["cite"], exit_on_error=False, result_action="return_value") == 0
    said = capsys.readouterr().out
    assert f"version = {{{__version__}}}" in said
    assert "[forest]" in said
