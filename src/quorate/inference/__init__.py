"""Could the difference be chance?"""
