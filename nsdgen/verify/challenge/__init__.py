"""The second opinion: claims evaluated as they are written, by code that proofs and their points do not share.

``elementary.py``, ``meaning.py`` and ``matrix_values.py`` give numbers to expressions at a ``witness.py``;
``truth.py`` says whether a statement holds there; ``challenge_points.py`` draws points of the assumption set, kinks and
poles included, which ``zeros.py`` finds, ``completion.py`` matrices that only assumptions mention; ``gate.py`` stands
before every verdict.
"""
