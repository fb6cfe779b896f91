"""Certificates of proofs: steps that a checker without SymPy follows.

======================  ==============================================================
file                    what it does
======================  ==============================================================
``claim_text.py``       what a claim says, as texts: what is hashed and proved
``texts.py``            expressions as texts that the checker reads
``calculus.py``         integrals and orders as goals about values and derivatives
``making.py``           the certificate of a claim, where its proofs are accepted
``proving.py``          a proof for each goal of the texts, where there is one
``syntax.py``           texts as syntax, and what they need in order to be defined
``formulas.py``         texts as polynomials, for who looks for proofs
``signs.py``            what is known of their signs, with the steps that show it
``polynomials.py``      their sums and products
``membership.py``       a polynomial as a combination of others, with its cofactors
``words.py``            the same for matrices without entries, by rewriting
``checker.py``          accepts or refuses a certificate; the standard library alone
======================  ==============================================================
"""
