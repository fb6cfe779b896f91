"""Certificates of proofs: cofactors that a checker without SymPy multiplies out.

======================  ==============================================================
file                    what it does
======================  ==============================================================
``making.py``           the certificate of a reading that was proved, where there is one
``membership.py``       a polynomial as a combination of others, with its cofactors
``texts.py``            expressions as texts that the checker reads
``identity.py``         forty lines that multiply certificates out, polynomials as plain data
``checker.py``          multiplies them out and reads the formulas; the standard library alone
======================  ==============================================================
"""

from __future__ import annotations

__all__: list[str] = []
