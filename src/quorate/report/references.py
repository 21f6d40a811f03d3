"""The sources that reports cite, written out; the keys are those of ``docs/references.bib``."""

__all__ = ["REFERENCES"]

REFERENCES = {
    "forest": "Pandita, Korn, Welty, Homan (2026). Forest vs Tree: The (N, K) Trade-off in Reproducible ML Evaluation.",
    "ratings": "How Many Ratings per Item are Necessary for Reliable Significance Testing?",
    "leaderboard": "Wein, Homan, Aroyo, Welty (2023). Follow the leader(board) with confidence: Estimating p-values "
    "from a single test set with item and response variance.",
    "multilevel": "Improving Reproducibility in Evaluation through Multi-Level Annotator Modeling.",
    "maven": "Corbett-Davies, Nguyen, Weinsberg. Efficient Model Performance Evaluation Using a Combination of Expert "
    "and Crowd-sourced Labels.",
    "krippendorff2018": "Krippendorff (2018). Content Analysis: An Introduction to Its Methodology.",
    "searle1992": "Searle, Casella, McCulloch (1992). Variance Components.",
    "guenther1981": "Guenther (1981). Sample size formulas for normal theory t tests.",
    "hothorn2008": "Hothorn, Bretz, Westfall (2008). Simultaneous inference in general parametric models.",
    "mogstad2024": "Mogstad, Romano, Shaikh, Wilhelm (2024). Inference for ranks with applications to mobility across "
    "neighbourhoods and academic achievement across countries.",
    "liang1986": "Liang, Zeger (1986). Longitudinal data analysis using generalized linear models.",
    "carmona2020": "Carmona, Nicholls (2020). Semi-modular inference: enhanced learning in multi-modular models by "
    "tempering the influence of components.",
    "clopper1934": "Clopper, Pearson (1934). The use of confidence or fiducial limits illustrated in the case of the "
    "binomial.",
}
"""Authors, year and title by citation key."""
