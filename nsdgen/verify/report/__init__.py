"""What is shown of verdicts: JSON, a table on the terminal, an HTML page, a Markdown page.

``records.py`` writes and reads JSON, ``markdown.py`` the Markdown page,
``terminal_text.py`` makes the terminal's text, ``page.py`` the HTML page with
``panels.py`` for its formulas, ``tally.py`` counts.
"""
