"""The one error users see: a sentence that names the file, row and column, and how to fix it."""


class InputError(ValueError):
    """Input that cannot be used; the message is one sentence a user can act on.

    The command line prints it to stderr and exits with code 2, without a traceback.
    """
