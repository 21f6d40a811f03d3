"""What the process that commands are forked from has imported."""

from tests.run import import_all

import_all()
