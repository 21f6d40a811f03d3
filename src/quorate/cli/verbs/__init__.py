"""The commands, one for each verb: ask, print, and say by the exit code how it went.

A command is imported when it is typed, and what its verb needs when it runs, so that help answers at once.
"""
