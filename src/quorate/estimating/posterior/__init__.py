"""Draws from the posterior of the vote and score models."""
