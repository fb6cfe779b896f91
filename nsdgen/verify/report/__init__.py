"""What is shown of verdicts: JSON, a table on the terminal, an HTML page, a Markdown page.

``records.py`` writes and reads JSON, ``markdown.py`` the Markdown page,
``table.py`` makes the terminal's text, ``page.py`` the HTML page with
``mathml.py`` and ``statements.py`` for its formulas, ``tally.py`` counts.
"""
