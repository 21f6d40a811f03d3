"""Is the difference real? p-values, intervals, power and families of comparisons, each definition written once."""
