"""Keep the task journals of tests and doctests out of the user's cache."""

import os
import tempfile

os.environ.setdefault("QUORATE_CACHE", tempfile.mkdtemp(prefix="quorate-tests-"))
