"""How close raters are to each other."""
