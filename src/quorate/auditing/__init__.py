"""`audit`: can I trust this test at my numbers of items and raters?"""
