"""The second opinion: claims evaluated as they are written, by code that the reduction does not share.

``functions.py``, ``meaning.py`` and ``matrices.py`` give numbers to expressions at a ``witness.py``; ``truth.py``
says whether a statement holds there; ``points.py`` draws points of the assumption set, kinks and poles included;
``gate.py`` stands before every verdict.
"""
