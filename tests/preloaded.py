"""What the process that commands are forked from has imported."""

from tests.run import import_all, keep_options

import_all()
keep_options()
