"""The one error users see, a sentence that names the file, row and column, and how to fix it; and work half done."""


class InputError(ValueError):
    """Input that cannot be used; the message is one sentence a user can act on.

    The command line prints it to stderr and exits with code 2, without a traceback.
    """


class ShareDone(Exception):
    """A share of the work is done, which is all that was asked for; there is no answer before the others are.

    Parameters
    ----------
    shard
        Which share of how many, ``3/8``.
    tasks
        How many tasks it has.
    """

    def __init__(self, sentence: str, *, shard: str, tasks: int) -> None:
        super().__init__(sentence)
        self.shard = shard
        self.tasks = tasks
