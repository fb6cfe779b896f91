"""LaTeX as it stands in a document, read into SymPy: ``Latex(text, symbols={...})`` as a side of a claim.

``tokens.py`` splits the text, ``decorated_names.py`` says what a name is, ``parser.py`` reads the grammar,
``operations.py`` multiplies, differentiates and builds matrices, ``hand.py`` is what a user writes.
"""
