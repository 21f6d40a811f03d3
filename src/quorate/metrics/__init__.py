"""How close a system is to the raters, and how close the raters are to each other."""
