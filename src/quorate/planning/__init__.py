"""How many items and raters: the law of one item's difference, and what it promises."""
