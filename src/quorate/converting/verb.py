"""`convert`: what is in my log, as a table?"""

from quorate._question import asks
from quorate.converting.question import ConvertQuestion
from quorate.converting.result import Conversion
from quorate.data.inputs import input_paths
from quorate.data.several_inputs import open_logs


def answer(question: ConvertQuestion) -> Conversion:
    """Read logs of other tools into one long table; say which field became what, and what was left out and why.

    Examples
    --------
    >>> table = convert({"task": ["t1", "t2"], "worker": ["a", "a"], "label": ["yes", None]})
    >>> table.to_frame().columns, table.mapping["item"], [(each.reason, each.rows) for each in table.dropped]
    (['item', 'rater', 'response'], 'task', [('no response', 1)])
    """
    table = open_logs(question.files, question)
    assert table.log is not None
    return Conversion(
        log=table.log,
        name=table.name,
        seed=question.seed,
        settings=question.settings(),
        inputs=input_paths(table),
    )


convert = asks("convert", ConvertQuestion, answer)
