"""What is wrong with a command line, in one sentence that says how to mend it."""

import difflib
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, get_args, get_origin

from cyclopts import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)

KINDS = {"int": "a whole number", "float": "a number", "Path": "a file name"}
SELF_NAMED = re.compile(r"(^|[\s(`])--?[a-z]|^standard input|^There is no (file|example) |^quorate \w+ needs ")
"""Sentences that say themselves what they are about: an option, standard input, or what was not given."""
WRITING = ("-o", "--output", "--curves")


def usage_sentence(error: CycloptsError) -> str:
    """Turn an error of the command-line parser into one sentence."""
    command = " ".join(["quorate", *(error.command_chain or ())])
    match error:
        case UnknownCommandError():
            return _unknown_command(error)
        case UnknownOptionError():
            options = [name for argument in error.argument_collection for name in argument.names]
            word = error.token.keyword or error.token.value
            return f"{word} is not an option of {command}; {_near(word, options) or f'see {command} --help.'}"
        case UnusedCliTokensError():
            return f"'{(error.unused_tokens or [''])[0]}' is one word too many for {command}; see {command} --help."
        case MissingArgumentError():
            return _missing(error, command)
        case CoercionError():
            return _wrong_kind(error)
        case ValidationError():
            return _not_allowed(error)
    return str(error)


def whole_sentence(message: str, words: Sequence[str]) -> str:
    """Return a refusal as a sentence that names the file or option it is about."""
    said = message if message.endswith((".", "?")) else f"{message}."
    words = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    verb = "".join(words[:1])
    values = [(flag, value) for flag, value in pairwise(words) if flag.startswith("--") and not value.startswith("--")]
    others = list(words[1:])
    for _, value in values:
        others.remove(value)
    if SELF_NAMED.search(said) or f"'{verb}'" in said or _names_file(said, words[1:]) or _names_any(said, others):
        return said
    options = [word for word in words if word.startswith("--") and word != "--"]
    about = [flag for flag, value in values if _quotes(said, value)]
    about += [word for word in options if word.lstrip("-") in said]
    written = {word for before, word in pairwise(words) if before in WRITING}
    files = [word for word in words[1:] if "." in word and not word.startswith("-") and word not in written]
    named = about or files or options
    if named:
        return f"{named[0]}: {said}"
    return said if said.endswith("?") else f"{said[:-1]}; quorate {verb} --help tells more."


def _names_file(said: str, words: Sequence[str]) -> bool:
    """Tell whether a sentence is about a file that was typed, be it as NAME=FILE or in a database."""
    files = [word.partition("=")[2] or word.partition("?")[0] for word in words]
    return any("." in file and not _number(file) and file in said for file in files) or any(
        said.startswith(f"{word} ") for word in words
    )


def _names_any(said: str, words: Sequence[str]) -> bool:
    """Tell whether a sentence is about a word that no option took, not about a number that happens to be in it."""
    return any(f"'{word}'" in said or (len(word) > 1 and not _number(word) and word in said) for word in words)


def _quotes(said: str, value: str) -> bool:
    """Tell whether a sentence quotes what an option was given, or one of several."""
    return any(f"'{part}'" in said for part in (value, *value.split(",")))


def _number(word: str) -> bool:
    return word.replace(".", "").replace(",", "").isdecimal()


def _unknown_command(error: UnknownCommandError) -> str:
    word = (error.unused_tokens or [""])[0]
    commands = [name for name in (error.app or ()) if not name.startswith("-")]
    near = _near(word, commands)
    return f"'{word}' is not a command of quorate; {near or 'the commands are ' + ', '.join(commands) + '.'}"


def _missing(error: MissingArgumentError, command: str) -> str:
    assert error.argument is not None
    name = error.keyword or error.argument.name
    if error.keyword or not error.argument.field_info.is_positional:
        return f"{name} needs a value; see {command} --help."
    needed = name.lstrip("-").upper()
    example = "moderation" if needed == "VOTES" else "support"
    return f"{command} needs {needed}: name a file, - for standard input, or example:{example}."


def _wrong_kind(error: CoercionError) -> str:
    if error.token is None or error.target_type is None:
        return str(error)
    name, value = error.token.keyword or _argument_name(error), error.token.value
    if get_origin(error.target_type) is Literal:
        *others, last = (
            c if c.isalnum() or c[0].isalpha() else f"'{c}'" for c in map(str, get_args(error.target_type))
        )
        return f"{name} cannot be '{value}'; use {', '.join(others)} or {last}."
    kind = KINDS.get(getattr(error.target_type, "__name__", ""), "another kind of value")
    instead = f"; write {value.replace(',', '.')}" if re.fullmatch(r"\d+,\d+", value) and kind == "a number" else ""
    return f"{name} must be {kind}, not '{value}'{instead}."


def _not_allowed(error: ValidationError) -> str:
    token = error.argument.tokens[0] if error.argument and error.argument.tokens else None
    if token is None:
        return error.exception_message
    return f"{token.keyword or _argument_name(error)} cannot be {token.value}; {error.exception_message}."


def _argument_name(error: CycloptsError) -> str:
    argument = error.argument
    return "the argument" if argument is None else argument.name.lstrip("-").upper()


def _near(word: str, words: Sequence[str]) -> str | None:
    found = difflib.get_close_matches(word, words, n=1)
    return f"did you mean {found[0]}?" if found else None
