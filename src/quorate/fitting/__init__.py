"""`fit`: which population do my ratings look like?"""
