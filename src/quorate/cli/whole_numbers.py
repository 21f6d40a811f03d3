"""Options that take whole numbers take no others: the parser alone rounds 1.5 to 2."""

import re
from collections.abc import Sequence
from typing import Any

from cyclopts import CoercionError, Parameter, Token, convert

PART = re.compile(r"[^.]*\.\d*[1-9]\d*")
"""A number with something after its point."""


def _whole(_kind: Any, tokens: Sequence[Token]) -> int:
    token = tokens[0]
    try:
        if PART.fullmatch(token.value):
            raise ValueError
        read: int = convert(int, [token.value])
    except (CoercionError, ValueError):
        raise CoercionError(token=token, target_type=int) from None
    return read


WHOLE = Parameter(converter=_whole)
