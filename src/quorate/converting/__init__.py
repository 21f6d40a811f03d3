"""What is in my log, as a table?"""
