"""Pages by verb: each file turns one kind of result into plain page data."""
