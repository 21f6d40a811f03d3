"""Do you get the papers' numbers? One file per paper: published cells, our cells, the difference and a verdict."""
