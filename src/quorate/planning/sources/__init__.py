"""Where the laws of a plan come from."""
