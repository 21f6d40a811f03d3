"""The law of a difference: exact where it can be, simulated where it cannot."""
