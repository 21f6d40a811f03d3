"""Logs and exports of other tools, one file each: from what the tool wrote to a long table and what was left out."""
