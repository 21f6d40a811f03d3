"""The same answers in a browser, on this machine: screens ask the verbs through the command line's own words."""
