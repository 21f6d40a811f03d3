"""What a worker process does for the pages: answer a question, look at a file, write a result down.

Tasks and their answers are plain data. A worker stands in the folder of the question, where the files are called what
the person calls them, so that every sentence is the one the command line would print there.
"""

import os
import pickle
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts import CycloptsError

from quorate._errors import InputError
from quorate._question import ROOMS, Question, flag_of
from quorate._tasks import Execution
from quorate.cli import read_question, refusal
from quorate.cli.output import COMMAND, write
from quorate.cli.verbs.planning import PlanOrSweep
from quorate.describing.question import DescribeQuestion

if TYPE_CHECKING:
    from quorate.planning.question import PlanQuestion
    from quorate.planning.verb import Ground
    from quorate.results.result import Result

PLAIN_NUMBER = re.compile(r"(--[a-z-]+=)(\d{1,12}(?:\.\d{1,12})?)")
"""An option with a number that every reader of numbers reads alike."""
GROUNDS = 8
"""What so many plans stand on is kept, with its laws."""
AFTER_GROUND = ("goal", "budget", "items", "have", "min_items", "item_price", "rating_price", "expert_price")
"""Options of a plan that its laws do not depend on."""
Tell = Callable[[str, Any], None]
"""Takes a kind of news – progress, or a part of the answer – and the news."""


@dataclass(frozen=True)
class Task:
    """What a worker is asked: the words of a command, the folder to stand in, and where the result is kept."""

    kind: str
    words: tuple[str, ...] = ()
    folder: str = "."
    result: str = ""
    command: str = ""
    given: tuple[str, ...] = ()
    suffix: str = ""


@dataclass(frozen=True)
class Refusal:
    """Why there is no answer, in the command line's own sentence."""

    sentence: str


def do(task: Task, tell: Tell) -> Any:
    """Do a task; a refusal is an answer, too."""
    os.chdir(task.folder)
    try:
        return KINDS[task.kind](task, tell)
    except (InputError, CycloptsError, MemoryError) as error:
        return Refusal(refusal(error, _shown_words(task)))


def _shown_words(task: Task) -> tuple[str, ...]:
    """The words as a person types them, for a sentence that names the file or option it is about."""
    return tuple(part for word in task.words for part in (word.split("=", 1) if word.startswith("--") else [word]))


_questions: OrderedDict[tuple[str, ...], Question] = OrderedDict()


def question_of(words: tuple[str, ...]) -> Question:
    """Return the question that words ask; one like it but for numbers takes them, as the parser is slow to drag by."""
    numbers = {found[1]: found[2] for word in words if (found := PLAIN_NUMBER.fullmatch(word))}
    frame = tuple(PLAIN_NUMBER.sub(r"\1", word) for word in words)
    known = _questions.get(frame)
    question = None if known is None else _with_numbers(known, numbers)
    if question is None:
        question = _questions[frame] = read_question(words)
        while len(_questions) > GROUNDS:
            _questions.popitem(last=False)
    return question


def _with_numbers(known: Question, numbers: Mapping[str, str]) -> Question | None:
    """Return a question with other numbers; None where one of them is more than a number."""
    kinds = {each.name: type(getattr(known, each.name)) for each in fields(known)}
    flags = {f"{flag_of(each.name, each.metadata.get('flag'))}=": each.name for each in fields(known)}
    given = {flags[flag]: text for flag, text in numbers.items() if flag in flags}
    plain = {
        name: kinds[name](text)
        for name, text in given.items()
        if kinds[name] is float or (kinds[name] is int and "." not in text)
    }
    return replace(known, **plain) if len(plain) == len(numbers) else None


def _ask(task: Task, tell: Tell) -> dict[str, Any]:
    question = question_of(task.words)
    verb = task.words[0]
    if isinstance(question, PlanOrSweep):
        result, shown = _plan(question.plan(), task, tell)
    else:
        if isinstance(question, Execution):  # other workers have the other cores
            question = replace(question, workers=1)
        result = import_module(f"quorate.{ROOMS[verb]}.verb").answer(question)
        shown = _shown(result, question, task)
    with Path(task.result).open("wb") as file:
        pickle.dump(result, file)
    return shown


def _plan(question: "PlanQuestion", task: Task, tell: Tell) -> tuple["Result", dict[str, Any]]:
    """Answer a plan, at once what to buy, then the map of other sizes, which may take a moment."""
    from quorate.planning.verb import answer

    ground, known = _ground(question, task.folder)
    planned = answer(question, ground)
    if not known:
        tell("part", _shown(replace(planned, grid=planned.grid or planned.by_raters[:1]), question, task))
    _ = planned.sizes
    return planned, _shown(planned, question, task)


_grounds: "OrderedDict[tuple[object, ...], tuple[Ground, set[object]]]" = OrderedDict()


def _ground(question: "PlanQuestion", folder: str) -> tuple["Ground", bool]:
    """Return what a plan stands on, kept from the last plans that stand on the same, and whether it was known."""
    from quorate.planning.verb import find_ground

    key = tuple(_hashable(getattr(question, each.name)) for each in fields(question) if each.name not in AFTER_GROUND)
    level = _hashable((question.confidence, question.margin))
    if (folder, *key) not in _grounds:
        ground = find_ground(question)
        _grounds[(folder, *key)] = replace(ground, source=cache(ground.source)), set()
        while len(_grounds) > GROUNDS:
            _grounds.popitem(last=False)
    _grounds.move_to_end((folder, *key))
    kept, seen = _grounds[(folder, *key)]
    known = level in seen
    seen.add(level)
    return kept, known


def _hashable(value: object) -> object:
    return tuple(map(_hashable, value)) if isinstance(value, list | tuple) else value


def _shown(result: "Result", question: Question, task: Task) -> dict[str, Any]:
    """Return the result as the page shows it: the report's own parts, the text of the terminal, and both commands."""
    from quorate.app.pages import result_parts

    return result_parts(result, question, task.command, task.given)


def _write(task: Task, tell: Tell) -> str:
    """Write a result that is kept as a report, a table or JSON, and say where."""
    with Path(task.result).open("rb") as file:
        result: Result = pickle.load(file)
    import shlex

    COMMAND.set(tuple(shlex.split(task.command)[1:]))
    path = Path(task.result).with_suffix(task.suffix)
    write(result, path)
    return str(path)


def _look(task: Task, tell: Tell) -> dict[str, Any]:
    from quorate.app.look import look

    question = read_question(task.words)
    assert isinstance(question, DescribeQuestion)
    return look(question)


KINDS: dict[str, Callable[[Task, Tell], Any]] = {"ask": _ask, "write": _write, "look": _look}
