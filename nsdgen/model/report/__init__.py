"""A model, what is derived from it and a run of it, as one page for a browser: the supplement of a paper.

``write_report.py`` writes the page, ``derived_formulas.py`` typesets what was derived.
"""
