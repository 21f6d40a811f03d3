"""Populations of numbers: normal answers around item means."""
