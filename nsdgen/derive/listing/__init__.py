"""A derivation as people read it: plain text, JSON or a LaTeX document.

``listing.py`` says what is listed and writes text and JSON, ``typeset.py`` the document, with ``notation.py`` for its
formulas and ``lines.py`` for those that take several rows.
"""
