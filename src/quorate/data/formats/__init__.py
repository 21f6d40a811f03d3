"""One small file per foreign format that is not a plain table."""
