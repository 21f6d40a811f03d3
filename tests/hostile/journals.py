"""Hostile journals: what may befall the record of a run that was ended."""

import json
from collections.abc import Callable

from quorate._journal import _line
from tests.hostile.logs import mutate_at
from tests.hostile.tables import Random, mangled, odd_value


def damaged(journal: bytes, rng: Random) -> bytes:
    """Damage a journal, or leave it as a kill would."""
    lines = journal.splitlines(keepends=True)
    place = rng.randrange(len(lines))
    odd = json.dumps(odd_value(rng)).encode() + b"\n"
    entry = {"key": rng.choice(["0", "1", 0, None, []]), "result": odd_value(rng)}
    kinds: list[Callable[[], bytes]] = [
        lambda: b"".join(lines[1:]),
        lambda: b"".join([*lines[:place], odd, *lines[place:]]),
        lambda: b"".join([*lines[:place], odd, *lines[place + 1 :]]),
        lambda: b"".join([*lines, json.dumps(entry).encode(), b"\n"]),
        lambda: b"".join(lines[:place]) + lines[place][: len(lines[place]) // 2],
        lambda: b"".join(lines[:place]) + lines[place][: len(lines[place]) // 2] + b"\n" + b"".join(lines[place + 1 :]),
        lambda: b"".join(rng.sample(lines, len(lines))),
        lambda: b"".join([lines[0], *lines[1:], *lines[1:]]),
        lambda: journal.replace(b'"version"', b'"verse"'),
        lambda: journal.replace(b"0.", b"9.", 1),
        lambda: journal.replace(b"1", b"2", rng.randint(1, 9)),
        lambda: journal.replace(b'"p_value"', b'"p"'),
        lambda: journal.replace(b"\n", b"\r\n"),
        lambda: b"\xef\xbb\xbf" + journal,
        lambda: lines[0] + b"[" * 100_000 + b"\n",
        lambda: lines[0] + b'{"key": "0", "result": ' + b"9" * 5000 + b"}\n",
        lambda: mangled(mangled(mangled(journal, rng), rng), rng),
        *[lambda: forged(journal, rng)] * 6,
    ]
    return rng.choice(kinds)()


def forged(journal: bytes, rng: Random) -> bytes:
    """Let something befall the results of a journal, and write checks that fit, so that they are believed."""
    header, *lines = journal.splitlines(keepends=True)
    entries = [json.loads(line) for line in lines]
    for entry in rng.sample(entries, rng.randint(1, len(entries))):
        within = {"result": entry["result"]}
        for _ in range(rng.choice([1, 1, 3])):
            mutate_at(within, rng)
        entry["result"] = within.get("result")
    return header + b"".join(_line(str(entry["key"]), entry["result"]) for entry in entries)
