"""Measurements of the suite beside its peers."""
