"""`simulate`: data from a population."""
