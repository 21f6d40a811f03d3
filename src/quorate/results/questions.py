"""The questions people bring, by the verb that answers each; the help and the reports say them."""

__all__ = ["QUESTIONS", "ROOMS"]

QUESTIONS = {
    "describe": "What have I got, how much do my raters disagree, and who rated what?",
    "plan": "How many items and raters must I buy?",
    "compare": "Is system A really better than B, or is my leaderboard noise?",
    "estimate": "How good is my classifier, given cheap votes and a few expert labels?",
    "fit": "Which population do my ratings look like?",
    "simulate": "Give me data from a population.",
    "audit": "Can I trust this test at my numbers of items and raters?",
    "reproduce": "Do you get the papers' numbers?",
    "presets": "Which populations are known by name?",
}
ROOMS = {
    "describe": "describing",
    "plan": "planning",
    "sweep": "sweep",
    "compare": "comparing",
    "estimate": "estimating",
    "fit": "fitting",
    "simulate": "simulating",
    "audit": "auditing",
    "reproduce": "reproducing",
    "presets": "preset_list",
}
"""Name of the file of a verb in `cli`, `report.pages` and `report.plots`."""
