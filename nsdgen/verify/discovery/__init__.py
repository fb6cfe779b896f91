"""Plugin libraries matched with a model: which exported function computes which derived operator.

======================  ==============================================================
file                    what it does
======================  ==============================================================
``exports.py``          the functions that a shared library exports, read from its ELF tables
``operators.py``        what a model says about each operator of the platform, as matrices
``operator_names.py``   which operator a name speaks of
``matching.py``         functions and operators brought together, and the claims about them
======================  ==============================================================
"""

from __future__ import annotations
