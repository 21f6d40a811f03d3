"""`compare`: is system A really better than B?"""
