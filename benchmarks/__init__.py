"""Each verb beside a plain reference implementation; `make bench` prints the table."""
