"""Points and values: claims evaluated as they are written, by code that proofs do not share.

``elementary.py``, ``bounded_values.py``, ``meaning.py`` and ``matrix_values.py`` give numbers to expressions at
a point, a ``witness.py``; ``truth.py`` says whether a statement holds there; ``challenge_points.py`` draws points of
the assumption set, kinks and poles included, which ``zeros.py`` finds, ``least.py`` those where inequalities seem to
fail, ``matrix_points.py`` those where there are matrices without entries.
``judged.py`` brings these together for one statement: counterexamples are searched there, and proofs challenged.
"""
