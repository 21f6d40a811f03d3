"""How good a classifier is, from many cheap votes and a few expert labels: MAVEN and its rivals."""
