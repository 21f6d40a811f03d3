"""The estimators by name."""
