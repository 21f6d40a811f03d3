"""Populations that are tables of ratings, drawn from again."""
