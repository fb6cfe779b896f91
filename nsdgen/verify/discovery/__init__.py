"""Plugin libraries matched with a model: which exported function computes which derived operator.

``matching.py`` brings together what a library exports, what names speak of (``operator_names.py``)
and what a model says about each operator of the platform (``operators.py``).
"""
