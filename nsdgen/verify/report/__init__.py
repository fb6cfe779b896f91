"""What is shown of verdicts: JSON, a table on the terminal, an HTML page, a Markdown page.

``verdict_list.py`` writes JSON and the list that later runs are compared with, ``markdown.py`` the Markdown page,
``terminal_text.py`` makes the terminal's text, ``page.py`` the HTML page, ``tally.py`` counts.
"""
