"""What people said: ratings, what the systems answered, and the item summaries both reduce to."""
