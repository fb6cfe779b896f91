"""Certificates of proofs: cofactors that a checker without SymPy multiplies out, formulas included.

======================  ==============================================================
file                    what it does
======================  ==============================================================
``making.py``           the certificate of a reading that was proved, where there is one
``membership.py``       a polynomial as a combination of others, with its cofactors
``texts.py``            expressions as texts that the checker reads
``splits.py``           arguments of functions as sums, for the addition theorems
``checker.py``          reads the formulas and multiplies certificates out; the standard library alone
======================  ==============================================================
"""

from __future__ import annotations

__all__: list[str] = []
