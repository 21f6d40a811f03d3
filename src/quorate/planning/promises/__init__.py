"""What studies of one size promise: power, width, expected p."""
