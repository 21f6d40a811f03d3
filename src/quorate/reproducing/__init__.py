"""Do you get the papers' numbers? One file per paper: published and our cells, and a verdict."""
