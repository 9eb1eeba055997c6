"""Measurements of the suite, each a function that a command prints."""
