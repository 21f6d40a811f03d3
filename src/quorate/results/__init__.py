"""What every result can do, and the questions results answer."""
