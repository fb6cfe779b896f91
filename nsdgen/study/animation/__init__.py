"""Animations: what a run looked like, as one file for a browser."""
