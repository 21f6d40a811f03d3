"""`estimate`: how good is my classifier, given votes and a few expert labels?"""
