"""Worlds to draw from: Dirichlet, normal and empirical populations, their presets, and how to fit them."""
