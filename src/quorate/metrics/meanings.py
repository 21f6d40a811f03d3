"""What metrics with a technical name say, in the words of those who read a score."""

MEANINGS = {
    "accuracy": "share of the system's answers that are what most raters of the item said, ties shared",
    "total_variation": "half the summed gaps between the shares of the raters' and of the system's answers",
    "kl": "relative entropy: how badly the system's shares of answers foretell the raters'",
    "jensen_shannon": "distance from 0 to 1 between the shares of the raters' and of the system's answers",
    "mae": "distance between the mean rating of an item and the system's mean answer",
    "mse": "squared distance between the mean rating of an item and the system's mean answer",
    "rmse": "root of the mean squared distance between the mean rating of an item and the system's mean answer",
    "emd": "earth mover's distance: how far answers must be moved for the system's to become the raters'",
    "cross_entropy": "how surprising raters' answers are to the system, in nats",
    "precision": "share of what the system calls positive that is positive to most raters",
    "recall": "share of what is positive to most raters that the system calls positive",
    "f1": "harmonic mean of precision and recall",
    "auc": "chance that an item that is positive to most raters scores above one that is not",
    "spearman": "rank correlation of the items' mean ratings with the system's mean answers",
    "cosine": "cosine of the items' mean ratings with the system's mean answers",
    "emd_of_means": "earth mover's distance between the mean ratings of all items and the system's mean answers",
}


def meaning_of(metric: str) -> str:
    """Return what a metric's name means; nothing for one whose estimand says it."""
    return MEANINGS.get(metric.removeprefix("wins:"), "")
