"""`describe`: what have I got, and how much do my raters disagree?"""
